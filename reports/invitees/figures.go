package invitees

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/sums"
)

// productTotals splits sums by product and coin, most records first.
func productTotals(sumsList []sums.DaySums) []ProductTotals {
	products := map[affiliate.Product]*figures.CoinSums{}
	for _, d := range sumsList {
		if products[d.Product] == nil {
			products[d.Product] = new(figures.CoinSums)
		}
		products[d.Product].Add(d.Coin, d.Sums)
	}
	var list []ProductTotals
	wholes := map[affiliate.Coin]figures.Portions{}
	for product, t := range products {
		for _, totals := range t.Totals() {
			list = append(list, ProductTotals{Product: product, Totals: totals})
			whole := wholes[totals.Coin]
			whole.Add(totals.Commission)
			wholes[totals.Coin] = whole
		}
	}
	for i := range list {
		list[i].Share = wholes[list[i].Coin].Share(list[i].Commission)
	}
	slices.SortFunc(list, func(a, b ProductTotals) int {
		return cmp.Or(figures.MostRecords(a.Totals, b.Totals), cmp.Compare(a.Product, b.Product))
	})
	return list
}

// linesShown is the number of coins that share a chart of rates.
const linesShown = 3

// rateLines returns the effective rate of each month since the first record, in the coins
// with most records. A month without a fee has none.
func rateLines(ctx context.Context, q *snapshot.Snapshot, lifetime []figures.Totals) (figures.Lines, error) {
	f := q.Filter()
	f.Days = affiliate.Days{First: query.Earliest, Last: affiliate.DayOf(q.Now, q.Zone)}
	totals, err := sums.ByMonth(ctx, q.Tx, f)
	if err != nil || len(totals) == 0 {
		return figures.Lines{}, err
	}
	lines := figures.Lines{Of: "Share of fees per month", Unit: "%", Steps: monthsFrom(totals[0].First, f.Days.Last), Open: f.Days.Last}
	at := make(map[affiliate.Day]int, len(lines.Steps))
	for i, step := range lines.Steps {
		at[step.First] = i
	}
	for _, t := range lifetime[:min(len(lifetime), linesShown)] {
		line := figures.Curve{Name: string(t.Coin), Values: make([]decimal.Decimal, len(lines.Steps)), Known: make([]bool, len(lines.Steps))}
		for _, m := range totals {
			i, ok := at[m.First]
			if ok && m.Coin == t.Coin {
				rate := figures.Totals{Summed: affiliate.MapSummed(&m.Summed, (*affiliate.Number).Decimal)}.Rate()
				line.Values[i], line.Known[i] = rate.Percent, rate.Known
			}
		}
		lines.Parts = append(lines.Parts, line)
	}
	return lines, nil
}

// monthsFrom returns the calendar months from the one that begins with first to the one
// that contains last.
func monthsFrom(first, last affiliate.Day) []affiliate.Days {
	var months []affiliate.Days
	for first <= last {
		year, month, _ := first.Date()
		next := affiliate.NewDay(year, month+time.Month(1), 1)
		months = append(months, affiliate.Days{First: first, Last: next - 1})
		first = next
	}
	return months
}
