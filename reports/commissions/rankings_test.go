package commissions_test

import (
	"math/big"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/reporttest"
)

// rankedName returns the line of a ranking to which a record belongs.
func rankedName(by figures.RankBy, r reporttest.Record) string {
	switch by {
	case figures.RankInvitees:
		return string(r.Account) + " " + string(r.UID)
	case figures.RankPairs:
		return r.Symbol
	case figures.RankCodes:
		return r.Code
	case figures.RankProducts:
		return string(r.Product)
	case figures.RankSources:
		return string(r.Source)
	}
	return string(r.Coin)
}

// checkRankings compares every ranking and split with the records.
func checkRankings(t *rapid.T, m *reporttest.Model, view overview.Report, rows []reporttest.Record) {
	t.Helper()
	for _, ranking := range append(view.Rankings, view.Splits...) {
		groups := map[string][]reporttest.Record{}
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

func checkLines(t *rapid.T, m *reporttest.Model, ranking figures.Ranking, groups map[string][]reporttest.Record) {
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
		want := m.Sums(list)[list[0].Coin]
		if line.Records != want.Records || reporttest.Exact(m, line.Commission.Amount.Value).Cmp(want.Commission) != 0 || reporttest.Exact(m, line.Fee.Value).Cmp(want.Fee) != 0 {
			t.Fatalf("%s: line %d is %+v, want %v", ranking.By, i+1, line, want)
		}
		checkTrend(t, m, ranking, line, list)
		if ranking.By == figures.RankInvitees && line.Code != list[0].Code {
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
func checkTrend(t *rapid.T, m *reporttest.Model, ranking figures.Ranking, line figures.RankLine, list []reporttest.Record) {
	t.Helper()
	if len(line.Trend.Values) == 0 {
		return
	}
	want := map[affiliate.Day]*big.Rat{}
	for _, r := range list {
		day := affiliate.DayOf(r.DealTime.Time(), m.Zone)
		if want[day] == nil {
			want[day] = new(big.Rat)
		}
		want[day].Add(want[day], reporttest.Rat(m, string(r.Commission.Commission)))
	}
	for i, value := range line.Trend.Values {
		day := line.Trend.Days.First + affiliate.Day(i)
		if want[day] == nil {
			want[day] = new(big.Rat)
		}
		if reporttest.Exact(m, value).Cmp(want[day]) != 0 {
			t.Fatalf("%s: %q on %s is %s, want %s", ranking.By, line.Name, day, value, want[day].FloatString(18))
		}
	}
	if line.Trend.Coin != list[0].Coin {
		t.Fatalf("%s: the days of %q are in %s", ranking.By, line.Name, line.Trend.Coin)
	}
}

// checkShare compares a share with all groups: it is of those of the same sign, and where signs are
// mixed, of the positive ones.
func checkShare(t *rapid.T, m *reporttest.Model, line figures.RankLine, groups map[string][]reporttest.Record) {
	t.Helper()
	positive, negative := new(big.Rat), new(big.Rat)
	for _, list := range groups {
		switch sum := m.Sums(list)[list[0].Coin].Commission; sum.Sign() {
		case 1:
			positive.Add(positive, sum)
		case -1:
			negative.Add(negative, sum)
		}
	}
	own, whole, mixed := reporttest.Exact(m, line.Commission.Amount.Value), positive, positive.Sign() != 0 && negative.Sign() != 0
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
	if !line.Share.Known || reporttest.Exact(m, line.Share.Percent).Cmp(reporttest.Rat(m, want)) != 0 || line.Share.OfPositive != mixed {
		t.Fatalf("%q has a share of %v, want %s", line.Name, line.Share, want)
	}
}

// checkWhole adds up the lines and the others.
func checkWhole(t *rapid.T, m *reporttest.Model, ranking figures.Ranking, rows []reporttest.Record, coin affiliate.Coin) {
	t.Helper()
	var all []reporttest.Record
	for _, r := range rows {
		if r.Coin == coin {
			all = append(all, r)
		}
	}
	sum, records, want := ranking.Others.Commission.Amount.Value, ranking.Others.Records, new(big.Rat)
	for _, line := range ranking.Lines {
		sum, records = sum.Add(line.Commission.Amount.Value), records+line.Records
	}
	for _, s := range m.Sums(all) {
		want = s.Commission
	}
	if reporttest.Exact(m, sum).Cmp(want) != 0 || !sum.Equal(ranking.Total.Value) || records != int64(len(all)) {
		t.Fatalf("%s: lines and others are %s of %d records, the total %s, want %s", ranking.By, sum, records, ranking.Total.Value, want.FloatString(18))
	}
}
