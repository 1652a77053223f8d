package site

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"rebatedesk/access"
	"rebatedesk/exchange/weex/simulator"
	prices "rebatedesk/market"
	"rebatedesk/store"
	"rebatedesk/store/storetest"
	"rebatedesk/trading"
	"rebatedesk/web"
)

// OpenCharts opens a trading site whose prices run and are kept, so that its pages have charts.
func OpenCharts(t *testing.T) *TradingSite {
	t.Helper()
	f := &TradingSite{}
	now := func() time.Time { return time.Now().Add(time.Duration(f.Ahead.Load())) }
	f.Sim, f.Client = StartExchange(t, simulator.Options{Now: now})
	f.Desk = OpenDesk(t, trading.Options{Mode: trading.Live, Now: now}, f.Client)
	kept, err := store.Open(context.Background(), storetest.Empty(t), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	console := &ConsoleExchange{Upstream: f.Client}
	t.Cleanup(func() {
		if err := kept.Close(); err != nil {
			t.Error(err)
		}
	})
	feed := OpenFeed(t, prices.Options{Accounts: console.Names, Client: console.Client, Store: kept, Now: now})
	f.Site = OpenSite(t, web.Options{Console: console, Trading: f.Desk, Market: feed})
	f.AddUser("theo", access.Trader)
	f.Theo = f.SignedInAs("theo")
	f.Secret, _ = f.Enrol(f.Theo)
	return f
}

// OpenTrader opens a wide window in which theo, a trader, has signed in with both factors.
func OpenTrader(t *testing.T, address, code string) *Tab {
	t.Helper()
	b := OpenApart(t, address+"/login", Desktop)
	b.ComeIn(address, "theo", LongWord)
	b.Fill("totp", code)
	b.Do(chromedp.KeyEvent(kb.Enter))
	b.Arrives(`location.pathname === "/account"`)
	return b
}
