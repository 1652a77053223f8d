package figures

import (
	"github.com/shopspring/decimal"

	"rebatedesk/store/sums"
)

// Figures that the chart of the overview shows: the values of metric=. The first is the default.
const (
	ShowCommission  = "commission"
	ShowFees        = "fees"
	ShowVolume      = "volume"
	ShowShareOfFees = "share" // commission ÷ fees
	ShowRegistered  = "registered"
	ShowDeposits    = "deposits" // first ones
	ShowTrades      = "trades"   // first ones
	ShowActive      = "active"   // traders
)

// ChartMetrics lists the figures in the order of the page.
func ChartMetrics() []string {
	return []string{ShowCommission, ShowFees, ShowShareOfFees, ShowVolume, ShowRegistered, ShowDeposits, ShowTrades, ShowActive}
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
	case ShowFees:
		return columnMetric{Title: "Fees paid by invitees", Of: func(s sums.Sums) decimal.Decimal { return s.Fee.Decimal() }}
	case ShowVolume:
		return columnMetric{Title: "Volume", Unit: "≈ quote currency", EveryCoin: true, Of: func(s sums.Sums) decimal.Decimal {
			return s.TakerAmount.Decimal().Add(s.MakerAmount.Decimal())
		}}
	}
	return columnMetric{Of: func(s sums.Sums) decimal.Decimal { return s.Commission.Decimal() }}
}
