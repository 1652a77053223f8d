package acceptance_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/simulator"
	"rebatedesk/store"
	"rebatedesk/store/storetest"
	"rebatedesk/trading"
	"rebatedesk/web"
)

// consoleExchange is an exchange behind the console, as the account named main.
type consoleExchange struct {
	client *exchange.Client // nil: no account is configured
	marked []string
}

func (c *consoleExchange) Names() []affiliate.Account {
	if c.client == nil {
		return nil
	}
	return []affiliate.Account{"main"}
}

func (c *consoleExchange) Client(account affiliate.Account) (*exchange.Client, bool) {
	return c.client, c.client != nil && account == "main"
}

func (c *consoleExchange) Favourites(context.Context, string) ([]string, error) { return c.marked, nil }

func (c *consoleExchange) SetFavourite(_ context.Context, _, pair string, on bool) error {
	c.marked = slices.DeleteFunc(c.marked, func(p string) bool { return p == pair })
	if on {
		c.marked = append(c.marked, pair)
	}
	return nil
}

// startExchange starts a simulated exchange with a stopped clock, so that it answers
// equal requests with equal data.
func startExchange(t testing.TB, o simulator.Options) (*simulator.Server, *exchange.Client) {
	t.Helper()
	return startExchangeWithin(t, o, 1<<30)
}

// startExchangeWithin starts one whose client keeps within a request budget.
func startExchangeWithin(t testing.TB, o simulator.Options, budget int) (*simulator.Server, *exchange.Client) {
	t.Helper()
	o.Seed, o.Days, o.Invitees, o.Records, o.RateLimit = 7, 40, 20, 300, -1
	if o.Now == nil {
		o.Now = clockAtNow
	}
	sim, err := simulator.Listen("127.0.0.1:0", o)
	if err != nil {
		t.Fatal(err)
	}
	client, err := exchange.New(exchange.Config{
		BaseURL: sim.BaseURL, ContractBaseURL: sim.ContractBaseURL, Key: exchange.Secret(sim.APIKey),
		Secret: exchange.Secret(sim.APISecret), Passphrase: exchange.Secret(sim.APIPassphrase),
		Budget: exchange.NewBudget(budget), Now: o.Now, Tries: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.Close()
		if err := sim.Close(); err != nil {
			t.Error(err)
		}
	})
	return sim, client
}

// consoleSite is a site with a console and a user who may trade. Its programs hold a token
// of each scope.
type consoleSite struct {
	*site
	sim     *simulator.Server
	client  *exchange.Client
	desk    *trading.Desk
	browser *visitor
}

func openConsole(t testing.TB, o simulator.Options) *consoleSite {
	t.Helper()
	c := &consoleSite{}
	c.sim, c.client = startExchange(t, o)
	c.desk = openDesk(t, trading.Options{Mode: trading.Live}, c.client)
	c.site = openSite(t, web.Options{Console: &consoleExchange{client: c.client}, Trading: c.desk})
	c.addUser("theo", access.Trader)
	c.browser = c.signedInAs("theo")
	c.enrol(c.browser)
	c.browser.get("/account")
	return c
}

// openDesk opens an order desk that sends to one account, on a separate store unless there is one.
func openDesk(t testing.TB, o trading.Options, client *exchange.Client) *trading.Desk {
	t.Helper()
	if o.Now == nil {
		o.Now = clockAtNow
	}
	if o.Store == nil {
		o.Store = openDeskStore(t, o.Now)
	}
	o.Accounts = func(name affiliate.Account) (trading.Venue, bool) {
		return trading.Venue{Reader: client, Sender: client}, name == "main"
	}
	desk, err := trading.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return desk
}

func openDeskStore(t testing.TB, now func() time.Time) *store.Store {
	t.Helper()
	kept, err := store.Open(context.Background(), storetest.Empty(t), store.Options{AuditKey: bytes.Repeat([]byte{7}, 32), Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := kept.Close(); err != nil {
			t.Error(err)
		}
	})
	return kept
}

// program returns a program that holds a token with the given scopes.
func (c *consoleSite) program(scopes ...access.Scope) *visitor {
	c.Helper()
	text, _, err := c.access.CreateToken(context.Background(), command, access.NewToken{User: "theo", Name: fmt.Sprint(scopes), Scopes: scopes})
	if err != nil {
		c.Fatal(err)
	}
	return c.visitor("Authorization", "Bearer "+text)
}

// median returns the median of durations.
func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}
