package people_test

import (
	"html"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/reports"
	"rebatedesk/reports/findings"
	"rebatedesk/reports/invitees"
	"rebatedesk/store/audit"
	"rebatedesk/store/people"
)

// The list agrees with the records about every invitee. A finding names a set of
// invitees. Its link opens exactly this set on the worklist, and the list of invitees has it
// too, each on the page and in its file, sorted by the amount at risk.
func TestInviteesAtRisk(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Asia/Kathmandu")
	if err != nil {
		t.Fatal(err)
	}
	f := site.OpenProgramme(t, zone, simulator.Options{Seed: 1, Days: 200, Invitees: 150, Records: 30_000})
	if err := people.AddTag(t.Context(), f.Store, "main", f.Invitees(url.Values{}).Lines[0].UID, "vip", audit.Line{Actor: "ann"}); err != nil {
		t.Fatal(err)
	}
	if err := people.AddTag(t.Context(), f.Store, "main", f.Invitees(url.Values{}).Lines[0].UID, "Asia, east", audit.Line{Actor: "ann"}); err != nil {
		t.Fatal(err)
	}
	y, m, d := site.Now.In(zone).Date()
	today := int(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
	lives, states := f.Lives(zone, today), map[string]int{}
	atRisk := map[string]*big.Rat{} // UID → USDT
	for _, coin := range []string{"", "USDT", "BTC"} {
		for i, row := range f.Rows("/invitees.csv?range=all&coin=" + coin) {
			l := lives[row["uid"]]
			if l == nil {
				l = &site.Life{}
			}
			of, silent, gap := coin, "", ""
			if of == "" {
				of = l.Coin()
			}
			if l.Last > 0 {
				silent = strconv.Itoa(today - l.Last)
			}
			if n := l.Gap(); n > 0 {
				gap = strings.TrimSuffix(strconv.FormatFloat(float64(n)/2, 'f', 1, 64), ".0")
			}
			ever := l.Ever[affiliate.Coin(of)] // nil: no record, so the amount is unknown
			risk := l.AtRisk(of, today)
			if row["coin"] != of || row["days_silent"] != silent || row["usual_gap_days"] != gap || !site.Same(row["lifetime_commission"], ever) || !site.Same(row["at_risk"], risk) {
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
	if tagged := f.Rows("/invitees.csv?tag=vip"); len(tagged) != 1 || tagged[0]["tags"] != "Asia, east;vip" || tagged[0]["name"] != "" {
		t.Errorf("tagged: %v", tagged)
	}

	link := regexp.MustCompile(`<a[^>]* href="(/worklist\?[^"]*reason=silent[^"]*)"[^>]*>See all ([0-9]+) `).FindStringSubmatch(site.Get(t, f.Address+"/attention").Body)
	if len(atRisk) < 5 || link == nil {
		t.Fatalf("%d at risk, link %v", len(atRisk), link)
	}
	worklist := html.UnescapeString(link[1])
	silent := map[string]bool{}
	for _, row := range f.Rows(strings.Replace(worklist, "?", ".csv?", 1)) {
		silent[row["uid"]] = true
	}
	if link[2] != strconv.Itoa(len(silent)) {
		t.Errorf("the finding counts %s invitees, its link leads to %d", link[2], len(silent))
	}
	worklist += "&coin=USDT"
	values := url.Values{"coin": {"USDT"}, "state": {invitees.ChoiceAtRisk}, "sort": {"-at-risk"}}
	address := "/invitees?" + values.Encode()
	total := new(big.Rat)
	for _, risk := range atRisk {
		total.Add(total, risk)
	}
	for _, address := range []string{worklist, address} {
		file := f.Rows(strings.Replace(address, "?", ".csv?", 1))
		for i, row := range file {
			if risk := atRisk[row["uid"]]; risk == nil || !site.Same(row["at_risk"], risk) || row["coin"] != "USDT" {
				t.Errorf("%s: %v is not at risk with %v", address, row, risk)
			} else if i > 0 && atRisk[file[i-1]["uid"]].Cmp(risk) < 0 {
				t.Errorf("%s: row %d has more at risk than the one before", address, i)
			}
		}
		if len(file) != len(atRisk) {
			t.Errorf("%s: %d in the file, want %d", address, len(file), len(atRisk))
		}
	}
	list := f.Invitees(values)
	if list.Choices[invitees.ChoiceAtRisk] != len(atRisk) || !slices.Equal(uidsOf(list), f.Exported(strings.Replace(address, "?", ".csv?", 1), 1)) {
		t.Errorf("%d on the page, want %d", list.Count, len(atRisk))
	}
	if sum := list.AtRisk["USDT"]; !site.Same(sum.String(), total) {
		t.Errorf("the page has the total %s, want %s", sum, total.FloatString(8))
	}
	page := site.Get(t, f.Address+address).Body
	for _, says := range []string{"At risk, stopped, USDT", "Silent: no trade for more than 30 days", "At risk, stopped: worth 10 USDT or more", ">Days silent"} {
		if !strings.Contains(page, says) {
			t.Errorf("the page does not say %q", says)
		}
	}
	if silent, err := reports.Fresh(t.Context(), f.Service, f.InviteeQuestion(url.Values{}), findings.MakeSilent); err != nil || len(silent) == 0 || silent[len(silent)-1].Coin != "USDT" || silent[len(silent)-1].Count != len(atRisk) {
		t.Errorf("alerts report %+v, %v", silent, err)
	}
}
