package reports_test

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/query"
)

// rankedName returns the line of a ranking to which a record belongs.
func rankedName(by figures.RankBy, r record) string {
	switch by {
	case figures.RankInvitees:
		return string(r.account) + " " + string(r.UID)
	case figures.RankPairs:
		return r.Symbol
	case figures.RankCodes:
		return r.code
	case figures.RankProducts:
		return string(r.Product)
	case figures.RankSources:
		return string(r.Source)
	}
	return string(r.Coin)
}

// checkRankings compares every ranking and split with the records.
func checkRankings(t *rapid.T, m *model, view overview.Report, rows []record) {
	t.Helper()
	for _, ranking := range append(view.Rankings, view.Splits...) {
		groups := map[string][]record{}
		for _, r := range rows {
			if ranking.By == figures.RankCoins || r.Coin == view.Coin {
				name := rankedName(ranking.By, r)
				groups[name] = append(groups[name], r)
			}
		}
		if len(ranking.Lines)+ranking.OthersN != len(groups) {
			t.Fatalf("%s: %d lines and %d others of %d", ranking.By, len(ranking.Lines), ranking.OthersN, len(groups))
		}
		checkLines(t, m, ranking, groups)
		if ranking.By != figures.RankCoins {
			checkWhole(t, m, ranking, rows, view.Coin)
		}
	}
}

func checkLines(t *rapid.T, m *model, ranking figures.Ranking, groups map[string][]record) {
	t.Helper()
	for i, line := range ranking.Lines {
		name := line.Name
		if ranking.By == figures.RankInvitees {
			name = string(line.Account) + " " + name
		}
		list := groups[name]
		if len(list) == 0 {
			t.Fatalf("%s: no record belongs to the line %q", ranking.By, name)
		}
		want := m.sums(list)[list[0].Coin]
		if line.Records != want.records || exact(m, line.Commission.Amount.Value).Cmp(want.commission) != 0 || exact(m, line.Fee.Value).Cmp(want.fee) != 0 {
			t.Fatalf("%s: line %d is %+v, want %v", ranking.By, i+1, line, want)
		}
		checkTrend(t, m, ranking, line, list)
		if ranking.By == figures.RankInvitees && line.Code != list[0].code {
			t.Fatalf("%s: the code of %s is %q", ranking.By, name, line.Code)
		}
		if ranking.By != figures.RankCoins {
			checkShare(t, m, line, groups)
			if i > 0 && line.Commission.Amount.Value.GreaterThan(ranking.Lines[i-1].Commission.Amount.Value) {
				t.Fatalf("%s: line %d brought more than the previous one", ranking.By, i+1)
			}
		}
	}
}

// checkTrend compares the days of a line with its records.
func checkTrend(t *rapid.T, m *model, ranking figures.Ranking, line figures.RankLine, list []record) {
	t.Helper()
	if len(line.Trend.Values) == 0 {
		return
	}
	want := map[affiliate.Day]*big.Rat{}
	for _, r := range list {
		day := affiliate.DayOf(r.DealTime.Time(), m.zone)
		if want[day] == nil {
			want[day] = new(big.Rat)
		}
		want[day].Add(want[day], rat(m, string(r.Commission.Commission)))
	}
	for i, value := range line.Trend.Values {
		day := line.Trend.Days.First + affiliate.Day(i)
		if want[day] == nil {
			want[day] = new(big.Rat)
		}
		if exact(m, value).Cmp(want[day]) != 0 {
			t.Fatalf("%s: %q on %s is %s, want %s", ranking.By, line.Name, day, value, want[day].FloatString(18))
		}
	}
	if line.Trend.Coin != list[0].Coin {
		t.Fatalf("%s: the days of %q are in %s", ranking.By, line.Name, line.Trend.Coin)
	}
}

