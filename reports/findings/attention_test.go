package findings_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/findings"
	"rebatedesk/reports/query"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/outbox"
	"rebatedesk/store/records"
)

// found returns the findings of a kind.
func found[F findings.Finding](a findings.Report) []F {
	var list []F
	for _, f := range a.Findings {
		if f, ok := f.(F); ok {
			list = append(list, f)
		}
	}
	return list
}

func TestNothingNeedsAttention(t *testing.T) {
	w := reporttest.NewWatched(t)
	w.Collect()
	a := w.Look("")
	if !a.Quiet() || len(a.Findings) != 1 {
		t.Errorf("%+v", a.Findings)
	}
	c := found[findings.Concentration](a)
	if len(c) != 1 || c[0].One.Percent.String() != "33.3" || c[0].Five.Percent.String() != "100" || c[0].Invitees != 3 {
		t.Errorf("%+v", c)
	}
}

// A gap is an alert if reading its days failed, and otherwise a warning.
func TestAttentionToGaps(t *testing.T) {
	w := reporttest.NewWatched(t)
	w.Collect(reporttest.Days(-9, -8))
	gaps := found[findings.Gap](w.Look(""))
	if len(gaps) != 1 || gaps[0].Days != 2 || gaps[0].Streams[0] != reporttest.Spot || gaps[0].Severity() != findings.SeverityWarning {
		t.Fatalf("%+v", gaps)
	}
	w.FailRead(reporttest.Spot, reporttest.Days(-9, -9), "HTTP 502")
	gaps = found[findings.Gap](w.Look(""))
	if len(gaps) != 2 || gaps[0].Reason != "HTTP 502" || gaps[0].Severity() != findings.SeverityAlert || gaps[0].Days != 1 || gaps[1].Days != 1 {
		t.Fatalf("%+v", gaps)
	}
}

func TestAttentionToRuns(t *testing.T) {
	w := reporttest.NewWatched(t)
	w.Collect()
	w.Run("refused")
	runs := found[findings.Run](w.Look(""))
	if len(runs) != 1 || runs[0].InARow != 1 || runs[0].Error != "refused" || runs[0].Severity() != findings.SeverityWarning {
		t.Fatalf("%+v", runs)
	}
	w.Run("refused")
	w.Run("refused again")
	runs = found[findings.Run](w.Look(""))
	if len(runs) != 1 || runs[0].InARow != 3 || runs[0].Error != "refused again" || runs[0].Severity() != findings.SeverityAlert {
		t.Fatalf("%+v", runs)
	}
	if runs := found[findings.Run](w.Look("as_of=" + reporttest.Noon.Add(-time.Hour).Format(time.RFC3339))); len(runs) != 0 {
		t.Errorf("a past state: %+v", runs)
	}
	w.Run(records.RunStopped)
	if runs = found[findings.Run](w.Look("")); len(runs) != 1 || runs[0].InARow != 3 || runs[0].Error != "refused again" {
		t.Errorf("a run that was stopped counts as a failure, or as a success: %+v", runs)
	}
	w.Run("")
	if runs := found[findings.Run](w.Look("")); len(runs) != 0 {
		t.Errorf("after a good run: %+v", runs)
	}
	w.Run(records.RunStopped)
	if runs := found[findings.Run](w.Look("")); len(runs) != 0 {
		t.Errorf("a run that was stopped after a good one: %+v", runs)
	}
	w.Now = reporttest.Noon.Add(2 * time.Hour)
	if stale := found[findings.Stale](w.Look("")); len(stale) != 0 {
		t.Errorf("after two hours: %+v", stale)
	}
	w.Now = reporttest.Noon.Add(4 * time.Hour)
	if stale := found[findings.Stale](w.Look("")); len(stale) != 1 {
		t.Errorf("after four hours: %+v", stale)
	}
}

