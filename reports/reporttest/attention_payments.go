package reporttest

import (
	"fmt"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store/payments"
)

// EarnedMore is what a day earned in addition to 12 USDT.
func EarnedMore(day int) affiliate.Number { return affiliate.Number(fmt.Sprintf("0.%04d", 9+200+day)) }

// Earned is what a day earned, in USDT.
func Earned(day int) affiliate.Number { return "12" + EarnedMore(day)[1:] }

// Paid stores payments for the days of newPaid, each eight hours after the day, in the amounts
// of change where it has them.
func (w *Watched) Paid(change map[int][]affiliate.Number) {
	w.Helper()
	var bills []affiliate.Bill
	for day := -200; day < 0; day++ {
		amounts, ok := change[day]
		if !ok {
			amounts = []affiliate.Number{Earned(day)}
		}
		for n, amount := range amounts {
			at := affiliate.MillisOf((Today + affiliate.Day(day) + 1).Start(time.UTC).Add(8*time.Hour + time.Duration(n)*time.Minute))
			if at < affiliate.MillisOf(w.Now) {
				bills = append(bills, affiliate.Bill{Wallet: affiliate.SpotWallet, ID: fmt.Sprint(day, n), Coin: "USDT", Business: "rr_agent_reward", Amount: amount, Balance: "1", Created: at})
			}
		}
	}
	slice := w.Slice("main", affiliate.Stream{Kind: affiliate.SpotBills}, Days(-200, 0))
	if _, err := payments.ReplaceBills(w.Context(), w.DB, slice, bills); err != nil {
		w.Fatal(err)
	}
}
