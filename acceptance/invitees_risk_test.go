package acceptance_test

import (
	"encoding/csv"
	"html"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/simulator"
	"rebatedesk/reports"
	"rebatedesk/reports/findings"
	"rebatedesk/reports/invitees"
	"rebatedesk/store/audit"
	"rebatedesk/store/people"
)

// rows returns the rows of a CSV file, each cell under its column name.
func (f *pipeline) rows(path string) (list []map[string]string) {
	f.Helper()
	a := get(f.TB, f.address+path)
	rows, err := csv.NewReader(strings.NewReader(a.body)).ReadAll()
	if err != nil || a.StatusCode != 200 || len(rows) == 0 {
		f.Fatalf("%s: status %d, %v", path, a.StatusCode, err)
	}
	for _, row := range rows[1:] {
		cells := map[string]string{}
		for i, name := range rows[0] {
			cells[name] = row[i]
		}
		list = append(list, cells)
	}
	return list
}

// life holds the history of one invitee, computed independently from the records and the
// exchange. Days are numbers.
type life struct {
	days    []int // days with commission, in order, each once
	last    int   // last day with a trade; 0: none
	ever    coinRats
	recent  coinRats // sums of the last 180 days
	records map[string]int
}

// lives computes the history of each invitee from the files of a programme.
func (f *pipeline) lives(zone *time.Location, today int) map[string]*life {
	f.Helper()
	day := func(text string) int {
		at, err := time.Parse("2006-01-02T15:04:05.000Z", text)
		if err != nil {
			f.Fatal(err)
		}
		y, m, d := at.In(zone).Date()
		return int(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
	}
	all := map[string]*life{}
	of := func(uid string) *life {
		if all[uid] == nil {
			all[uid] = &life{ever: coinRats{}, recent: coinRats{}, records: map[string]int{}}
		}
		return all[uid]
	}
	for _, r := range f.rows("/commissions.csv?range=all&sort=time") {
		one, on, coin := of(r["uid"]), day(r["deal_time_utc"]), r["coin"]
		one.ever.add(affiliate.Coin(coin), r["commission"])
		one.records[coin]++
		one.last = max(one.last, on)
		if on > today-180 {
			one.recent.add(affiliate.Coin(coin), r["commission"])
			if n := len(one.days); n == 0 || one.days[n-1] != on {
				one.days = append(one.days, on)
			}
		}
	}
	for _, r := range f.rows("/invitees.csv?range=all") {
		if told := r["last_trade_utc"]; told != "" {
			of(r["uid"]).last = max(of(r["uid"]).last, day(told))
		}
	}
	return all
}

// gap returns twice the median of the days between days with commission, or 0 if there
// are too few.
func (l *life) gap() int {
	var gaps []int
	for i := 1; i < len(l.days); i++ {
		gaps = append(gaps, l.days[i]-l.days[i-1])
	}
	if len(gaps) < 3 {
		return 0
	}
	slices.Sort(gaps)
	return gaps[(len(gaps)-1)/2] + gaps[len(gaps)/2]
}

// coin returns the coin of most records.
func (l *life) coin() string {
	best := ""
	for coin, n := range l.records {
		if best == "" || n > l.records[best] || n == l.records[best] && coin < best {
			best = coin
		}
	}
	return best
}

// atRisk returns the mean commission in a coin in thirty days while the invitee traded,
// or nil if the invitee is not silent by its own gap.
func (l *life) atRisk(coin string, today int) *big.Rat {
	gap, sum := l.gap(), l.recent[affiliate.Coin(coin)]
	if gap == 0 || 2*(today-l.last) <= min(60, 3*gap) || sum == nil || sum.Sign() <= 0 {
		return nil
	}
	span := max(30, l.days[len(l.days)-1]-l.days[0]+1)
	return new(big.Rat).Mul(sum, big.NewRat(30, int64(span)))
}

// same reports whether a cell equals a value to nine decimals; nil means unknown.
func same(cell string, value *big.Rat) bool {
	if value == nil || cell == "" {
		return value == nil && cell == ""
	}
	got, ok := new(big.Rat).SetString(cell)
	return ok && new(big.Rat).Abs(got.Sub(got, value)).Cmp(big.NewRat(1, 1_000_000_000)) < 0
}

// The list agrees with the records about every invitee. A finding names a set of
// invitees. Its link opens exactly this set on the worklist, and the list of invitees has it
// too, each on the page and in its file, sorted by the amount at risk.
func TestInviteesAtRisk(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Asia/Kathmandu")
	if err != nil {
		t.Fatal(err)
	}
	f := openProgramme(t, zone, simulator.Options{Seed: 1, Days: 200, Invitees: 150, Records: 30_000})
	if err := people.AddTag(t.Context(), f.store, "main", f.invitees(url.Values{}).Lines[0].UID, "vip", audit.Line{Actor: "ann"}); err != nil {
		t.Fatal(err)
	}
	if err := people.AddTag(t.Context(), f.store, "main", f.invitees(url.Values{}).Lines[0].UID, "Asia, east", audit.Line{Actor: "ann"}); err != nil {
		t.Fatal(err)
	}
	y, m, d := now.In(zone).Date()
	today := int(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
	lives, states := f.lives(zone, today), map[string]int{}
	atRisk := map[string]*big.Rat{} // UID → USDT
	for _, coin := range []string{"", "USDT", "BTC"} {
		for i, row := range f.rows("/invitees.csv?range=all&coin=" + coin) {
			l := lives[row["uid"]]
			if l == nil {
				l = &life{}
			}
			of, silent, gap := coin, "", ""
			if of == "" {
				of = l.coin()
			}
			if l.last > 0 {
				silent = strconv.Itoa(today - l.last)
			}
			if n := l.gap(); n > 0 {
				gap = strings.TrimSuffix(strconv.FormatFloat(float64(n)/2, 'f', 1, 64), ".0")
			}
			ever := l.ever[affiliate.Coin(of)] // nil: no record, so the amount is unknown
			risk := l.atRisk(of, today)
			if row["coin"] != of || row["days_silent"] != silent || row["usual_gap_days"] != gap || !same(row["lifetime_commission"], ever) || !same(row["at_risk"], risk) {
				t.Fatalf("row %d with coin=%q: %v; want coin %s, silent %s, gap %s, lifetime %v, at risk %v", i, coin, row, of, silent, gap, ever, risk)
			}
			if coin == "USDT" && risk != nil && risk.Cmp(big.NewRat(10, 1)) >= 0 {
				atRisk[row["uid"]] = risk
			}
			states[row["state"]]++
		}
	}
	for _, state := range invitees.States() {
		if states[string(state)] == 0 {
			t.Errorf("no invitee is %s: %v", state, states)
		}
	}
	if tagged := f.rows("/invitees.csv?tag=vip"); len(tagged) != 1 || tagged[0]["tags"] != "Asia, east;vip" || tagged[0]["name"] != "" {
		t.Errorf("tagged: %v", tagged)
	}

	link := regexp.MustCompile(`<a[^>]* href="(/worklist\?[^"]*coin=USDT[^"]*)"[^>]*>See `).FindStringSubmatch(get(t, f.address+"/attention").body)
	if len(atRisk) < 5 || link == nil {
		t.Fatalf("%d at risk, link %v", len(atRisk), link)
	}
	worklist := html.UnescapeString(link[1])
	values := url.Values{"coin": {"USDT"}, "state": {invitees.ChoiceAtRisk}, "sort": {"-at-risk"}}
	address := "/invitees?" + values.Encode()
	total := new(big.Rat)
	for _, risk := range atRisk {
		total.Add(total, risk)
	}
	for _, address := range []string{worklist, address} {
		file := f.rows(strings.Replace(address, "?", ".csv?", 1))
		for i, row := range file {
			if risk := atRisk[row["uid"]]; risk == nil || !same(row["at_risk"], risk) || row["coin"] != "USDT" {
				t.Errorf("%s: %v is not at risk with %v", address, row, risk)
			} else if i > 0 && atRisk[file[i-1]["uid"]].Cmp(risk) < 0 {
				t.Errorf("%s: row %d has more at risk than the one before", address, i)
			}
		}
		if len(file) != len(atRisk) {
			t.Errorf("%s: %d in the file, want %d", address, len(file), len(atRisk))
		}
	}
	list := f.invitees(values)
	if list.Choices[invitees.ChoiceAtRisk] != len(atRisk) || !slices.Equal(uidsOf(list), f.exported(strings.Replace(address, "?", ".csv?", 1), 1)) {
		t.Errorf("%d on the page, want %d", list.Count, len(atRisk))
	}
	if sum := list.AtRisk["USDT"]; !same(sum.String(), total) {
		t.Errorf("the page has the total %s, want %s", sum, total.FloatString(8))
	}
	page := get(t, f.address+address).body
	for _, says := range []string{"At risk, USDT", "Silent: no trade for more than 30 days", "At risk: worth 10 USDT or more", ">Days silent"} {
		if !strings.Contains(page, says) {
			t.Errorf("the page does not say %q", says)
		}
	}
	if silent, err := reports.Fresh(t.Context(), f.service, f.inviteeQuestion(url.Values{}), findings.MakeSilent); err != nil || len(silent) == 0 || silent[len(silent)-1].Coin != "USDT" || silent[len(silent)-1].Count != len(atRisk) {
		t.Errorf("alerts report %+v, %v", silent, err)
	}
}
