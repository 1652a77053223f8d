package access_test

import (
	"testing"

	"rebatedesk/acceptance/site"
)

// collect posts the form that starts a collection.
func collect(t *testing.T, address string, headers ...string) site.Answer {
	t.Helper()
	found := site.TokenField.FindStringSubmatch(site.Get(t, address+"/collection").Body)
	if found == nil {
		t.Fatal("the page has no form token")
	}
	return site.Post(t, address+"/collection/collect", headers, "token", found[1])
}