// A finding about a drop needs complete days on both sides, enough of them, and a minimum
// worth.
func TestAttentionToDrops(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(*reporttest.Watched)
		missing []affiliate.Days
		want    string
	}{
		"four USDT":    {func(w *reporttest.Watched) { w.Without(1, -1, -1) }, nil, ""}, // a third of the day, but too little to report
		"a large day":  {func(w *reporttest.Watched) { w.Trades(4, -200, -2, "100", "40") }, nil, "1: 76.9 "},
		"not enough":   {func(w *reporttest.Watched) { w.Trades(4, -200, -2, "9", "5") }, nil, ""},
		"a whole week": {func(w *reporttest.Watched) { w.Trades(4, -200, -8, "100", "40") }, nil, "7: 76.9 1: 76.9 "},
		"a gap in it": {func(w *reporttest.Watched) { w.Trades(4, -200, -8, "100", "40") }, []affiliate.Days{reporttest.Days(-3, -3)},
			"1: 76.9 "},
		"as low twice": {func(w *reporttest.Watched) {
			w.Trades(4, -200, -2, "100", "40")
			w.Without(4, -8, -8)
			w.Without(4, -15, -15)
		}, nil, ""},
		"as low once": {func(w *reporttest.Watched) { w.Trades(4, -200, -2, "100", "40"); w.Without(4, -8, -8) }, nil, "1: 74.5 "},
		"no history":  {func(w *reporttest.Watched) { w.Trades(4, -200, -2, "100", "40") }, []affiliate.Days{reporttest.Days(-43, -2)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := reporttest.NewWatched(t)
			c.change(w)
			w.Collect(c.missing...)
			text := ""
			for _, f := range found[findings.Drop](w.Look("")) {
				text += fmt.Sprintf("%d: %s ", f.Days.Len(), f.Drop.Percent)
			}
			if text != c.want {
				t.Errorf("found %q, want %q", text, c.want)
			}
		})
	}
}

// Silence is measured by the invitee's usual gap, if everything is collected.
func TestAttentionToSilence(t *testing.T) {
	earner := func(w *reporttest.Watched) { w.Trades(4, -100, -5, "10", "4") }
	for name, c := range map[string]struct {
		change  func(*reporttest.Watched)
		missing []affiliate.Days
		want    int
	}{
		"five days, usually one": {earner, nil, 1},
		"three days":             {func(w *reporttest.Watched) { w.Trades(4, -100, -3, "10", "4") }, nil, 0},
		"a weekly one": {func(w *reporttest.Watched) {
			for day := -98; day <= -7; day += 7 {
				w.Trades(4, day, day, "100", "40")
			}
		}, nil, 0},
		"a weekly one for a month": {func(w *reporttest.Watched) {
			for day := -98; day <= -28; day += 7 {
				w.Trades(4, day, day, "100", "40")
			}
		}, nil, 1},
		"no rhythm":         {func(w *reporttest.Watched) { w.Trades(4, -60, -58, "1000", "400") }, nil, 0},
		"little commission": {func(w *reporttest.Watched) { w.Trades(4, -100, -5, "0.1", "0.04") }, nil, 0},
		"a gap since":       {earner, []affiliate.Days{reporttest.Days(-2, -2)}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w := reporttest.NewWatched(t)
			c.change(w)
			w.Collect(c.missing...)
			silent := found[findings.Silent](w.Look(""))
			if len(silent) != c.want {
				t.Fatalf("found %+v", silent)
			}
			if name == "five days, usually one" {
				one := silent[0].Coins[0].Most[0]
				if one.UID != "4667776804" || one.Days != 5 || one.UsualGap != figures.WholeDays(1) || one.AtRisk.String() != "120" || !silent[0].Coins[0].AtRisk.Equal(one.AtRisk) {
					t.Errorf("%+v", one)
				}
			}
		})
	}
}

// The exchange can report a trade without commission; then the invitee is not silent.
func TestAttentionToSilenceUsesTheLastTrade(t *testing.T) {
	w := reporttest.NewWatched(t)
	w.Trades(4, -100, -5, "10", "4")
	w.Collect()
	w.ReadInvitees("main", reporttest.Days(-200, -150), affiliate.Invitee{UID: "4667776804", RegisterTime: reporttest.Midnight(reporttest.Today - 160), LastTrade: reporttest.Midnight(reporttest.Today - 1)})
	if silent := found[findings.Silent](w.Look("")); len(silent) != 0 {
		t.Errorf("%+v", silent)
	}
}

