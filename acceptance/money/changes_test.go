package money_test

import (
	"encoding/csv"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
)

// columnSums adds up a column of a file by coin.
func columnSums(t *testing.T, content, column string) map[string]*big.Rat {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(content)).ReadAll()
	if err != nil || len(rows) == 0 {
		t.Fatalf("%.200q: %v", content, err)
	}
	amount, coin := slices.Index(rows[0], column), slices.Index(rows[0], "coin")
	sums := map[string]*big.Rat{}
	for _, row := range rows[1:] {
		value, ok := new(big.Rat).SetString(row[amount])
		if !ok {
			continue // not given
		}
		if sums[row[coin]] == nil {
			sums[row[coin]] = new(big.Rat)
		}
		sums[row[coin]].Add(sums[row[coin]], value)
	}
	return sums
}

// The page says what became known, its file is the difference of the two states, and it names
// why there is nothing.
func TestChangesSince(t *testing.T) {
	t.Parallel()
	address := collectedLate(t)
	const first, then = "from=2026-11-01&to=2026-11-01", "2026-11-08T10:00:00Z"
	a := site.Get(t, address+"/changes?"+first+"&since="+then)
	if a.StatusCode != 200 || !regexp.MustCompile(`Since\s+8 Nov 2026 10:00 UTC`).MatchString(a.Body) || !strings.Contains(a.Body, "all of it late") || !strings.Contains(a.Body, `href="/commissions?`) {
		t.Errorf("status %d; the page does not say what became known: %.3000s", a.StatusCode, site.Said(a.Body, "answer"))
	}
	change := columnSums(t, site.Get(t, address+"/changes.csv?"+first+"&since="+then).Body, "difference")
	after := columnSums(t, site.Get(t, address+"/commissions.csv?"+first).Body, "commission")
	before := columnSums(t, site.Get(t, address+"/commissions.csv?"+first+"&as_of="+then).Body, "commission")
	if len(change) == 0 || len(before) == 0 {
		t.Errorf("%d coins changed, %d were known", len(change), len(before))
	}
	for coin, sum := range after {
		if before[coin] != nil {
			sum.Sub(sum, before[coin])
		}
		if change[coin] == nil || change[coin].Cmp(sum) != 0 {
			t.Errorf("%s changed by %v, the two states differ by %v", coin, change[coin], sum)
		}
	}
	for query, text := range map[string]string{
		"since=2026-11-01&until=2026-11-05":               "Before the first collection",
		first + "&since=" + then + "&coin=XRP":            "No change matches the filters",
		"since=2026-11-19&until=2026-11-19T12:00:00Z":     "Nothing became known",
		"from=2024-01-01&to=2024-01-31":                   "had been collected at the later instant",
		first + "&since=" + then + "&change=late&by=pair": "By pair",
		"since=2026-11-01":                                "Nothing was collected before 8 Nov 2026",
		"":                                                "Nothing has changed since the first collection",
	} {
		if a := site.Get(t, address+"/changes?"+query); a.StatusCode != 200 || !strings.Contains(a.Body, text) {
			t.Errorf("%s: status %d, and the page does not say %q", query, a.StatusCode, text)
		}
	}
	for _, query := range []string{"since=2027-01-01", "since=soon", "since=2026-11-10&until=2026-11-09", "as_of=2026-11-09", "change=lost"} {
		if a := site.Get(t, address+"/changes?"+query); a.StatusCode != 400 {
			t.Errorf("%s: status %d", query, a.StatusCode)
		}
	}
	if a := site.Get(t, address+"/commissions?since=2026-11-10"); a.StatusCode != 400 {
		t.Errorf("the page of commissions takes since: status %d", a.StatusCode)
	}
	if a := site.Get(t, address+"/changes.json?"+first+"&since="+then); a.StatusCode != 200 || !strings.Contains(a.Body, fmt.Sprintf("%q", "commission_before")) {
		t.Errorf("JSON: status %d", a.StatusCode)
	}
}
