package money_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"rebatedesk/acceptance/site"
	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator"
)

var (
	anyLink   = regexp.MustCompile(` (?:href|hx-get)="(/[^"]*)"`)
	anyOption = regexp.MustCompile(`<option value="([^"]*)"`)
)

// openCoins returns a programme whose invitees also earn some other coins each day.
func openCoins(t *testing.T, coins ...affiliate.Coin) *site.Pipeline {
	t.Helper()
	f := site.OpenProgramme(t, time.UTC, simulator.Options{Seed: 7, Days: 10, Invitees: 5, Records: 40})
	for _, line := range f.Invitees(url.Values{"range": {"all"}}).Lines {
		for i, coin := range coins {
			for day := range 9 {
				for _, product := range affiliate.Products() {
					for _, source := range affiliate.Sources() {
						f.Sim.Insert(affiliate.Commission{
							DealTime: affiliate.MillisOf(time.UnixMilli(f.Clock.Load()).Add(-time.Duration(day*24+3) * time.Hour)), UID: line.UID, Product: product, Coin: coin,
							Symbol: "BTCUSDT_SPBL", Source: source, TakerAmount: "10", MakerAmount: "0", Fee: "1", Rate: "0.1", Commission: affiliate.Number(fmt.Sprint(i + 1)),
						})
					}
				}
			}
		}
	}
	f.Collect()
	return f
}

// rowsOf returns the rows of an exported file.
func rowsOf(t *testing.T, path string, a site.Answer) int {
	t.Helper()
	var err error
	rows := 0
	switch {
	case strings.HasSuffix(path, ".csv"):
		var records [][]string
		records, err = csv.NewReader(strings.NewReader(a.Body)).ReadAll()
		rows = len(records) - 1
	case strings.HasSuffix(path, ".xlsx"):
		var file *excelize.File
		if file, err = excelize.OpenReader(strings.NewReader(a.Body)); err == nil {
			var records [][]string
			records, err = file.GetRows(file.GetSheetName(0))
			rows = len(records) - 1
		}
	default:
		var records struct{ Rows []json.RawMessage }
		err = json.Unmarshal([]byte(a.Body), &records)
		rows = len(records.Rows)
	}
	if err != nil {
		t.Errorf("%s: %v", path, err)
	}
	return rows
}

// Every link that pages offer for a coin leads to the records of that coin, whatever its
// name contains.
func TestLinksOfCoinsOfAnyName(t *testing.T) {
	t.Parallel()
	coins := []affiliate.Coin{"wxt.e", "币安人生", "USD₮", "W XT", "A, B & <c>"}
	f := openCoins(t, coins...)
	// A question narrowed by these alone has records of each coin.
	order := []string{"sort", "cols", "per", "metric"}
	narrows := append([]string{"coin", "by", "uid", "code", "symbol", "product", "source", "account", "compare"}, order...)
	seen := map[string]bool{}
	var next []string
	visit := func(address string) {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatalf("%q: %v", address, err)
		}
		coin := u.Query().Get("coin")
		if coin != "" && !slices.Contains(coins, affiliate.Coin(coin)) {
			return
		}
		// One link of each kind is checked, and of the short ones one for each coin. What filters add to
		// each other is as many kinds as there are combinations: three at once are enough.
		names := slices.DeleteFunc(slices.Sorted(maps.Keys(u.Query())), func(name string) bool { return slices.Contains(order, name) })
		kind := fmt.Sprint(regexp.MustCompile(`\d{6,}`).ReplaceAllString(u.Path, "N"), names)
		if len(names) < 3 {
			kind += coin
		}
		if len(names) <= 3 && !seen[kind] && (coin != "" || u.RawQuery == "") && !strings.HasPrefix(u.Path, "/static/") {
			seen[kind] = true
			next = append(next, address)
		}
	}
	starts := []string{"/", "/commissions", "/invitees", "/codes", "/cohorts", "/attention"}
	for _, path := range starts {
		visit(path)
	}
	pages, files := map[affiliate.Coin]int{}, map[affiliate.Coin]int{}
	for len(next) > 0 {
		address := next[0]
		next = next[1:]
		u, _ := url.Parse(address)
		coin := affiliate.Coin(u.Query().Get("coin"))
		if coin == "" && !slices.Contains(starts, u.Path) {
			continue
		}
		a := site.Get(t, f.Address+address)
		if pack := strings.HasSuffix(u.Path, ".zip"); pack && a.StatusCode == 302 { // to the pack as of this instant
			continue
		} else if a.StatusCode != 200 {
			t.Errorf("%s: status %d", address, a.StatusCode)
			continue
		}
		if strings.HasSuffix(u.Path, ".pdf") {
			files[coin]++
			if !strings.HasPrefix(a.Body, "%PDF") {
				t.Errorf("%s: it is no PDF", address)
			}
			continue
		}
		plain := !slices.ContainsFunc(slices.Collect(maps.Keys(u.Query())), func(name string) bool { return !slices.Contains(narrows, name) })
		if !strings.Contains(a.Header.Get("Content-Type"), "text/html") {
			// Drivers compare with days before the history, rates need terms, and returns need costs.
			empty := slices.ContainsFunc([]string{"/drivers.", "/rates.", "/returns."}, func(begin string) bool { return strings.HasPrefix(u.Path, begin) })
			if files[coin]++; plain && !empty && rowsOf(t, u.Path, a) < 1 {
				t.Errorf("%s: no rows", address)
			}
			continue
		}
		pages[coin]++
		if plain && (strings.Contains(a.Body, "matches the filters") || strings.Contains(a.Body, " is stored.")) {
			t.Errorf("%s: the page shows no record of the coin", address)
		}
		for _, link := range anyLink.FindAllStringSubmatch(a.Body, -1) {
			visit(html.UnescapeString(link[1]))
		}
		for _, option := range anyOption.FindAllStringSubmatch(a.Body, -1) {
			if value := html.UnescapeString(option[1]); slices.Contains(coins, affiliate.Coin(value)) {
				visit(u.Path + "?coin=" + url.QueryEscape(value))
			}
		}
	}
	for _, coin := range coins {
		if pages[coin] < 15 || files[coin] < 12 {
			t.Errorf("%s: the links lead to %d pages and %d files", coin, pages[coin], files[coin])
		}
	}
}

