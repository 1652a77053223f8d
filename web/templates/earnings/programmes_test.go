package earnings

import (
	"testing"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/programmes"
)

// Days that only some programmes lack are said, since these seem to earn less than the others.
func TestUnequalProgrammes(t *testing.T) {
	t.Parallel()
	column := func(account affiliate.Account, through affiliate.Millis) programmes.Column {
		return programmes.Column{Account: account, Coverage: coverage.Coverage{Wanted: 30, Through: through}}
	}
	for want, columns := range map[string][]programmes.Column{
		"": {column("asia", 1), column("west", 1)},
		" Days of east and west are not collected, so the programmes cannot be compared as a whole.": {column("asia", 1), column("east", 0), column("west", 0)},
	} {
		if got := (programmesView{Report: programmes.Report{Programmes: columns}}).unequal(); got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
}

// No programme is said to have earned most if others earned as much.
func TestMostEarningProgrammes(t *testing.T) {
	t.Parallel()
	for want, earned := range map[string][]int64{
		"2 programmes earned 4.00 USDT together, converted; west earned most: 3.00 USDT, 75.0\u00a0%.":                 {1, 3},
		"2 programmes earned 4.00 USDT together, converted; each earned 2.00 USDT, 50.0\u00a0%.":                       {2, 2},
		"3 programmes earned 10.00 USDT together, converted; east and north earned most: 4.00 USDT, 40.0\u00a0% each.": {4, 2, 4},
		"2 programmes earned 0.00 USDT together, converted.":                                                           {0, 0},
	} {
		var r programmes.Report
		sum := decimal.Zero
		for _, e := range earned {
			sum = sum.Add(decimal.NewFromInt(e))
		}
		r.Total.Valued.Total = sum
		for i, account := range []affiliate.Account{"east", "west", "north"}[:len(earned)] {
			total := decimal.NewFromInt(earned[i])
			r.Programmes = append(r.Programmes, programmes.Column{Account: account, Valued: figures.Valuation{Total: total}, Share: figures.QuotientOf(total, sum)})
		}
		if got := (programmesView{Report: r}).answer(); got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
}