// Every line of a range of several days has its days, but for pairs of single people in long ranges.
func TestEveryLineOfARankingHasItsDays(t *testing.T) {
	d := newFixture(t, "Asia/Kathmandu")
	d.read("main", spot, days(-60, 0), trade(today-50, spot, 1, "1"), trade(today-3, spot, 1, "2"), trade(today-3, spot, 2, "4"), trade(today-1, spot, 1, "8"))
	d.read("main", futures, days(-60, 0), trade(today-2, futures, 2, "16"))
	for asked, pairs := range map[string]bool{"range=30d": true, "range=90d": true, "range=30d&uid=4667776801": true, "range=90d&uid=4667776801": false, "range=yesterday": false} {
		view := d.overview(asked)
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

// checkShare compares a share with all groups: it is of those of the same sign, and where signs are
// mixed, of the positive ones.
func checkShare(t *rapid.T, m *model, line figures.RankLine, groups map[string][]record) {
	t.Helper()
	positive, negative := new(big.Rat), new(big.Rat)
	for _, list := range groups {
		switch sum := m.sums(list)[list[0].Coin].commission; sum.Sign() {
		case 1:
			positive.Add(positive, sum)
		case -1:
			negative.Add(negative, sum)
		}
	}
	own, whole, mixed := exact(m, line.Commission.Amount.Value), positive, positive.Sign() != 0 && negative.Sign() != 0
	if positive.Sign() == 0 {
		whole = negative
	}
	if whole.Sign() == 0 || own.Sign() == -whole.Sign() && own.Sign() != 0 {
		if line.Share.Known {
			t.Fatalf("%q has a share of what it is no part of: %v", line.Name, line.Share)
		}
		return
	}
	want := new(big.Rat).Quo(new(big.Rat).Mul(own, big.NewRat(100, 1)), whole).FloatString(1)
	if !line.Share.Known || exact(m, line.Share.Percent).Cmp(rat(m, want)) != 0 || line.Share.OfPositive != mixed {
		t.Fatalf("%q has a share of %v, want %s", line.Name, line.Share, want)
	}
}

// checkWhole adds up the lines and the others.
func checkWhole(t *rapid.T, m *model, ranking figures.Ranking, rows []record, coin affiliate.Coin) {
	t.Helper()
	var all []record
	for _, r := range rows {
		if r.Coin == coin {
			all = append(all, r)
		}
	}
	sum, records, want := ranking.Others.Commission.Amount.Value, ranking.Others.Records, new(big.Rat)
	for _, line := range ranking.Lines {
		sum, records = sum.Add(line.Commission.Amount.Value), records+line.Records
	}
	for _, s := range m.sums(all) {
		want = s.commission
	}
	if exact(m, sum).Cmp(want) != 0 || !sum.Equal(ranking.Total.Value) || records != int64(len(all)) {
		t.Fatalf("%s: lines and others are %s of %d records, the total %s, want %s", ranking.By, sum, records, ranking.Total.Value, want.FloatString(18))
	}
}

// A ranking has lines for ten of many. Amounts that only the compared period has count
// among the others of that period.
func TestRankingOfMany(t *testing.T) {
	d := newFixture(t, "UTC")
	var records []affiliate.Commission
	for uid := range 15 {
		records = append(records, trade(today-1, spot, uid, "1"))
	}
	records = append(records, trade(today-1, spot, 14, "85"), trade(today-2, spot, 14, "43"), trade(today-2, spot, 0, "2"),
		trade(today-2, spot, 12, "3"), trade(today-2, spot, 20, "7"))
	d.read("main", spot, days(-2, 0), records...)
	d.read("main", futures, days(-2, 0))
	ranking := d.overview("range=yesterday&compare=previous").Rankings[0]
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
	d := newFixture(t, "UTC")
	d.want("main", today-400)
	d.read("main", spot, days(-400, 0), trade(today, spot, 1, "1"), trade(today-1, spot, 1, "4"), trade(today-7, spot, 1, "4"), trade(today-365, spot, 1, "4"),
		trade(today-2, spot, 1, "4"), trade(today-31, spot, 1, "4"), trade(today-32, spot, 1, "4"), trade(today-8, spot, 1, "4"), trade(today-366, spot, 1, "4"))
	d.read("main", futures, days(-400, 0))
	for _, compare := range query.Compares() {
		for wanted, open := range map[string]bool{"range=today": true, "range=7d": true, "range=yesterday": false} {
			view := d.overview(wanted + "&compare=" + string(compare))
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