// A coin whose name contains a comma is one coin, and lists of coins are still split.
func TestCoinsWithCommas(t *testing.T) {
	t.Parallel()
	f := openCoins(t, "A, B", "wxt.e", "USD₮")
	for ask, want := range map[string][]string{"A, B": {"A, B"}, "a, b": {"A, B"}, "WXT.E, USD₮": {"USD₮", "wxt.e"}} {
		records, err := csv.NewReader(strings.NewReader(site.Get(t, f.Address+"/commissions.csv?coin="+url.QueryEscape(ask)).Body)).ReadAll()
		if err != nil || len(records) < 2 {
			t.Fatal(ask, records, err)
		}
		at, got := slices.Index(records[0], "coin"), map[string]bool{}
		for _, row := range records[1:] {
			got[row[at]] = true
		}
		if !slices.Equal(slices.Sorted(maps.Keys(got)), want) {
			t.Errorf("%s gives %v, want %q", ask, got, want)
		}
	}
}

// A page names the filters that can match nothing, and only those.
func TestPagesNameFiltersWithoutRecords(t *testing.T) {
	t.Parallel()
	f := openCoins(t, "wxt.e")
	pages := []string{"/", "/commissions", "/invitees", "/codes", "/cohorts", "/collection/restatements"}
	line := f.Invitees(url.Values{"range": {"all"}, "sort": {"-commission"}}).Lines[0]
	for filter, says := range map[string]string{
		"coin=DOGE":   `No commission in the coin "DOGE" is stored.`,
		"code=nobody": `No invitee with the invite code "nobody" is stored.`,
		"symbol=NOPE": `No commission in the pair "NOPE" is stored.`,
		"uid=999":     `Nothing of the UID "999" is stored.`,
		"coin=WXT.E":  "", "symbol=btcusdt_spbl": "", "uid=" + string(line.UID): "",
		"code=" + url.QueryEscape(strings.ToLower(line.InviteCode)): "",
	} {
		for _, path := range pages {
			a := site.Get(t, f.Address+path+"?range=all&"+filter)
			says, said := html.EscapeString(says), strings.Contains(a.Body, " is stored.")
			if a.StatusCode != 200 || said != (says != "") || !strings.Contains(a.Body, says) {
				t.Errorf("%s?%s: status %d, want %q; the page says that something is not stored: %t", path, filter, a.StatusCode, says, said)
			}
		}
	}
	for query, says := range map[string]bool{"uid=999": true, "uid=" + string(f.Uids()[0]): false} {
		a := site.Get(t, f.Address+"/sub-affiliates?range=all&"+query)
		if a.StatusCode != 200 || strings.Contains(a.Body, "Nothing of a sub-affiliate with the UID &#34;999&#34; is stored.") != says {
			t.Errorf("/sub-affiliates?%s: status %d, want the sentence about a UID that is not stored: %t", query, a.StatusCode, says)
		}
	}
	a := site.Get(t, f.Address+"/invitees/"+string(line.UID)+"?range=all&coin=DOGE")
	if a.StatusCode != 200 || !strings.Contains(a.Body, "No commission in the coin &#34;DOGE&#34; is stored.") {
		t.Errorf("the page of an invitee: status %d", a.StatusCode)
	}
}
