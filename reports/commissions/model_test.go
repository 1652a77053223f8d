package commissions_test

import (
	"cmp"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/records"
)

// order compares two rows by a column, independently of SQL.
func order(t testing.TB, column string, a, b records.CommissionRow) int {
	byValue := func(a, b affiliate.Number) int { // unknown values come first
		if !a.Known() || !b.Known() {
			return cmp.Compare(len(a), len(b))
		}
		return reporttest.Rat(t, string(a)).Cmp(reporttest.Rat(t, string(b)))
	}
	switch column {
	case "time":
		return cmp.Compare(a.DealTime, b.DealTime)
	case "uid":
		return cmp.Compare(a.UID, b.UID)
	case "symbol":
		return cmp.Compare(a.Symbol, b.Symbol)
	case "product":
		return cmp.Compare(a.Product, b.Product)
	case "source":
		return cmp.Compare(a.Source, b.Source)
	case "coin":
		return cmp.Compare(a.Coin, b.Coin)
	case "taker":
		return byValue(a.TakerAmount, b.TakerAmount)
	case "maker":
		return byValue(a.MakerAmount, b.MakerAmount)
	case "fee":
		return byValue(a.Fee, b.Fee)
	case "rate":
		return byValue(a.Rate, b.Rate)
	case "commission":
		return byValue(a.Commission.Commission, b.Commission.Commission)
	}
	t.Fatalf("no column %s", column)
	return 0
}