// A new rate is reported if it lasts, differs and costs enough.
func TestAttentionToRates(t *testing.T) {
	fee := affiliate.Number("100")
	for name, c := range map[string]struct {
		change func(*reporttest.Watched)
		want   string
	}{
		"halved ten days ago": {func(w *reporttest.Watched) { w.Trades(4, -119, -11, fee, "40"); w.Trades(4, -10, 0, fee, "20") }, "0.4 0.2 -10 220"},
		"halved forty days ago": {func(w *reporttest.Watched) { w.Trades(4, -119, -41, fee, "40"); w.Trades(4, -40, 0, fee, "20") },
			"0.4 0.2 -40 820"},
		"raised": {func(w *reporttest.Watched) { w.Trades(4, -119, -11, fee, "20"); w.Trades(4, -10, 0, fee, "40") }, "0.2 0.4 -10 -220"},
		"another coin beside": {func(w *reporttest.Watched) {
			w.Trades(4, -119, -11, fee, "40")
			w.Trades(4, -10, 0, fee, "20")
			usdt := len(w.Records)
			w.Trades(4, -119, 0, fee, "10")
			for i := range w.Records[usdt:] {
				w.Records[usdt+i].Coin = "USDC"
			}
		}, "0.4 0.2 -10 220"},
		"two days only": {func(w *reporttest.Watched) { w.Trades(4, -119, -2, fee, "40"); w.Trades(4, -1, 0, fee, "20") }, ""},
		"a little":      {func(w *reporttest.Watched) { w.Trades(4, -119, -11, fee, "40"); w.Trades(4, -10, 0, fee, "38") }, "0.4 0.38 -10 22"},
		"of small fees": {func(w *reporttest.Watched) { w.Trades(4, -119, -11, "1", "0.4"); w.Trades(4, -10, 0, "1", "0.2") }, ""},
		"new invitee":   {func(w *reporttest.Watched) { w.Trades(4, -10, 0, fee, "20") }, ""},
		"volume only":   {func(w *reporttest.Watched) { w.Trades(4, -119, -11, fee, "40"); w.Trades(4, -10, 0, "10", "4") }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := reporttest.NewWatched(t)
			c.change(w)
			w.Collect()
			text := ""
			view := w.Look("")
			for _, f := range found[findings.Agreed](view) {
				for _, r := range f.Most {
					text += fmt.Sprintf("%s %s %d %s", r.Lines[0].Agreed, r.Lines[0].Paid, r.Days.First-reporttest.Today, r.Costs[0].Difference.Neg())
				}
				if c := f.Coins[0]; (f.Severity() == findings.SeverityWarning) != c.Lost.IsPositive() || c.Lost.IsNegative() || c.Won.IsNegative() {
					t.Errorf("%s lost and %s won have the severity %d", c.Lost, c.Won, f.Severity())
				}
			}
			for _, f := range found[findings.Rate](view) {
				for _, r := range f.Most {
					text += fmt.Sprintf("%s %s %d %s", r.Old, r.New, r.Since-reporttest.Today, r.Cost)
				}
				if (f.Severity() == findings.SeverityWarning) != f.Lost.IsPositive() || f.Lost.IsNegative() || f.Won.IsNegative() {
					t.Errorf("%s lost and %s won have the severity %d", f.Lost, f.Won, f.Severity())
				}
			}
			if text != c.want {
				t.Errorf("found %q, want %q", text, c.want)
			}
		})
	}
}

// Restatements are reported from one percent and from ten USDT on.
func TestAttentionToRestatements(t *testing.T) {
	for name, c := range map[string]struct {
		commission affiliate.Number
		want       int
	}{"a large one": {"50", 1}, "below a percent": {"3", 0}, "unchanged": {"", 0}} {
		t.Run(name, func(t *testing.T) {
			w := reporttest.NewWatched(t)
			w.Collect()
			w.Now = reporttest.Noon.Add(time.Hour)
			if c.commission != "" {
				w.Records = append(w.Records, reporttest.Trade(reporttest.Today-5, reporttest.Spot, 1, c.commission))
			}
			w.Collect()
			a := w.Look("")
			restated := found[findings.Restated](a)
			if len(restated) != c.want {
				t.Fatalf("found %+v", restated)
			}
			if c.want == 1 && (restated[0].Up.String() != "50" || !restated[0].Down.IsZero() || restated[0].Records != 1) {
				t.Errorf("%+v", restated[0])
			}
			before := w.Look("as_of=" + reporttest.Noon.Add(time.Minute).Format(time.RFC3339))
			if earlier := found[findings.Restated](before); len(earlier) != 0 {
				t.Errorf("before the change was noticed: %+v", earlier)
			}
		})
	}
}

