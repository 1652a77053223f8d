package weex

import (
	"rebatedesk/exchange"

	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// documented lists the 19 endpoints: section, method, path and the weights of section 8
// by address and by user.
const documented = `
4.1  GET  /api/v2/public/exchangeInfo 10
4.2  GET  /api/v2/public/currencies 1
4.3  GET  /api/v2/market/tickers 20
4.4  GET  /api/v2/market/fills 5
4.5  GET  /capi/v2/market/ticker 1
4.6  GET  /capi/v2/market/tickers 40
4.7  POST /api/v2/trade/orders 2 / 5
4.8  POST /api/v2/trade/batch-orders 5 / 10
4.9  POST /api/v2/trade/cancel-order 2 / 3
4.10 POST /api/v2/trade/cancel-batch-orders 5 / 10
4.11 POST /api/v2/trade/open-orders 3 / 3
4.12 POST /api/v2/trade/fills 5 / 5
4.13 POST /capi/v2/order/plan_order 2 / 5
4.14 POST /api/v2/account/bills 5 / 5
4.15 POST /api/v2/account/fundingBills 5 / 5
4.16 GET  /api/v2/account/transferRecords 3 / 3
4.17 GET  /api/v2/rebate/affiliate/getAffiliateCommission 20 / 20
4.18 GET  /api/v2/rebate/affiliate/getAffiliateUIDs 20 / 20
4.19 POST /api/v2/rebate/affiliate/querySubChannelTransactions 10 / 10`

// lines returns the documented table, one line for each endpoint.
func lines() []string {
	var all []string
	for line := range strings.Lines(strings.TrimSpace(documented)) {
		all = append(all, strings.Join(strings.Fields(line), " "))
	}
	return all
}

// The endpoint table equals that of the interface document, in its order.
func TestEndpoints(t *testing.T) {
	var got []string
	for _, e := range Endpoints() {
		line := e.Section + " " + e.Method + " " + e.Path + " " + strconv.Itoa(e.Weight.IP)
		if e.Weight.UID > 0 {
			line += " / " + strconv.Itoa(e.Weight.UID)
		}
		got = append(got, line)
		number, _ := strconv.Atoi(strings.TrimPrefix(e.Section, "4."))
		order := number >= 7 && number <= 10 || number == 13
		if e.Signed != (number >= 7) || e.Reading == order || e.Affiliate != (number >= 17) || e.Contract != strings.HasPrefix(e.Path, "/capi/") {
			t.Errorf("%+v", e)
		}
	}
	if diff := cmp.Diff(append([]string{" GET /api/v2/public/time 1"}, lines()...), got); diff != "" {
		t.Error(diff)
	}
}

// Exactly one method of the client calls each documented endpoint, and its comment names
// section, method, path and weight as the document does.
func TestEveryEndpointHasItsMethod(t *testing.T) {
	var got []string
	for _, m := range methods(t) {
		var meta string
		for line := range strings.Lines(m.Doc.Text()) {
			if text := strings.TrimSpace(line); strings.HasPrefix(text, "4.") {
				meta = strings.Replace(text, ", weight", "", 1)
				got = append(got, meta)
			}
		}
		var called []string
		ast.Inspect(m.Body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && strings.HasPrefix(id.Name, "endpoint") && id.Name != "endpoint" && id.Name != "endpointNamed" {
				called = append(called, id.Name)
			}
			return true
		})
		iterator := strings.HasPrefix(m.Name.Name, "All")
		if len(called) > 0 && meta == "" && !iterator && m.Name.Name != "ServerTime" {
			t.Errorf("%s calls %v and its comment does not name the endpoint", m.Name.Name, called)
		}
		if meta == "" {
			continue
		}
		if len(called) != 1 || !strings.HasPrefix(meta, constants(t)[called[0]]+" ") {
			t.Errorf("%s calls %v, and its comment says %q", m.Name.Name, called, meta)
		}
	}
	want := lines()
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// methods returns the exported methods of Client from the source.
func methods(t *testing.T) (all []*ast.FuncDecl) {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil || len(names) < 10 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range tree.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil || !f.Name.IsExported() {
				continue
			}
			if star, ok := f.Recv.List[0].Type.(*ast.StarExpr); ok && fmt.Sprint(star.X) == "Client" {
				all = append(all, f)
			}
		}
	}
	return all
}

// constants maps the constant of each endpoint's name to its section.
func constants(t *testing.T) map[string]string {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), "endpoints.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	ast.Inspect(tree, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 || !strings.HasPrefix(spec.Names[0].Name, "endpoint") {
			return true
		}
		if value, ok := spec.Values[0].(*ast.BasicLit); ok {
			name, err := strconv.Unquote(value.Value)
			if err != nil {
				t.Fatal(err)
			}
			sections[spec.Names[0].Name] = endpointNamed(name).Section
		}
		return true
	})
	return sections
}

func TestEndpointsIsACopy(t *testing.T) {
	Endpoints()[0].Path = "/elsewhere"
	if Endpoints()[0].Path == "/elsewhere" {
		t.Error("a caller can change the table")
	}
}

func TestUnknownEndpointPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	endpointNamed("no such")
}

func TestWeightLarger(t *testing.T) {
	if got := (exchange.Weight{IP: 2, UID: 5}).Larger(); got != 5 {
		t.Errorf("the larger of 2 and 5 is %d", got)
	}
}
