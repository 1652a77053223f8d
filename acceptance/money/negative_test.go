package money_test

import (
	"html"
	"regexp"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/affiliate"
)

// takenBack serves a programme in which three invitees with codes of their own brought 100, 50 and
// -120 USDT in the last seven days, and one of them -50 in the seven days before.
func takenBack(t *testing.T) string {
	t.Helper()
	return site.StoredYear(t, func(today affiliate.Day) (invitees []affiliate.Invitee, rows map[affiliate.Product][]affiliate.Commission) {
		row := func(back affiliate.Day, uid affiliate.UID, symbol string, commission affiliate.Number) affiliate.Commission {
			return affiliate.Commission{DealTime: affiliate.MillisOf((today - back).Start(time.UTC).Add(time.Hour)), UID: uid, Product: affiliate.Spot, Symbol: symbol, Source: affiliate.Direct,
				Coin: "USDT", TakerAmount: "1000", MakerAmount: "0", Fee: "500", Rate: "0.2", Commission: commission}
		}
		for i, uid := range []affiliate.UID{"4667776801", "4667776802", "4667776803"} {
			invitees = append(invitees, affiliate.Invitee{UID: uid, InviteCode: []string{"ant", "bee", "cat"}[i], RegisterTime: affiliate.MillisOf((today - 200).Start(time.UTC))})
		}
		return invitees, map[affiliate.Product][]affiliate.Commission{
			affiliate.Spot:    {row(2, "4667776801", "AAAUSDT", "100"), row(3, "4667776802", "BBBUSDT", "50"), row(4, "4667776803", "CCCUSDT", "-120"), row(9, "4667776802", "BBBUSDT", "-50")},
			affiliate.Futures: nil, // read, and empty
		}
	})
}

// wrongShares are what parts of both signs gave as shares of their sum.
var wrongShares = regexp.MustCompile(`333\.3|166\.7|400\.0|-\d+(\.\d)?\x{a0}%|\bnew from zero|nothing before`)

// Of 100, 50 and -120 only the positive ones have shares, of 150: 66.7 and 33.3 %. Their sum of 30 after
// -50 is 80 more, and neither new nor a percentage. So it is on every page and in every file.
func TestSharesOfBothSigns(t *testing.T) {
	t.Parallel()
	address := takenBack(t)
	plain := func(page string) string {
		return strings.Join(strings.Fields(html.UnescapeString(site.Tags.ReplaceAllString(page, " "))), " ")
	}
	const range7 = "range=7d&compare=previous"
	for path, want := range map[string][]string{
		"/?" + range7: {"Earned 30.00 USDT in the last 7 days, 80.00 USDT more than before", "30.00 USDT ▲ up, from a negative amount in the compared period", "80.00 USDT so far", "100.00 66.7 %", "50.00 33.3 %", "-120.00 —",
			"Share of the positive USDT commission in the range"},
		"/codes?" + range7:                                       {"66.7 %", "33.3 %", "of positive amounts only: negative ones have none"},
		"/invitees?" + range7:                                    {"+100.00", "-120.00"},
		"/invitees/4667776801?" + range7:                         {"66.7 %"},
		"/invitees/4667776803?" + range7:                         {"-120.00"},
		"/pivot?range=7d&by=invitee&across=month&show=share":     {"66.7 %", "33.3 %", "Where amounts have both signs, shares are of the positive ones", "The largest part is 4667776801 with 66.7 % of the positive ones."},
		"/pivot?range=7d&by=code&across=month&show=column-share": {"66.7 %"},
		"/programmes?range=7d":                                   {"30.00"},
		"/drivers?" + range7:                                     {"rose by 80.00 USDT"},
	} {
		a := site.Get(t, address+path)
		text := plain(a.Body)
		for _, words := range want {
			if a.StatusCode != 200 || !strings.Contains(text, words) {
				t.Errorf("%s: status %d, without %q", path, a.StatusCode, words)
			}
		}
		if found := wrongShares.FindString(text); found != "" {
			t.Errorf("%s says %q", path, found)
		}
	}
	for path, want := range map[string][2]string{
		"/codes.csv?" + range7 + "&sort=-commission":                {`ant,3?.*,100,[^,]*,66\.7,\r`, `cat,.*,-120,[^,]*,,\r`},
		"/codes.json?" + range7:                                     {`"invite_code":"ant"[^}]*"share_percent":"66\.7","change_percent":null`, `"invite_code":"cat"[^}]*"share_percent":null,"change_percent":null`},
		"/pivot.csv?range=7d&by=invitee&across=product&show=share":  {`4667776801,main,USDT,66\.7,66\.7`, `4667776803,main,USDT,,\r`},
		"/pivot.json?range=7d&by=invitee&across=product&show=share": {`"key":"4667776801","account":"main","cells":\["66\.7"\],"total":"66\.7"`, `"key":"4667776803","account":"main","cells":\[null\],"total":null`},
	} {
		file := site.Get(t, address+path).Body
		for _, pattern := range want {
			if !regexp.MustCompile(pattern).MatchString(file) {
				t.Errorf("%s lacks %s:\n%s", path, pattern, file)
			}
		}
	}
	// The longest bar is that of -120, to the left of where the others begin.
	page := site.Get(t, address+"/?"+range7).Body
	for _, rect := range []string{`x="54.55%" width="45.45%"`, `x="54.55%" width="22.73%"`, `x="0%" width="54.55%"`} {
		if !strings.Contains(page, "<rect "+rect) {
			t.Errorf("the overview has no bar %s", rect)
		}
	}
}

// Of days that are all collected, nothing is 0; of days that are not, it is not known.
func TestNothingIsZeroWhereAllIsCollected(t *testing.T) {
	t.Parallel()
	address := takenBack(t)
	for path, want := range map[string]string{
		"/drivers.json?coin=BTC&range=7d":                                           `"coin":"BTC","before":"0","after":"0","change":"0","contributions":\[\],"effects":\{"volume":"0","fee_rate":"0","rebate_rate":"0","rest":"0"\}`,
		"/drivers.json?from=2026-11-12&to=2026-11-12&compare=previous&coin=USDT":    `"coin":"USDT","before":"-50","after":"0","change":"50"`,
		"/drivers.json?coin=BTC&from=2024-11-12&to=2024-11-12&compare=previous":     `"coin":"BTC","before":null,"after":null,"change":null,"contributions":\[\],"effects":null`,
		"/pivot.json?range=7d&coin=BTC&by=code&across=month":                        `"coin":"BTC".*"total":\{"key":"total","cells":\[\],"total":"0"\}`,
		"/pivot.json?from=2024-11-12&to=2024-11-12&coin=BTC&by=code&across=month":   `"coin":"BTC".*"total":\{"key":"total","cells":\[\],"total":null\}`,
		"/pivot.json?range=7d&coin=BTC&by=code&across=month&show=share":             `"total":\{"key":"total","cells":\[\],"total":null\}`,
		"/pivot.json?range=7d&by=product&across=source&coin=USDT&metric=commission": `"total":\{"key":"total","cells":\["30"\],"total":"30"\}`,
	} {
		a := site.Get(t, address+path)
		if a.StatusCode != 200 || !regexp.MustCompile(want).MatchString(a.Body) {
			t.Errorf("%s: status %d, without %s:\n%s", path, a.StatusCode, want, a.Body)
		}
	}
}
