package money_test

import (
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/acceptance/site"
	"rebatedesk/affiliate"
)

// Amounts of a stablecoin have two decimals everywhere, and none from a million on, and a non-zero
// amount is never shown as zero.
func TestAmountsOfStablecoinsHaveTwoDecimals(t *testing.T) {
	t.Parallel()
	address := site.StoredYear(t, func(today affiliate.Day) ([]affiliate.Invitee, map[affiliate.Product][]affiliate.Commission) {
		invitees, records := site.People12(today)
		for n, commission := range []affiliate.Number{"0.0027", "0", "0.005", "-0.004", "1234567.125"} {
			c := records[affiliate.Spot][n]
			c.UID, c.Commission, c.Fee, c.Source = affiliate.UID("900000000"+strconv.Itoa(n)), commission, "0.0001", affiliate.Direct
			records[affiliate.Spot] = append(records[affiliate.Spot], c)
			invitees = append(invitees, affiliate.Invitee{UID: c.UID, RegisterTime: c.DealTime})
		}
		return invitees, records
	})
	amount := regexp.MustCompile(`title="(-?[0-9.]+) USDT">([^<]*)<`)
	cents := regexp.MustCompile(`^[-+]?(?:[0-9]{1,3}(?:,[0-9]{3})?\.[0-9]{2}|[0-9]{1,3}(?:,[0-9]{3}){2,}|<0\.01)(?: USDT)?$`)
	half := decimal.RequireFromString("0.005")
	pages := []string{"/?compare=previous", "/invitees?compare=previous&per=200", "/codes", "/commissions?uid=9000000000", "/commissions?uid=9000000003", "/invitees/9000000000"}
	small := 0
	for _, page := range pages {
		found := amount.FindAllStringSubmatch(site.Get(t, address+page).Body, -1)
		for _, one := range found {
			exact, reads := decimal.RequireFromString(one[1]), html.UnescapeString(one[2])
			tiny := !exact.IsZero() && exact.Abs().LessThan(half)
			if !cents.MatchString(reads) || tiny != strings.Contains(reads, "<") || strings.HasPrefix(reads, "-") != exact.IsNegative() {
				t.Errorf("%s: %s USDT reads %q", page, exact, reads)
			}
			if tiny {
				small++
			}
		}
	}
	if small == 0 {
		t.Error("no amount is smaller than half a cent: this test shows nothing")
	}
}

// The column by which a list of invitees is sorted stays visible while the list scrolls.
func TestSortedColumnStays(t *testing.T) {
	t.Parallel()
	f := site.OpenPipeline(t, time.UTC)
	head := regexp.MustCompile(`(?s)<th scope="col"[^>]*aria-sort[^>]*>`)
	kept := regexp.MustCompile(`<t[hd][^>]*class="[^"]*\bkeep\b[^"]*"`)
	for query, sorted := range map[string]bool{
		"": true, "state=at-risk&sort=-at-risk": true, "sort=-lifetime": true, "sort=-silent": true, "sort=registered": true,
		"sort=uid": false, "sort=-at-risk": false, // the first column, and a hidden one
	} {
		page := site.Get(t, f.Address+"/invitees?range=30d&"+query).Body
		heads := slices.DeleteFunc(head.FindAllString(page, -1), func(th string) bool { return !kept.MatchString(th) })
		if len(heads) != 1 || strings.Contains(heads[0], `aria-sort="none"`) == sorted {
			t.Errorf("%q keeps %q", query, heads)
		}
		for i, row := range strings.Split(page, "<tr") {
			if n := len(kept.FindAllString(row, -1)); n > 1 || n == 0 && strings.Contains(row, "/invitees/") {
				t.Errorf("%q: row %d keeps %d cells", query, i, n)
			}
		}
	}
}

// Words that reviewers found unclear do not occur, and their replacements do.
func TestPlainWords(t *testing.T) {
	t.Parallel()
	f := site.OpenPipeline(t, time.UTC)
	for page, want := range map[string]string{
		"/?range=bogus":               "This link has a value we do not know",
		"/?range=7d&compare=previous": "compared with ",
		"/collection":                 "read once",
		"/cohorts":                    "Share of the cohort that traded in the ",
	} {
		if body := site.Get(t, f.Address+page).Body; !strings.Contains(body, want) {
			t.Errorf("%s does not say %q", page, want)
		}
	}
	for _, page := range []string{"/?range=7d&compare=previous", "/invitees", "/codes", "/cohorts", "/collection", "/summaries", "/attention", "/payments", "/drivers", "/rates", "/changes", "/programmes", "/segments", "/account"} {
		body := site.Get(t, f.Address+page).Body
		for _, old := range []string{"so far from", "of it)", "those at the step before", "Light or dark", "Period before", "None known", "rates of other days", "prices of other days", "in whole days", "as facts do", "not even nearly", "Net fees", "Period after", "Make a token"} {
			if strings.Contains(body, old) {
				t.Errorf("%s still says %q", page, old)
			}
		}
	}
}