// Removed commission is reported even if the same amount was added elsewhere, on days of
// any age. Alerts report the same.
func TestAttentionToOffsettingRestatements(t *testing.T) {
	w := reporttest.NewWatched(t)
	w.Trades(4, -180, -100, "100", "40.123456789012345678")
	w.Collect()
	w.Now = reporttest.Noon.Add(time.Hour)
	w.Without(4, -120, -111)
	for i := range 10 {
		w.Records = append(w.Records, reporttest.Trade(reporttest.Today-60-affiliate.Day(i), reporttest.Spot, 5, "40.2"))
	}
	w.Collect()
	restated := found[findings.Restated](w.Look(""))
	if len(restated) != 1 {
		t.Fatalf("found %+v", restated)
	}
	f := restated[0]
	if f.Up.String() != "402" || f.Down.String() != "-401.23456789012345678" || f.Records != 20 || f.Days != reporttest.Days(-120, -60) || f.Severity() != findings.SeverityWarning {
		t.Errorf("found %+v", f)
	}
	told := w.Signals(outbox.Subscription{Watches: "restatement", Coin: "USDT", Amount: "0", Since: affiliate.MillisOf(reporttest.Noon)})
	want := fmt.Sprintf(`{"coin":"USDT","difference":%q,"down":%q,"from":%q,"noticed":%q,"records":"%d","to":%q,"up":%q}`, f.Up.Add(f.Down), f.Down, f.Restated.Days.First, f.Newest, f.Records, f.Restated.Days.Last, f.Up)
	if len(told) != 1 || told[0].Detail != want {
		t.Errorf("an alert reports %+v, the list %s", told, want)
	}
	w.Now = reporttest.Noon.AddDate(0, 0, 32)
	if restated := found[findings.Restated](w.Look("")); len(restated) != 0 {
		t.Errorf("a month after the change was noticed: %+v", restated)
	}
}

// A finding separates invitees whose rate fell from those whose rate rose.
func TestAttentionToRatesBothWays(t *testing.T) {
	w := reporttest.NewWatched(t)
	w.Trades(4, -119, -11, "100", "40")
	w.Trades(4, -10, 0, "100", "20")
	w.Trades(5, -119, -11, "100", "20")
	w.Trades(5, -10, 0, "100", "39")
	w.Collect()
	rates := found[findings.Agreed](w.Look(""))
	if len(rates) != 1 || len(rates[0].Coins) != 1 || rates[0].Coins[0].Lost.String() != "220" || rates[0].Coins[0].Won.String() != "209" || rates[0].Count != 2 || rates[0].Severity() != findings.SeverityWarning {
		t.Errorf("%+v", rates)
	}
}

// However many invitees are paid less, in any coins, there is one finding with their number and the
// sum of each coin.
func TestAttentionCountsRates(t *testing.T) {
	w := reporttest.NewWatched(t)
	for uid := 4; uid <= 10; uid++ {
		from := len(w.Records)
		w.Trades(uid, -119, uid-25, "100", "40")
		w.Trades(uid, uid-24, 0, "100", "20")
		if uid%2 == 0 {
			for i := range w.Records[from:] {
				w.Records[from+i].Coin = "XYZ"
			}
		}
	}
	w.Collect()
	list := found[findings.Agreed](w.Look(""))
	if len(list) != 1 || list[0].Count != 7 || len(list[0].Most) != 0 || len(list[0].Coins) != 2 || list[0].Coins[0].Coin != "USDT" || list[0].Coins[1].Coin != "XYZ" {
		t.Fatalf("%+v", list)
	}
	words := findings.About{Zone: time.UTC}.Finding(list[0])
	var text strings.Builder
	for _, part := range words.Text {
		text.WriteString(part.Text)
	}
	for _, want := range []string{"7 findings", (affiliate.Amount{Value: list[0].Coins[0].Lost, Coin: "USDT"}).String() + " and ", " XYZ"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("it says %q, without %q", text.String(), want)
		}
	}
	if len(words.Invitees) != 0 {
		t.Errorf("it lists %d invitees", len(words.Invitees))
	}
}

