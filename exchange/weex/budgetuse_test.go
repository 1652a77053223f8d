package weex

import (
	"rebatedesk/exchange"

	"fmt"
	"net/http"
	"strconv"
	"testing"
)

// The budget learns from the headers of an answer.
func TestUsedWeightHeaders(t *testing.T) {
	budget := exchange.NewBudget(400)
	for i, headers := range [][2]string{{"", ""}, {" 300 ", "200"}, {"many", "-3"}, {"", "0"}} {
		f := serve(t, withHeaders(headers))
		if _, err := dial(t, f, func(c *exchange.Config) { c.Budget = budget }).Commissions(t.Context(), CommissionQuery{}); err != nil {
			t.Fatal(err)
		}
		if got, want := strconv.Itoa(budget.State().Used), []string{"20", "300", "320", "400"}[i]; got != want {
			t.Errorf("after %q: %s used, want %s", fmt.Sprint(headers), got, want)
		}
	}
}

// Clients of one account share its count, with any keys. A key without an account has a
// separate count, which is not shown.
func TestAccountsOfClients(t *testing.T) {
	f := serve(t, says(http.StatusOK, goodPage))
	budget := exchange.NewBudget(1000)
	for _, change := range []func(*exchange.Config){
		func(c *exchange.Config) { c.Account = "main" },
		func(c *exchange.Config) { c.Account, c.Key = "main", "another-key" },
		func(*exchange.Config) {},
	} {
		c := dial(t, f, change, func(c *exchange.Config) { c.Budget = budget })
		if _, err := c.Commissions(t.Context(), CommissionQuery{}); err != nil {
			t.Fatal(err)
		}
	}
	s := budget.State()
	if s.Users["main"] != 40 || len(s.Users) != 2 || s.Used != 60 {
		t.Errorf("%+v", s)
	}
	assertNoCanary(t, fmt.Sprint(s.Users))
}
