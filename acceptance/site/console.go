package site

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
	"rebatedesk/exchange/weex"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/store"
	"rebatedesk/store/storetest"
	"rebatedesk/trading"
	"rebatedesk/web"
)

// ConsoleExchange is an exchange behind the console, as the account named main.
type ConsoleExchange struct {
	Upstream *weex.Client // nil: no account is configured
	Marked   []string
}

func (c *ConsoleExchange) Names() []affiliate.Account {
	if c.Upstream == nil {
		return nil
	}
	return []affiliate.Account{"main"}
}

func (c *ConsoleExchange) Client(account affiliate.Account) (*weex.Client, bool) {
	return c.Upstream, c.Upstream != nil && account == "main"
}

func (c *ConsoleExchange) Favourites(context.Context, string) ([]string, error) { return c.Marked, nil }

func (c *ConsoleExchange) SetFavourite(_ context.Context, _, pair string, on bool) error {
	c.Marked = slices.DeleteFunc(c.Marked, func(p string) bool { return p == pair })
	if on {
		c.Marked = append(c.Marked, pair)
	}
	return nil
}

// StartExchange starts a simulated exchange with a stopped clock, so that it answers
// equal requests with equal data.
func StartExchange(t testing.TB, o simulator.Options) (*simulator.Server, *weex.Client) {
	t.Helper()
	return StartExchangeWithin(t, o, 1<<30)
}

// StartExchangeWithin starts one whose client keeps within a request budget.
func StartExchangeWithin(t testing.TB, o simulator.Options, budget int) (*simulator.Server, *weex.Client) {
	t.Helper()
	o.Seed, o.Days, o.Invitees, o.Records, o.RateLimit = 7, 40, 20, 300, -1
	if o.Now == nil {
		o.Now = ClockAtNow
	}
	sim, err := simulator.Listen("127.0.0.1:0", o)
	if err != nil {
		t.Fatal(err)
	}
	client, err := weex.New(exchange.Config{
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

// ConsoleSite is a site with a console and a user who may trade. Its programs hold a token
// of each scope.
type ConsoleSite struct {
	*Site
	Sim      *simulator.Server
	Upstream *weex.Client
	Desk     *trading.Desk
	Browser  *Visitor
}

func OpenConsole(t testing.TB, o simulator.Options) *ConsoleSite {
	t.Helper()
	c := &ConsoleSite{}
	c.Sim, c.Upstream = StartExchange(t, o)
	c.Desk = OpenDesk(t, trading.Options{Mode: trading.Live}, c.Upstream)
	c.Site = OpenSite(t, web.Options{Console: &ConsoleExchange{Upstream: c.Upstream}, Trading: c.Desk})
	c.AddUser("theo", access.Trader)
	c.Browser = c.SignedInAs("theo")
	c.Enrol(c.Browser)
	c.Browser.Get("/account")
	return c
}

// OpenDesk opens an order desk that sends to one account, on a separate store unless there is one.
func OpenDesk(t testing.TB, o trading.Options, client *weex.Client) *trading.Desk {
	t.Helper()
	if o.Now == nil {
		o.Now = ClockAtNow
	}
	if o.Store == nil {
		o.Store = OpenDeskStore(t, o.Now)
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

func OpenDeskStore(t testing.TB, now func() time.Time) *store.Store {
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

// Program returns a program that holds a token with the given scopes.
func (c *ConsoleSite) Program(scopes ...access.Scope) *Visitor {
	c.Helper()
	text, _, err := c.Access.CreateToken(context.Background(), Command, access.NewToken{User: "theo", Name: fmt.Sprint(scopes), Scopes: scopes})
	if err != nil {
		c.Fatal(err)
	}
	return c.Visitor("Authorization", "Bearer "+text)
}
