package console_test

import (
	"encoding/csv"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"rebatedesk/acceptance/site"
	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/reports"
	"rebatedesk/web"
)

// The progress of a long range advances by itself and gives way to the range. The bills of the file, and the
// sums per coin and kind of the file and of the page, are those of the exchange's ledger.
func TestBrowserRangeOfBills(t *testing.T) {
	site.AllBrowsers(t, "TestConsoleRanges compares the same files and sums, and the exchange answers slowly here")
	t.Parallel()
	f := site.OpenTrading(t, nil, simulator.FaultRule{Fault: simulator.Slow, Path: "/account/bills", Every: 1, Delay: 2500 * time.Millisecond})
	// Nothing is collected: every record comes from the exchange.
	address, _ := site.Serve(t, web.Options{Reports: reports.New(f.Store, f.Now), Access: f.Access, Console: &site.ConsoleExchange{Upstream: f.Client}, Trading: f.Desk})
	b := site.OpenTrader(t, address, f.Code(f.Secret))
	b.Do(chromedp.Navigate(address + "/console/transfers?range=90d"))
	b.Press(`main a[href^="/console/bills"]`)
	b.Arrives(`location.pathname === "/console/bills"`)
	b.Press("#range-menu")
	b.Press(`a.option[href*="range=90d"]`)
	b.Until(`location.search.includes("range=90d") && document.querySelector("#reading-now progress") !== null`)
	site.Eval[bool](b, `shares = [document.querySelector("#reading-now progress").value], new MutationObserver(() => {
		const bar = document.querySelector("#reading-now progress");
		if (bar !== null && shares.at(-1) !== bar.value) shares.push(bar.value);
	}).observe(document.getElementById("history"), { childList: true, subtree: true }), true`)
	b.Shoot("bills-progress")
	b.Until(`document.getElementById("sums-title") !== null && document.querySelector("progress") === null`)
	shares := site.Eval[[]float64](b, "shares")
	if len(shares) < 2 || !slices.IsSorted(shares) || shares[len(shares)-1] > 100 {
		t.Errorf("the progress went through %v percent", shares)
	}

	// sums are by coin and kind, as "USDT rr_agent_reward".
	sums, amounts := map[string]*affiliate.Sum{}, map[string]affiliate.Number{}
	add := func(to map[string]*affiliate.Sum, key string, n affiliate.Number) {
		if to[key] == nil {
			to[key] = &affiliate.Sum{}
		}
		to[key].Add(n)
	}
	for _, bill := range f.Sim.Ledger().Bills {
		if bill.Wallet == affiliate.SpotWallet {
			add(sums, string(bill.Coin)+" "+string(bill.Business), bill.Amount)
			amounts[bill.ID] = bill.Amount
		}
	}
	name, content := b.Saves(`#sheet a[download]`)
	if !regexp.MustCompile(`^bills-main-\d{8}T\d{6}Z\.csv$`).MatchString(name) {
		t.Errorf("the file is named %q", name)
	}
	lines, err := csv.NewReader(strings.NewReader(content)).ReadAll()
	if err != nil || len(lines)-1 != len(amounts) || len(sums) < 3 {
		t.Fatalf("the file has %d bills, the ledger %d of %d coins and kinds (%v)", len(lines)-1, len(amounts), len(sums), err)
	}
	at := func(column string) int { return slices.Index(lines[0], column) }
	filed := map[string]*affiliate.Sum{}
	for _, line := range lines[1:] {
		id, change := line[at("bill_id")], affiliate.Number(line[at("delta_amount")])
		if booked, ok := amounts[id]; !ok || booked.Cmp(change) != 0 {
			t.Errorf("bill %s of %s is in the file once too often, or is %q in the ledger", id, change, booked)
		}
		delete(amounts, id)
		add(filed, line[at("coin")]+" "+line[at("biz_type")], change)
	}
	shown := site.Eval[map[string]string](b, `Object.fromEntries([...document.querySelectorAll("[aria-labelledby=sums-title] tbody tr")].map(row =>
		[row.querySelector("th").textContent.trim() + " " + row.querySelector("[data-raw]").dataset.raw, row.lastElementChild.querySelector("[title]")?.title ?? row.lastElementChild.textContent.trim()]))`)
	if len(shown) != len(sums) || len(filed) != len(sums) {
		t.Errorf("the page has %d sums, the file %d, the ledger %d", len(shown), len(filed), len(sums))
	}
	for key, sum := range sums {
		if filed[key] == nil || filed[key].String() != sum.String() || shown[key] != affiliate.Grouped(sum.String()) {
			t.Errorf("%s: %s in the ledger, %s on the page, %v in the file", key, sum, shown[key], filed[key])
		}
	}
	b.Shoot("bills-range")
	b.Accessible()
	// The bar of trading refreshes itself alone, but its link replaces the page.
	b.Look(site.Phone)
	b.Press(`#trading-bar a[href="/console/orders"]`)
	b.Until(`document.querySelector("main h1").textContent === "Orders"`)
}

// A link in a part of a page that refreshes itself leads to its page as any other link does.
func TestBrowserLinksOfRefreshedParts(t *testing.T) {
	t.Parallel()
	o := site.OpenSharedSite(t)
	b := site.Open(t, o.Address+"/commissions?range=all", site.Desktop)
	const link, only = `#figures tbody a[href^="/invitees/"]`, `#rows .reason a[href*="uid="]:not([href^="/changes"])`
	b.Until(`document.querySelector('` + link + `') !== null`)
	b.Press("#rows tbody:not(.totals) summary")
	b.Press(only)
	b.Until(`document.getElementById("filter-uid").value !== "" && location.search.includes("uid=" + document.getElementById("filter-uid").value)`)
	b.Press(link)
	b.Until(`location.pathname.startsWith("/invitees/") && document.querySelector("main h1").textContent.startsWith("Invitee ")`)
}
