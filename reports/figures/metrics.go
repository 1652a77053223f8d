package figures

import (
	"rebatedesk/affiliate"
	"rebatedesk/store/sums"
)

// Figures that the chart of the overview shows: the values of metric=. The first is the default.
const (
	ShowCommission  = "commission" // these are of [affiliate.Metrics]
	ShowFees        = "fees"
	ShowVolume      = "volume"
	ShowShareOfFees = "share" // commission ÷ fees
	ShowRegistered  = "registered"
	ShowDeposits    = "deposits" // first ones
	ShowTrades      = "trades"   // first ones
	ShowActive      = "active"   // traders
)

// ChartMetrics lists the figures in the order of the page: those of [affiliate.Metrics] and others.
func ChartMetrics() (names []string) {
	for _, m := range affiliate.Metrics {
		names = append(names, m.Name)
		if m.Name == ShowFees {
			names = append(names, ShowShareOfFees)
		}
	}
	return append(names, ShowRegistered, ShowDeposits, ShowTrades, ShowActive)
}

// ShareLine returns the share of fees in one coin for each step of time, beside that of the
// compared period. A step without fees has none.
func ShareLine(days affiliate.Days, steps []affiliate.Days, coin affiliate.Coin, totals []sums.DaySums, ref Reference) Lines {
	lines := Lines{Of: "Share of fees", Unit: "%", Steps: steps, Parts: []Curve{shareCurve("Share of fees", steps, coin, totals, 0)}}
	if ref.Asked {
		before := shareCurve("Compared", steps, coin, ref.Sums, days.First-ref.Days.First)
		before.Compared = true
		lines.Parts = append(lines.Parts, before)
		for _, step := range steps {
			by := days.First - ref.Days.First
			lines.RefSteps = append(lines.RefSteps, affiliate.Days{First: step.First - by, Last: min(step.Last-by, ref.Days.Last)})
		}
	}
	return lines
}

// shareCurve moves the sums by some days, so that those of the compared period meet the steps.
func shareCurve(name string, steps []affiliate.Days, coin affiliate.Coin, totals []sums.DaySums, by affiliate.Day) Curve {
	c := Curve{Name: name}
	for _, step := range steps {
		var of CoinSums
		for _, d := range totals {
			if d.Coin == coin && step.Contains(d.Day+by) {
				of.Add(coin, d.Sums)
			}
		}
		rate := TotalIn(of.Totals(), coin).Rate()
		c.Values, c.Known = append(c.Values, rate.Percent), append(c.Known, rate.Known)
	}
	return c
}
