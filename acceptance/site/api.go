package site

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"rebatedesk/exchange/weex"
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

func DescribedBy(t testing.TB, body string) (d description) {
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

// Check compares an answer with its description.
func (d description) Check(t *testing.T, compiler *jsonschema.Compiler, pointer string, a Answer) {
	t.Helper()
	of, err := compiler.Compile("openapi.json#" + pointer)
	if err != nil {
		t.Fatal(err)
	}
	body, err := jsonschema.UnmarshalJSON(strings.NewReader(a.Body))
	if err != nil {
		t.Errorf("%s: %v: %.200s", a.Request.URL, err, a.Body)
		return
	}
	if err := of.Validate(body); err != nil {
		t.Errorf("%s is not as described: %v", a.Request.URL, err)
	}
}

// CommittedDescription returns the description in the folder of the client, which is that of the
// server.
func CommittedDescription(t testing.TB) description {
	t.Helper()
	text, err := os.ReadFile("../../client/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	return DescribedBy(t, string(text))
}

// CheckProxied compares an answer of the proxy with the description of its endpoint.
func (d description) CheckProxied(t *testing.T, r weex.Request, a Answer) {
	t.Helper()
	address, status, method := "/console/proxy/{account}"+r.Path, fmt.Sprint(a.StatusCode), strings.ToLower(r.Method)
	answers, ok := d.Paths[address][method].Responses[status]
	if !ok {
		t.Errorf("%s %s: status %s is not described", r.Method, r.Path, status)
		return
	}
	if answers.Ref != "" {
		d.Check(t, d.Compiler(t), strings.TrimPrefix(answers.Ref, "#")+"/content/"+url.PathEscape("application~1json")+"/schema", a)
		return
	}
	if _, ok := answers.Content["application/json"]; !ok || a.Header.Get("Content-Type") != "application/json" && !strings.HasPrefix(a.Header.Get("Content-Type"), "application/json;") {
		t.Errorf("%s: the answer of the type %s is not described", r.Path, a.Header.Get("Content-Type"))
	}
}

// CheckProblem compares an answer with the description of problems.
func (d description) CheckProblem(t *testing.T, a Answer, status int) {
	t.Helper()
	if a.StatusCode != status || a.Header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("%s: status %d of the type %s, want %d", a.Request.URL, a.StatusCode, a.Header.Get("Content-Type"), status)
	}
	d.Check(t, d.Compiler(t), ProblemPointer, a)
}

func (d description) Compiler(t testing.TB) *jsonschema.Compiler {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("openapi.json", d.root); err != nil {
		t.Fatal(err)
	}
	return compiler
}

const ProblemPointer = "/components/schemas/Problem"
