package api_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/shopspring/decimal"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	api "rebatedesk/client"
	"rebatedesk/internal/golden"
	"rebatedesk/web"
)

// The description in the repository, of which the client is made, is that of the server.
// make golden writes it anew.
func TestDescriptionIsCommitted(t *testing.T) {
	t.Parallel()
	text, err := site.OpenSite(t, site.Everything()).Server.Description()
	if err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, "../../../client/openapi.json", append(text, '\n'))
}

// overHTTP serves a site with a user, and returns its address, a token of the scope, and how
// many answers had no body.
func overHTTP(t *testing.T, o *site.Site, role access.Role, scope access.Scope) (address, token string, unchanged *atomic.Int64) {
	t.Helper()
	o.AddUser("pia", role)
	token, _, err := o.Access.CreateToken(t.Context(), site.Command, access.NewToken{User: "pia", Name: "client", Scopes: []access.Scope{scope}})
	if err != nil {
		t.Fatal(err)
	}
	behind, err := url.Parse(o.Address)
	if err != nil {
		t.Fatal(err)
	}
	unchanged = new(atomic.Int64)
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(behind) }, ModifyResponse: func(a *http.Response) error {
		if a.StatusCode == http.StatusNotModified {
			unchanged.Add(1)
		}
		return nil
	}}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	return server.URL, token, unchanged
}

// The generated client reads what the simulator's ledger has, through the real server.
func TestClientReadsTheLedger(t *testing.T) {
	t.Parallel()
	shared := site.OpenSharedSite(t)
	o := site.OpenSite(t, web.Options{Reports: shared.Service})
	address, token, unchanged := overHTTP(t, o, access.Viewer, access.ScopeRead)
	c, err := api.New(address, token, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Keep(10)
	asked := api.CommissionsQuery{From: "2026-11-01", To: "2026-11-14", Sort: "time"}
	whole, err := c.Commissions(t.Context(), asked)
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]decimal.Decimal{}
	asked.Limit = 100
	n := 0
	for row, err := range c.EachCommissions(t.Context(), asked) {
		if err != nil {
			t.Fatal(err)
		}
		if row.Coin == nil || *row.Coin != *whole.Rows[n].Coin || *row.DealTimeMS != *whole.Rows[n].DealTimeMS {
			t.Fatalf("row %d is %+v, and that of the whole list is %+v", n, row, whole.Rows[n])
		}
		sums[*row.Coin] = sums[*row.Coin].Add(row.Commission.Decimal)
		n++
	}
	if n != len(whole.Rows) || n < 300 {
		t.Errorf("%d rows in parts, %d at once", n, len(whole.Rows))
	}
	for _, sum := range whole.Sums {
		if !sum.Commission.Equal(sums[sum.Coin]) {
			t.Errorf("commission in %s: %s, and its rows add up to %s", sum.Coin, sum.Commission, sums[sum.Coin])
		}
		delete(sums, sum.Coin)
	}
	if len(sums) > 0 {
		t.Errorf("no sum for %v", sums)
	}
	if _, err := c.Overview(t.Context(), api.OverviewQuery{Range: "7d"}); err != nil {
		t.Error(err)
	}
	before := unchanged.Load()
	again, err := c.Overview(t.Context(), api.OverviewQuery{Range: "7d"})
	if err != nil || len(again.Rows) == 0 || unchanged.Load() != before+1 {
		t.Errorf("an unchanged answer: %d rows, %d answers without a body (%v)", len(again.Rows), unchanged.Load()-before, err)
	}
}

// Problems that the server reports are errors with their kind and the valid values.
func TestClientProblems(t *testing.T) {
	t.Parallel()
	shared := site.OpenSharedSite(t)
	o := site.OpenSite(t, web.Options{Reports: shared.Service})
	address, token, _ := overHTTP(t, o, access.Viewer, access.ScopeRead)
	problemOf := func(token string, ask func(c *api.Client) error) *api.Problem {
		c, err := api.New(address, token, nil)
		if err != nil {
			t.Fatal(err)
		}
		problem, ok := errors.AsType[*api.Problem](ask(c))
		if !ok {
			t.Fatal("no problem")
		}
		return problem
	}
	wrong := problemOf(token, func(c *api.Client) error {
		_, err := c.Commissions(t.Context(), api.CommissionsQuery{Product: []string{"TULIPS"}})
		return err
	})
	if wrong.Status != 400 || wrong.Name() != "parameter" || wrong.Parameter != "product" || len(wrong.Allowed) < 2 || wrong.Instance == "" {
		t.Errorf("a wrong product: %+v", wrong)
	}
	if p := problemOf("rbd_wrong", func(c *api.Client) error { _, err := c.Codes(t.Context(), api.CodesQuery{}); return err }); p.Status != 401 || p.Name() != "not-signed-in" {
		t.Errorf("a wrong token: %+v", p)
	}
	if p := problemOf(token, func(c *api.Client) error {
		_, err := c.PaymentsBills(t.Context(), api.PaymentsBillsQuery{})
		return err
	}); p.Status != 403 || p.Name() != "forbidden" {
		t.Errorf("bills for a viewer: %+v", p)
	}
	for _, address := range []string{"", "desk.example.com", "ftp://desk.example.com"} {
		if _, err := api.New(address, token, nil); err == nil {
			t.Errorf("%q is taken for the address of a server", address)
		}
	}
}
