package money_test

import (
	"bytes"
	"encoding/csv"
	"html"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/exchange/weex/simulator/programme"
	"rebatedesk/reports"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/export"
	"rebatedesk/reports/query"
	"rebatedesk/reports/rates"
	"rebatedesk/store"
	"rebatedesk/store/agreements"
	"rebatedesk/store/audit"
	"rebatedesk/terms"
)

// ratesRows returns the rows of a CSV file by the names of their columns.
func ratesRows(t testing.TB, file string) (rows []map[string]string) {
	t.Helper()
	lines, err := csv.NewReader(strings.NewReader(file)).ReadAll()
	if err != nil || len(lines) == 0 {
		t.Fatalf("the file is %q: %v", file, err)
	}
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// differences adds up the differences of the rows that a test wants, by coin.
func differences(t testing.TB, rows []map[string]string, wanted func(map[string]string) bool) map[affiliate.Coin]decimal.Decimal {
	t.Helper()
	sums := map[affiliate.Coin]decimal.Decimal{}
	for _, row := range rows {
		if wanted(row) {
			d, err := decimal.NewFromString(row["difference"])
			if err != nil {
				t.Fatal(err)
			}
			coin := affiliate.Coin(row["coin"])
			sums[coin] = sums[coin].Add(d)
		}
	}
	return sums
}

// ratesAsked returns the query of the page's parameters.
func ratesAsked(t testing.TB, service *reports.Service, values url.Values) query.Query {
	t.Helper()
	basis, err := service.Basis(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	basis.AcceptedParams = rates.Accepted
	q, err := query.Parse(values, basis)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

var findingRow = regexp.MustCompile(`(?s)<tr id="finding-([^"]+)".*?</tr>`)

// With terms, the page names in words what was underpaid and overpaid: what the file and the
// export add up to. A finding links to exactly its records and to its invitee.
func TestRatesAgainstTerms(t *testing.T) {
	t.Parallel()
	p := site.OpenPaid(t)
	v := p.As("mia", access.Manager)
	if page := v.Get("/rates?range=30d").Body; !strings.Contains(page, "No agreed rates are stored") || !strings.Contains(page, `href="/rates/terms"`) {
		t.Error("the page does not say that no terms are stored")
	}
	file, err := terms.Parse(t.Context(), []byte("scope,value,product_type,rate,from,to,source\nall,,,0.3,2026-01-01,,direct\n"))
	if err == nil {
		_, err = agreements.ImportTerms(t.Context(), p.Store, file, "terms.csv", store.AnyVersion, audit.Line{Actor: "ann"})
	}
	if err != nil {
		t.Fatal(err)
	}
	page := v.Get("/rates?range=30d")
	text := v.Get("/rates.csv?range=30d").Body
	rows := ratesRows(t, text)
	said := site.Said(page.Body, "answer")
	for verb, over := range map[string]bool{"underpaid by ": false, "overpaid by ": true} {
		sums := differences(t, rows, func(row map[string]string) bool {
			return row["term"] != "" && !slices.Contains([]string{"", "0", row["agreed_rate"]}, row["paid_rate"]) && strings.HasPrefix(row["difference"], "-") != over
		})
		_, part, found := strings.Cut(strings.ToLower(said), verb)
		part, _, _ = strings.Cut(part, "against the agreed rates")
		if !found || len(sums) == 0 {
			t.Errorf("nothing is %s of %d rows: %q", verb, len(rows), said)
		}
		for coin, sum := range sums {
			if want := strings.ToLower((affiliate.Amount{Value: sum.Abs(), Coin: coin}).String()); !strings.Contains(part, want) {
				t.Errorf("%s%s, says the file, and the page %q", verb, want, said)
			}
		}
	}
	service := reports.New(p.Store, p.Now)
	written, err := service.OpenExport(t.Context(), rates.File, ratesAsked(t, service, url.Values{"range": {"30d"}}))
	if err != nil {
		t.Fatal(err)
	}
	defer written.Close()
	var exported bytes.Buffer
	if _, err := written.Write(t.Context(), &exported, export.CSV); err != nil || exported.String() != text {
		t.Errorf("the export has %d bytes, the file of the page %d: %v", exported.Len(), len(text), err)
	}
	people := 0
	for _, row := range findingRow.FindAllStringSubmatch(page.Body, -1) {
		links := regexp.MustCompile(`href="(/[^"]+)"`).FindAllStringSubmatch(row[0], -1)
		if len(links) < 2 {
			t.Fatalf("a finding has the links %v", links)
		}
		pack := "/rates/finding.zip?finding=" + row[1]
		for _, link := range links {
			if link[1] == pack {
				pack = "" // the packs have tests of their own
				continue
			}
			if a := v.Get(html.UnescapeString(link[1])); a.StatusCode != 200 {
				t.Errorf("%s: status %d", link[1], a.StatusCode)
			}
			if strings.HasPrefix(link[1], "/invitees/") {
				people++
			}
		}
		if pack != "" {
			t.Errorf("a finding does not lead to its pack %s", pack)
		}
		if people > 1 {
			break
		}
	}
	if people == 0 {
		t.Error("no finding leads to its invitee")
	}
	for _, bad := range []string{"range=never", "x=1", "sort=colour", "page=9999", "as_of=soon", "uid=%3Cb%3E", "compare=previous"} {
		for _, path := range []string{"/rates", "/rates.csv"} {
			if path == "/rates.csv" && strings.HasPrefix(bad, "page") {
				continue
			}
			if a := v.Get(path + "?" + bad); a.StatusCode != 400 {
				t.Errorf("%s?%s: status %d", path, bad, a.StatusCode)
			}
		}
	}
}

// Without terms, a rate that is lowered is one finding, from its first record on and with its exact
// cost. The page, the invitee's page and the page of what needs attention name the same amount.
func TestRatesThatChange(t *testing.T) {
	t.Parallel()
	m := newMarketOf(t, "UTC", time.Date(2026, time.September, 15, 10, 30, 0, 0, time.UTC), simulator.Options{Seed: 8, Days: 90, Invitees: 30, Records: 4000})
	today := affiliate.DayOf(m.now(), m.zone)
	from := (today - 12).Start(m.zone).Add(11 * time.Hour)
	counts, since := map[affiliate.UID]int{}, map[affiliate.UID]int{}
	before := m.sim.Ledger().Commissions
	var uid affiliate.UID
	for _, c := range before {
		if c.Source == affiliate.Direct {
			if counts[c.UID]++; c.DealTime >= affiliate.MillisOf(from) {
				since[c.UID]++
			}
			if min(counts[c.UID], 5*since[c.UID]) > min(counts[uid], 5*since[uid]) {
				uid = c.UID
			}
		}
	}
	m.sim.SetRate(programme.RateStep{From: from, Rate: 500, UID: uid})
	m.collect()
	report, err := reports.Ask(t.Context(), m.Service, ratesAsked(t, m.Service, url.Values{"range": {"30d"}, "uid": {string(uid)}}), rates.Make)
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Deviations) != 1 {
		t.Fatalf("%d findings about %s, with %d records since %s: %+v", len(report.Deviations), uid, since[uid], from, report.Deviations)
	}
	d := report.Deviations[0]
	cost, first := map[affiliate.Coin]*big.Rat{}, affiliate.Millis(0)
	for _, c := range before {
		if c.UID != uid || c.DealTime < affiliate.MillisOf(from) {
			continue
		}
		if first == 0 || c.DealTime < first {
			first = c.DealTime
		}
		if cost[c.Coin] == nil {
			cost[c.Coin] = new(big.Rat)
		}
		cost[c.Coin].Sub(cost[c.Coin], new(big.Rat).Mul(m.rat(c.Fee), m.rat(c.Rate)))
	}
	for _, c := range m.sim.Ledger().Commissions {
		if c.UID == uid && c.DealTime >= affiliate.MillisOf(from) {
			cost[c.Coin].Add(cost[c.Coin], m.rat(c.Commission))
		}
	}
	if !d.Break || d.Over || d.From != first || d.Days.First != affiliate.DayOf(first.Time(), m.zone) {
		t.Errorf("the finding is of %s from %s, not from %s: %+v", d.Value, d.From, first, d)
	}
	for _, c := range d.Costs {
		if m.rat(affiliate.Number(c.Difference.String())).Cmp(cost[c.Coin]) != 0 {
			t.Errorf("it costs %s %s, not %s", c.Difference, c.Coin, cost[c.Coin].FloatString(18))
		}
	}
	most := d.Costs[0]
	for _, c := range d.Costs {
		if c.Coin == "USDT" {
			most = c
		}
	}
	amount := affiliate.Amount{Value: most.Difference.Abs(), Coin: most.Coin}.String()
	for path, want := range map[string]string{
		"/rates?range=30d&uid=" + string(uid):     "lost to rates that changed",
		"/invitees/" + string(uid) + "?range=30d": "lost to rates that changed",
		"/attention": "changed",
		"/rates?range=30d&q=" + string(uid) + "&x=1": "",
	} {
		a := site.Get(t, m.address+path)
		if want == "" {
			if a.StatusCode != 400 {
				t.Errorf("%s: status %d", path, a.StatusCode)
			}
			continue
		}
		if words := site.WordsOf(a.Body); a.StatusCode != 200 || !strings.Contains(words, want) || !strings.Contains(words, amount) {
			t.Errorf("%s: status %d, without %q or %q", path, a.StatusCode, amount, want)
		}
	}
}

// A page without records says why.
func TestRatesEmptyStates(t *testing.T) {
	t.Parallel()
	shown := site.NothingShown(t)
	for kind, says := range map[coverage.EmptyKind]string{
		coverage.EmptyNotCollected: "Not collected yet",
		coverage.EmptyFailed:       "The collection of these days failed",
		coverage.EmptyTruly:        "No commission",
		coverage.EmptyFiltered:     "match",
	} {
		a := site.Get(t, shown[kind].Address+"/rates"+shown[kind].Query)
		if a.StatusCode != 200 || strings.Contains(a.Body, `id="answer"`) || strings.Contains(a.Body, `id="rows"`) || !strings.Contains(a.Body, says) {
			t.Errorf("%s: status %d, %s", kind, a.StatusCode, site.WordsOf(a.Body))
		}
	}
}
