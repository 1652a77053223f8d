package people_test

import (
	"cmp"
	"fmt"
	"html"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/query"
	"rebatedesk/store/records"
)

// Every record of a simulated programme tells why it brought what it did. The programme has
// vouchers, a zero-fee pair, twins, clients of sub-agents and uplines with the same rate; the
// test finds them in all records on its own.
func TestReasonsOfRecords(t *testing.T) {
	t.Parallel()
	service := site.Season(t)
	var rows []records.CommissionRow
	var reasons []commissions.Reason
	for page, pages := 1, 1; page <= pages; page++ {
		basis, err := service.Basis(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		basis.AcceptedParams = query.AcceptedParams{Sorts: commissions.Sorts, Order: query.Sort{Field: "commission"}}
		q, err := query.Parse(url.Values{"range": {"all"}, "per": {"500"}, "page": {fmt.Sprint(page)}}, basis)
		if err != nil {
			t.Fatal(err)
		}
		list, err := reports.Ask(t.Context(), service, q, commissions.Make)
		if err != nil {
			t.Fatal(err)
		}
		rows, reasons, pages = append(rows, list.Rows...), append(reasons, list.Reasons...), list.Pages
	}
	truth := reasonTruth{rows: rows, fees: map[string]bool{}, equal: map[affiliate.Commission]int{}}
	for _, row := range rows {
		truth.equal[row.Key()]++
		if !row.Fee.IsZero() {
			truth.fees[row.Symbol] = true
		}
	}
	found := map[commissions.Cause]int{}
	for i, row := range rows {
		got := reasons[i]
		for _, cause := range got.Causes {
			found[cause]++
		}
		want := truth.of(row)
		if have := fmt.Sprint(got.Causes, got.Usual.Having, got.Usual.Of); have != want {
			t.Fatalf("%+v: %s, want %s", row, have, want)
		}
	}
	for _, cause := range []commissions.Cause{commissions.CauseVoucher, commissions.CauseZeroFeePair, commissions.CauseTwin, commissions.CauseUpline, commissions.CauseSubAgent} {
		if found[cause] == 0 {
			t.Errorf("no record shows %q: %v", cause, found)
		}
	}

	page := site.Get(t, site.LookedAt(t)+"/commissions?range=all&per=500").Body
	for _, words := range []string{"voucher?", "zero-fee pair", "twin", "as usual for this invitee on Futures", "Others paid a fee in this pair"} {
		if !strings.Contains(page, words) {
			t.Errorf("the page of records does not say %q", words)
		}
	}
	for _, words := range []string{"× rebate rate ", "Volume: taker ", "Unchanged since it was first read on "} {
		if strings.Count(page, words) != len(rows) && len(rows) <= 500 {
			t.Errorf("%d of %d records say %q", strings.Count(page, words), len(rows), words)
		}
	}
}

var (
	rowStart   = regexp.MustCompile(`<tr>\s*(?:<td|<th scope="row")`)
	codeLinks  = regexp.MustCompile(`href="(/(?:commissions|invitees)\?[^"]*code=([^"&]+)[^"]*)"`)
	uidLinks   = regexp.MustCompile(`href="(/commissions\?[^"]*uid=([0-9]+)[^"]*)"`)
	historyRef = regexp.MustCompile(`href="(/changes\?[^"]*uid=([0-9]+)[^"]*)">History`)
	rowLinks   = regexp.MustCompile(`<th scope="row"[^>]*>\s*<a class="text-link" href="(/commissions\?[^"]*symbol=([^"&]+)[^"]*)"`)
)

// A row leads to what it is made of, narrowed to it: a code to its records and its invitees, an
// invitee to their records, a row of a pivot table to its records, and a record to its history.
func TestRowsLeadToTheirOwn(t *testing.T) {
	t.Parallel()
	address := site.LookedAt(t)
	for _, c := range []struct {
		page  string
		links *regexp.Regexp
		paths []string
		kept  string // the parameter that the value narrows
	}{
		{"/codes?range=all", codeLinks, []string{"/commissions", "/invitees"}, "code"},
		{"/invitees?range=all", uidLinks, []string{"/commissions"}, "uid"},
		{"/pivot?range=all&by=symbol&across=product", rowLinks, []string{"/commissions"}, "symbol"},
		{"/commissions?range=all", historyRef, []string{"/changes"}, "uid"},
	} {
		body := site.Get(t, address+c.page).Body
		found := map[string][]string{} // by path: an address and its value
		for _, link := range c.links.FindAllStringSubmatch(body, -1) {
			path, _, _ := strings.Cut(link[1], "?")
			found[path] = []string{html.UnescapeString(link[1]), link[2]}
		}
		for _, path := range c.paths {
			link := found[path]
			if link == nil {
				t.Errorf("%s: no row leads to %s", c.page, path)
				continue
			}
			page := site.Get(t, address+link[0])
			asked, err := url.Parse(link[0])
			if err != nil || page.StatusCode != 200 || asked.Query().Get(c.kept) != link[1] {
				t.Errorf("%s: %s answers %d, %v", c.page, link[0], page.StatusCode, err)
				continue
			}
			if len(rowStart.FindAllString(page.Body, -1)) == 0 {
				t.Errorf("%s: %s has no rows", c.page, link[0])
			}
		}
	}
}

// reasonTruth finds causes from all records, with fractions.
type reasonTruth struct {
	rows  []records.CommissionRow
	fees  map[string]bool // pairs in which a fee was paid
	equal map[affiliate.Commission]int
}

func (truth reasonTruth) of(row records.CommissionRow) string {
	day := func(r records.CommissionRow) affiliate.Day { return affiliate.DayOf(r.DealTime.Time(), time.UTC) }
	var peers []records.CommissionRow
	for _, r := range truth.rows {
		if age := day(row) - day(r); r.UID == row.UID && r.Product == row.Product && r.Source == row.Source && age >= 0 && age < 90 {
			peers = append(peers, r)
		}
	}
	slices.SortStableFunc(peers, func(a, b records.CommissionRow) int { return cmp.Compare(b.DealTime, a.DealTime) })
	if len(peers) > 50 {
		peers = peers[:50]
	}
	counts, paid := map[string]int{}, 0
	for _, p := range peers {
		if !p.Fee.IsZero() {
			paid++
			counts[truthRate(p).String()]++
		}
	}
	having, usual := 0, new(big.Rat)
	for text, n := range counts {
		rate, _ := new(big.Rat).SetString(text)
		if n > having || n == having && rate.Cmp(usual) < 0 {
			having, usual = n, rate
		}
	}
	var causes []commissions.Cause
	switch {
	case row.Fee.IsZero() && truth.fees[row.Symbol]:
		causes = append(causes, commissions.CauseVoucher)
	case row.Fee.IsZero():
		causes = append(causes, commissions.CauseZeroFeePair)
	case row.Commission.Commission.IsZero():
		causes = append(causes, commissions.CauseUpline)
	default:
		if site.Rat(row.Commission.Commission).Cmp(new(big.Rat).Mul(site.Rat(row.Fee), site.Rat(row.Rate))) != 0 {
			causes = append(causes, commissions.CauseOtherRate)
		}
		if paid >= 5 && 2*having > paid {
			switch truthRate(row).Cmp(usual) {
			case -1:
				causes = append(causes, commissions.CauseLower)
			case 1:
				causes = append(causes, commissions.CauseHigher)
			}
		}
	}
	if row.Source == affiliate.SubAgent {
		causes = append(causes, commissions.CauseSubAgent)
	}
	if truth.equal[row.Key()] > 1 {
		causes = append(causes, commissions.CauseTwin)
	}
	if row.Coin != "USDT" {
		causes = append(causes, commissions.CauseNoPrice) // the programme has no prices
	}
	return fmt.Sprint(causes, having, paid)
}

// truthRate is the rate of a record: the stated one, if the commission is exactly that part of
// the fee, otherwise the commission divided by the fee, with four decimals.
func truthRate(r records.CommissionRow) *big.Rat {
	due := new(big.Rat).Mul(site.Rat(r.Fee), site.Rat(r.Rate))
	if due.Cmp(site.Rat(r.Commission.Commission)) == 0 {
		return site.Rat(r.Rate)
	}
	rounded, _ := new(big.Rat).SetString(new(big.Rat).Quo(site.Rat(r.Commission.Commission), site.Rat(r.Fee)).FloatString(4))
	return rounded
}
