package site

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// Hostile holds texts that would run or mislead if they were not treated as text.
var Hostile = []string{
	`</script><script>window.pwned=1</script>`, `"><img src=x onerror=window.pwned=1>`, `' onfocus='window.pwned=1' autofocus='`,
	`javascript:window.pwned=1`, `=cmd|' /C calc'!A0`, "🧿{{7*7}}${7*7}", `%3Cscript%3E`, `a/../../b?c#d`,
}

// HostileNames holds names that only others may send: they contain invisible characters,
// which users cannot write into their names.
var HostileNames = append(slices.Clone(Hostile), "\u202egnp\u2066.\u200be\ufeffxe")

// ForeignMarkup returns the elements and attributes of a page that the application never writes.
func ForeignMarkup(page string) (found []string) {
	z := html.NewTokenizer(strings.NewReader(page))
	for {
		kind := z.Next()
		if kind == html.ErrorToken {
			return found
		}
		token := z.Token()
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		attributes := map[string]string{}
		for _, a := range token.Attr {
			attributes[a.Key] = a.Val
			value := strings.ToLower(strings.TrimSpace(a.Val))
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || slices.Contains([]string{"href", "src", "action", "formaction"}, a.Key) &&
				(strings.HasPrefix(value, "javascript:") || strings.HasPrefix(value, "data:")) {
				found = append(found, token.String())
			}
		}
		if slices.Contains([]string{"img", "iframe", "object", "embed", "base", "style"}, token.Data) ||
			token.Data == "script" && attributes["src"] == "" && attributes["type"] != "application/json" {
			found = append(found, token.String())
		}
	}
}

func Between(t *testing.T, text, before, after string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, before)
	middle, _, closed := strings.Cut(rest, after)
	if !found || !closed {
		t.Fatalf("there is no %s", before)
	}
	return middle
}

// ViewID returns the id of the first view on the page of views.
func ViewID(t *testing.T, address, action string) string {
	t.Helper()
	page := Get(t, address+"/views").Body
	id, _, _ := strings.Cut(Between(t, page, `action="/views/`, `"`), "/")
	if !strings.Contains(page, `action="/views/`+id+"/"+action+`"`) {
		t.Fatalf("the page does not offer %s of view %s", action, id)
	}
	return id
}

// ViewVersion returns the version of a view on the page of views.
func ViewVersion(t *testing.T, address, id string) string {
	t.Helper()
	return VersionOf(Get(t, address+"/views").Body, "/views/"+id+"/name")
}

func Done(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
