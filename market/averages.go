package market

import (
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// MovingAverages returns for each slot the average of a figure over the newest n candles up to
// it. It is unknown with fewer than n candles, if one of them lacks the figure, and if trades may
// be missing since the first of them. A slot without a trade has no candle, so it counts for
// nothing and keeps the average before it. The averages are exact if n divides 100.
func MovingAverages(slots []Slot, n int, of func(Slot) affiliate.Number) []affiliate.Number {
	averages := make([]affiliate.Number, len(slots))
	var window []affiliate.Number // of the candles since the last gap, the newest n
	for i, s := range slots {
		figure := of(s)
		switch {
		case s.Gap() || s.Traded() && !figure.Known():
			window = nil
		case s.Traded():
			window = append(window, figure)
			window = slices.Delete(window, 0, max(0, len(window)-n))
		}
		if len(window) == n && n > 0 {
			averages[i] = average(window)
		}
	}
	return averages
}

// average divides to two more decimals than the figures have.
func average(figures []affiliate.Number) affiliate.Number {
	var sum affiliate.Sum
	decimals := int32(0)
	for _, f := range figures {
		sum.Add(f)
		decimals = max(decimals, -f.Decimal().Exponent())
	}
	mean := sum.Decimal().DivRound(decimal.NewFromInt(int64(len(figures))), decimals+2)
	return affiliate.Number(mean.String()).Canonical()
}
