package acceptance_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"rebatedesk/reports/query"
	"rebatedesk/web"
)

// description is what programs read of the interface.
type description struct {
	Paths map[string]map[string]describedOperation
	root  any // the whole document
}

type describedOperation struct {
	ID         string `json:"operationId"`
	Parameters []struct {
		Name, In string
		Required bool
		Schema   struct {
			Type    string
			Enum    []string
			Pattern string
			Items   struct{ Enum []string }
		}
	}
	Responses map[string]struct {
		Ref     string `json:"$ref"`
		Content map[string]struct {
			Schema map[string]any
		}
	}
	Security []map[string][]string
}

func describedBy(t testing.TB, body string) (d description) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), &d); err != nil {
		t.Fatal(err)
	}
	var err error
	if d.root, err = jsonschema.UnmarshalJSON(strings.NewReader(body)); err != nil {
		t.Fatal(err)
	}
	return d
}

// check compares an answer with its description.
func (d description) check(t *testing.T, compiler *jsonschema.Compiler, pointer string, a answer) {
	t.Helper()
	of, err := compiler.Compile("openapi.json#" + pointer)
	if err != nil {
		t.Fatal(err)
	}
	body, err := jsonschema.UnmarshalJSON(strings.NewReader(a.body))
	if err != nil {
		t.Errorf("%s: %v: %.200s", a.Request.URL, err, a.body)
		return
	}
	if err := of.Validate(body); err != nil {
		t.Errorf("%s is not as described: %v", a.Request.URL, err)
	}
}

func (d description) compiler(t testing.TB) *jsonschema.Compiler {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("openapi.json", d.root); err != nil {
		t.Fatal(err)
	}
	return compiler
}

// pointerTo returns the JSON pointer to the schema of an answer.
func pointerTo(address, status, media string) string {
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	return "/paths/" + url.PathEscape(escape.Replace(address)) + "/get/responses/" + status + "/content/" + url.PathEscape(escape.Replace(media)) + "/schema"
}

const problemPointer = "/components/schemas/Problem"

var inPath = regexp.MustCompile(`:(\w+)`)

// Every file that programs may read by a token is described, and nothing else is.
func TestDescriptionHasEveryRoute(t *testing.T) {
	t.Parallel()
	o := openSite(t, everything())
	text, err := o.server.Description()
	if err != nil {
		t.Fatal(err)
	}
	described := map[string]bool{}
	for address, methods := range describedBy(t, string(text)).Paths {
		for method := range methods {
			described[strings.ToUpper(method)+" "+address] = true
		}
	}
	known := map[string]bool{}
	for _, r := range web.Matrix() {
		address := inPath.ReplaceAllString(r.Path, "{$1}")
		if r.Method != http.MethodGet || !r.Tokens && r.Need != web.Everybody {
			continue
		}
		known["GET "+address] = true
		file := slices.Contains([]string{".json", ".csv", ".xlsx", ".zip", ".pdf", ".eml"}, path.Ext(r.Path))
		if file && !described["GET "+address] {
			t.Errorf("%s can be read by a token and is not described: add it to describedFiles in web/described.go", r.Path)
		}
	}
	proxied := 0
	for line := range described {
		if strings.Contains(line, "/console/proxy/{account}/") {
			proxied++
			continue
		}
		if !known[line] {
			t.Errorf("%s is described, and no token reads it", line)
		}
	}
	if want := 15; proxied != want {
		t.Errorf("%d endpoints of the exchange are described, want the %d that only read", proxied, want)
	}
}

// The answer to each described question is as described, and what is not described is refused.
func TestAnswersAreAsDescribed(t *testing.T) {
	t.Parallel()
	h := openSharedSite(t)
	d := describedBy(t, get(t, h.address+"/openapi.json").body)
	compiler := d.compiler(t)
	const media = "application/json"
	asked := 0
	for address, methods := range d.Paths {
		o := methods["get"]
		if _, isJSON := o.Responses["200"].Content[media]; !isJSON || address == "/openapi.json" {
			continue
		}
		at := h.at(strings.NewReplacer("{uid}", ":uid", "{month}", "2026-10").Replace(address))
		ask := func(values url.Values) {
			asked++
			a := get(t, at+"?"+values.Encode())
			switch a.StatusCode {
			case http.StatusOK:
				d.check(t, compiler, pointerTo(address, "200", media), a)
			case http.StatusConflict, http.StatusBadRequest:
				// Some values go together only with others, and some figures are not known.
				if a.StatusCode == http.StatusBadRequest && len(values) == 1 {
					t.Errorf("%s is refused: %s", a.Request.URL, a.body)
				}
				if a.Header.Get("Content-Type") != "application/problem+json" || o.Responses[fmt.Sprint(a.StatusCode)].Ref == "" {
					t.Errorf("%s: status %d of the type %s is not described", a.Request.URL, a.StatusCode, a.Header.Get("Content-Type"))
				}
				d.check(t, compiler, problemPointer, a)
			default:
				t.Errorf("%s: status %d", a.Request.URL, a.StatusCode)
			}
		}
		ask(nil)
		names := []string{}
		for _, p := range o.Parameters {
			if p.In != "query" {
				continue
			}
			names = append(names, p.Name)
			for _, value := range validValues(p.Name, p.Schema.Enum, p.Schema.Items.Enum) {
				ask(url.Values{p.Name: {value}})
			}
		}
		if len(o.Parameters) == 0 {
			continue
		}
		for _, name := range append(slices.Clone(query.Params), "limit", "colour") {
			if slices.Contains(names, name) {
				continue
			}
			a := get(t, at+"?"+url.Values{name: {validValues(name, nil, nil)[0]}}.Encode())
			if a.StatusCode != http.StatusBadRequest {
				t.Errorf("%s: %s is not described and answered with %d", address, name, a.StatusCode)
				continue
			}
			d.check(t, compiler, problemPointer, a)
		}
		for _, name := range names {
			if slices.Contains(openForms, name) {
				continue
			}
			a := get(t, at+"?"+url.Values{name: {"a\x00b"}}.Encode())
			if a.StatusCode != http.StatusBadRequest {
				t.Errorf("%s: %s of control characters: status %d", address, name, a.StatusCode)
			}
			d.check(t, compiler, problemPointer, a)
		}
	}
	if asked < 200 {
		t.Errorf("only %d questions were asked", asked)
	}
}

// validValues returns values that a parameter accepts on the shared site.
func validValues(name string, choices, some []string) []string {
	if len(choices) > 0 {
		return choices
	}
	if len(some) > 0 {
		return []string{some[0], strings.Join(some, ",")}
	}
	values := map[string]string{
		"from": "2026-11-01", "to": "2026-11-10", "month": "2026-11", "account": "main", "coin": "USDT", "uid": string(known), "symbol": "BTCUSDT", "code": "x", "q": "7",
		"tag": "VIP", "owner": "ann", "page": "1", "per": "20", "as_of": "2026-11-15", "since": "2026-11-01", "until": "2026-11-20T12:00:00Z", "limit": "3",
		"product": "SPOT", "source": "sub", "range": "7d", "compare": "previous", "segment": "none", "colour": "red",
	}
	if value, ok := values[name]; ok && name != "segment" {
		return []string{value}
	}
	if name == "segment" || name == "cursor" {
		return nil // needs a saved one
	}
	return []string{"x"}
}
