package payments_test

import (
	"fmt"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	shownpayments "rebatedesk/reports/payments"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/payments"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// BenchmarkPayments opens the report of payments after each write, as the first reader after a
// collection does: 400 days and six coins, with direct commissions and those of sub-agents,
// paid each day. The aim of a page after a write is 60 ms.
func BenchmarkPayments(b *testing.B) {
	d := reporttest.NewFixture(b, "UTC")
	first := reporttest.Today - 399
	d.Want("main", first)
	var rows []affiliate.Commission
	var bills []affiliate.Bill
	for day := first; day <= reporttest.Today; day++ {
		for n, coin := range []affiliate.Coin{"USDT", "BTC", "ETH", "USDC", "SOL", "XRP"} {
			for _, of := range []struct {
				source   affiliate.Source
				business string
			}{{affiliate.Direct, "rr_agent_reward"}, {affiliate.SubAgent, "rake_back_reward"}} {
				var sum affiliate.Sum
				for hour := range 12 {
					c := reporttest.Trade(day, reporttest.Spot, n, affiliate.Number(fmt.Sprintf("0.%03d%02d%02d1", int(day)%1000, n, hour)))
					c.DealTime += affiliate.Millis(time.Duration(2*hour) * time.Hour / time.Millisecond)
					c.DealTime = min(c.DealTime, reporttest.Midnight(day+1)-1)
					c.Coin, c.Source = coin, of.source
					sum.Add(c.Commission)
					if c.DealTime < affiliate.MillisOf(d.Now) {
						rows = append(rows, c)
					}
				}
				if day < reporttest.Today-1 && (int(day)+n)%40 != 0 {
					bills = append(bills, affiliate.Bill{Wallet: affiliate.SpotWallet, ID: fmt.Sprint(len(bills)), Coin: coin, Business: of.business,
						Amount: affiliate.Number(sum.String()), Balance: "1", Created: reporttest.Midnight(day+1) + 8*3600_000 + affiliate.Millis(len(bills)%60_000)})
				}
			}
		}
	}
	span := affiliate.Days{First: first, Last: reporttest.Today}
	d.Read("main", reporttest.Spot, span, rows...)
	d.Read("main", reporttest.Futures, span)
	for _, kind := range []affiliate.StreamKind{affiliate.SpotBills, affiliate.FundingBills} {
		_, err := payments.ReplaceBills(d.Context(), d.DB, d.Slice("main", affiliate.Stream{Kind: kind}, span), bills)
		storetest.Done(b, err)
		bills = nil
	}
	asked := d.QueryOf("range=all", shownpayments.Accepted)
	for b.Loop() {
		b.StopTimer()
		touched := d.Slice("main", reporttest.Futures, reporttest.Days(0, 0))
		_, err := records.ReplaceCommissions(d.Context(), d.DB, touched, nil)
		storetest.Done(b, err)
		b.StartTimer()
		report, err := reports.Ask(d.Context(), d.Service, asked, shownpayments.Make)
		storetest.Done(b, err)
		if report.Count < 4000 || !report.Rules[0].Known {
			b.Fatalf("%d lines, %+v", report.Count, report.Rules)
		}
	}
}
