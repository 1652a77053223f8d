package demo

import (
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator"
)

// oddRecords are records as an exchange seldom sends them, for the demo's pages to show: a fee that was
// paid back, trades without a fee, and a record of an earlier month whose fee cannot be read. They are
// of an invitee who earned commission.
func oddRecords(ledger simulator.Ledger, start time.Time) []affiliate.Commission {
	at := func(days, hours int) affiliate.Millis {
		return affiliate.MillisOf(start.Truncate(24*time.Hour).AddDate(0, 0, -days).Add(time.Duration(hours) * time.Hour))
	}
	for _, c := range ledger.Commissions {
		if c.Source != affiliate.Direct || c.Coin != "USDT" || c.Product != affiliate.Spot || c.DealTime > at(90, 0) {
			continue
		}
		back, free, unreadable := c, c, c
		back.DealTime, back.TakerAmount, back.MakerAmount, back.Fee, back.Rate, back.Commission = at(9, 14), "0", "0", "-46.00", "0.4", "-18.4"
		free.DealTime, free.TakerAmount, free.MakerAmount, free.Fee, free.Commission = at(6, 9), "5000", "0", "0", "0"
		unreadable.DealTime, unreadable.Fee, unreadable.Rate, unreadable.Commission = at(75, 11), "12,50", "0.4", "5.00"
		return []affiliate.Commission{back, free, unreadable}
	}
	return nil
}
