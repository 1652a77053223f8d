package site

import (
	"regexp"
	"strings"
	"testing"
)

// OpenForms lists the parameters that accept any text of some form; if no record has such
// a value, the result is empty. Each other parameter accepts only listed values.
var OpenForms = []string{"coin", "uid", "symbol", "code", "q", "tag", "owner"}

// dataOfCharts matches JSON between tags, where an apostrophe is plain text and the
// characters that could end the element do not occur.
var dataOfCharts = regexp.MustCompile(`(?s)<script[^>]* type="application/json">.*?</script>`)

// CheckText checks that the body has the type it declares and that no value became an
// element.
func CheckText(t *testing.T, a Answer, value string) {
	t.Helper()
	kind := a.Header.Get("Content-Type")
	page := dataOfCharts.ReplaceAllStringFunc(a.Body, func(data string) string { return strings.ReplaceAll(data, "'", "") })
	if strings.HasPrefix(kind, "text/html") && strings.ContainsAny(value, `<>"'`) && strings.Contains(page, value) {
		t.Errorf("%.80s: %q became an element of the page", a.Request.URL, value)
	}
	if a.Header.Get("X-Content-Type-Options") != "nosniff" || a.Header.Get("Content-Security-Policy") == "" {
		t.Errorf("%.80s: the headers are %v", a.Request.URL, a.Header)
	}
	if strings.Contains(a.Body, "goroutine ") || strings.Contains(a.Body, "SQL logic") {
		t.Errorf("%.80s shows internal details: %.200s", a.Request.URL, a.Body)
	}
}