// Findings of one severity are ordered by worth, with any coins; those that cannot be
// converted come last.
func TestAttentionByWorth(t *testing.T) {
	w := reporttest.NewWatched(t)
	for uid, coin := range map[int]affiliate.Coin{4: "USDT", 5: "BTC", 6: "XYZ"} {
		from := len(w.Records)
		w.Trades(uid, -100, -5, "10", "4")
		for i := range w.Records[from:] {
			w.Records[from+i].Coin = coin
		}
	}
	w.Sample("BTC", "60000")
	w.Collect()
	attention := w.Look("")
	silent := found[findings.Silent](attention)
	if len(silent) != 1 || silent[0].Count != 3 {
		t.Fatalf("silence is %+v, want one finding about three invitees", silent)
	}
	order := ""
	for _, c := range silent[0].Coins {
		order += fmt.Sprintf("%s %s, ", c.Coin, c.AtRisk)
	}
	if want := "BTC 120, USDT 120, XYZ 120, "; order != want {
		t.Fatalf("the order is %q, want %q", order, want)
	}
	if all := silent[0].Worth; all.Total.String() != "7200120" || len(all.Missing) != 1 || all.Missing[0].Exact() != "120 XYZ" {
		t.Errorf("together they are worth %+v", all)
	}
	words := findings.About{Zone: time.UTC}.Finding(silent[0]).String()
	for _, want := range []string{"3 invitees stopped trading", "7,200,120 USDT in 30 days, converted: 120 BTC, 120.00 USDT and 120 XYZ", "XYZ"} {
		if !strings.Contains(words, want) {
			t.Errorf("%q is not in %q", want, words)
		}
	}
}

func TestAttentionToConcentration(t *testing.T) {
	w := reporttest.NewWatched(t)
	w.Trades(4, -100, 0, "100", "40")
	w.Collect()
	a := w.Look("")
	c := found[findings.Concentration](a)
	if a.Quiet() || len(c) != 1 || c[0].First != "4667776804" || c[0].One.Percent.String() != "76.9" || c[0].Severity() != findings.SeverityWarning {
		t.Errorf("%+v", c)
	}
}

// Where some invitees brought less than nothing, the share of the first is of what the others brought:
// 100 of 150, and not of the 30 that are left of it.
func TestConcentrationWithNegativeSums(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.Want("main", reporttest.Today-60)
	d.Read("main", reporttest.Spot, reporttest.Days(-60, 0), reporttest.Trade(reporttest.Today-2, reporttest.Spot, 1, "100"), reporttest.Trade(reporttest.Today-3, reporttest.Spot, 2, "50"), reporttest.Trade(reporttest.Today-4, reporttest.Spot, 3, "-120"))
	d.Read("main", reporttest.Futures, reporttest.Days(-60, 0))
	view, err := d.Attention(t.Context(), d.QueryOf("", query.AcceptedParams{Taken: reports.AttentionParams}))
	if err != nil {
		t.Fatal(err)
	}
	c := found[findings.Concentration](view)
	if len(c) != 1 || c[0].One.Percent.String() != "66.7" || c[0].Five.Percent.String() != "100" || c[0].Commission.String() != "30" {
		t.Fatalf("%+v", c)
	}
	const want = "One invitee earns you 66.7\u00a0% of what is earned before 120.00 USDT that was taken back. Invitee 4667776801 brought 100.00 USDT of the 150.00 USDT that invitees with a positive sum brought in the last 30 days. The others brought -120.00 USDT."
	if got := (findings.About{Zone: time.UTC, Today: reporttest.Today}).Finding(c[0]).String(); got != want {
		t.Errorf("it says %q", got)
	}
}

// The concentration on a few invitees is not reported for partly read days.
func TestAttentionWithoutConcentration(t *testing.T) {
	w := reporttest.NewWatched(t)
	w.Trades(4, -100, 0, "100", "40")
	w.Collect(reporttest.Days(-12, -12))
	if c := found[findings.Concentration](w.Look("")); len(c) != 0 {
		t.Errorf("one day of 30 is missing: %+v", c)
	}
}
