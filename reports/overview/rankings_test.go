package overview_test

import (
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/reports/reporttest"
)

// Every line of a range of several days has its days, but for pairs of single people in long ranges.
func TestEveryLineOfARankingHasItsDays(t *testing.T) {
	d := reporttest.NewFixture(t, "Asia/Kathmandu")
	d.Read("main", reporttest.Spot, reporttest.Days(-60, 0), reporttest.Trade(reporttest.Today-50, reporttest.Spot, 1, "1"), reporttest.Trade(reporttest.Today-3, reporttest.Spot, 1, "2"), reporttest.Trade(reporttest.Today-3, reporttest.Spot, 2, "4"), reporttest.Trade(reporttest.Today-1, reporttest.Spot, 1, "8"))
	d.Read("main", reporttest.Futures, reporttest.Days(-60, 0), reporttest.Trade(reporttest.Today-2, reporttest.Futures, 2, "16"))
	for asked, pairs := range map[string]bool{"range=30d": true, "range=90d": true, "range=30d&uid=4667776801": true, "range=90d&uid=4667776801": false, "range=yesterday": false} {
		view := d.Overview(asked)
		for _, ranking := range append(view.Rankings, view.Splits...) {
			want := view.Query.Days.Len()
			if want < 2 || ranking.By == figures.RankPairs && !pairs {
				want = 0
			}
			for _, line := range ranking.Lines {
				if len(line.Trend.Values) != want {
					t.Errorf("%s, %s: %d days of %q, want %d", asked, ranking.By, len(line.Trend.Values), line.Name, want)
				}
			}
			if len(ranking.Lines) == 0 && ranking.By != figures.RankCoins {
				t.Errorf("%s, %s: no lines", asked, ranking.By)
			}
		}
	}
}

// A ranking has lines for ten of many. Amounts that only the compared period has count
// among the others of that period.
func TestRankingOfMany(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	var records []affiliate.Commission
	for uid := range 15 {
		records = append(records, reporttest.Trade(reporttest.Today-1, reporttest.Spot, uid, "1"))
	}
	records = append(records, reporttest.Trade(reporttest.Today-1, reporttest.Spot, 14, "85"), reporttest.Trade(reporttest.Today-2, reporttest.Spot, 14, "43"), reporttest.Trade(reporttest.Today-2, reporttest.Spot, 0, "2"),
		reporttest.Trade(reporttest.Today-2, reporttest.Spot, 12, "3"), reporttest.Trade(reporttest.Today-2, reporttest.Spot, 20, "7"))
	d.Read("main", reporttest.Spot, reporttest.Days(-2, 0), records...)
	d.Read("main", reporttest.Futures, reporttest.Days(-2, 0))
	ranking := d.Overview("range=yesterday&compare=previous").Rankings[0]
	if len(ranking.Lines) != 10 || ranking.OthersN != 5 || ranking.Total.Exact() != "100 USDT" {
		t.Fatalf("%+v", ranking)
	}
	first, second, others := ranking.Lines[0], ranking.Lines[1], ranking.Others
	if first.Name != "4667776814" || first.Records != 2 || first.Share.Percent.String() != "86" || first.Commission.Change.Percent.String() != "100" {
		t.Errorf("the first is %+v", first)
	}
	if second.Name != "4667776800" || second.Share.Percent.String() != "1" || second.Commission.Change.Kind != figures.ChangeDown {
		t.Errorf("the second is %+v", second)
	}
	if third := ranking.Lines[2]; third.Commission.Change.Kind != figures.ChangeUp || third.Presence != figures.PresentNew {
		t.Errorf("the third is %+v", third)
	}
	if others.Commission.Amount.Exact() != "5 USDT" || others.Commission.Reference.Exact() != "10 USDT" || others.Share.Percent.String() != "5" {
		t.Errorf("the others are %+v", others)
	}
}

// A comparison of a running range says so, for every kind of comparison. A range that is
// over is compared with complete days, and the figures of a running day by its complete hours, by
// which people are not counted.
func TestComparisonWithARunningDay(t *testing.T) {
	d := reporttest.NewFixture(t, "UTC")
	d.Want("main", reporttest.Today-400)
	d.Read("main", reporttest.Spot, reporttest.Days(-400, 0), reporttest.Trade(reporttest.Today, reporttest.Spot, 1, "1"), reporttest.Trade(reporttest.Today-1, reporttest.Spot, 1, "4"), reporttest.Trade(reporttest.Today-7, reporttest.Spot, 1, "4"), reporttest.Trade(reporttest.Today-365, reporttest.Spot, 1, "4"),
		reporttest.Trade(reporttest.Today-2, reporttest.Spot, 1, "4"), reporttest.Trade(reporttest.Today-31, reporttest.Spot, 1, "4"), reporttest.Trade(reporttest.Today-32, reporttest.Spot, 1, "4"), reporttest.Trade(reporttest.Today-8, reporttest.Spot, 1, "4"), reporttest.Trade(reporttest.Today-366, reporttest.Spot, 1, "4"))
	d.Read("main", reporttest.Futures, reporttest.Days(-400, 0))
	for _, compare := range query.Compares() {
		for wanted, open := range map[string]bool{"range=today": true, "range=7d": true, "range=yesterday": false} {
			view := d.Overview(wanted + "&compare=" + string(compare))
			changes := []figures.Change{view.Cards[0].Commission.Change, view.Cards[0].Fee.Change, view.Invitees.ActiveTraders.Change,
				view.Rankings[0].Lines[0].Commission.Change, view.Splits[0].Lines[0].Commission.Change}
			for i, change := range changes {
				asked := compare != query.CompareNone
				byHour := wanted == "range=today" && i < 3
				compared := asked && !(byHour && i == 2)
				if change.Open != (open && asked && !byHour) || compared == (change.Kind == figures.ChangeNone) {
					t.Errorf("%s, %s: change %d is %+v", wanted, compare, i, change)
				}
			}
			if wanted == "range=today" && compare != query.CompareNone && changes[0].Percent.String() != "-75" {
				t.Errorf("%s: %+v", compare, changes[0])
			}
		}
	}
}
