package figures

import (
	"github.com/shopspring/decimal"

	"rebatedesk/store/sums"
)

// Figures that the chart of the overview shows: the values of metric=. The first is the default.
const (
	MetricCommission = "commission"
	MetricFees       = "fees"
	MetricVolume     = "volume"
	MetricShare      = "share" // commission ÷ fees
	MetricRegistered = "registered"
	MetricDeposits   = "deposits" // first ones
	MetricTrades     = "trades"   // first ones
	MetricActive     = "active"   // traders
)

// Metrics lists the figures in the order of the page.
func Metrics() []string {
	return []string{MetricCommission, MetricFees, MetricShare, MetricVolume, MetricRegistered, MetricDeposits, MetricTrades, MetricActive}
}

// columnMetric is a figure of commission records that is added up.
type columnMetric struct {
	Title     string // empty = "Commission"
	Unit      string // instead of a coin
	EveryCoin bool   // it has one sum over all coins, see [VolumeOf]
	Of        func(sums.Sums) decimal.Decimal
}

// metricOf returns the figure of a metric; commission if it is none of commission records.
func metricOf(metric string) columnMetric {
	switch metric {
	case MetricFees:
		return columnMetric{Title: "Fees paid by invitees", Of: func(s sums.Sums) decimal.Decimal { return s.Fee.Decimal() }}
	case MetricVolume:
		return columnMetric{Title: "Volume", Unit: "≈ quote currency", EveryCoin: true, Of: func(s sums.Sums) decimal.Decimal {
			return s.TakerAmount.Decimal().Add(s.MakerAmount.Decimal())
		}}
	}
	return columnMetric{Of: func(s sums.Sums) decimal.Decimal { return s.Commission.Decimal() }}
}
