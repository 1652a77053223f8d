package packs_test

import (
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/books"
	"rebatedesk/reports/packs"
	"rebatedesk/reports/payments"
)

func line(state books.State, earned, whenPaid, paid affiliate.Number) payments.PaymentLine {
	l := payments.PaymentLine{Line: books.Line{Account: "main", Coin: "USDT", Kind: books.All, From: affiliate.MillisOf(time.Date(2026, 10, 6, 0, 0, 0, 0, time.UTC)),
		To: affiliate.MillisOf(time.Date(2026, 10, 7, 0, 0, 0, 0, time.UTC)), State: state}}
	l.Earned.Add(earned)
	l.WhenPaid.Add(whenPaid)
	if l.Paid.Add(paid); paid != "0" {
		l.Bills = []books.Bill{{Account: "main", Bill: affiliate.Bill{ID: "1", Coin: "USDT", Amount: paid}}}
	}
	return l
}

// The letter names what was paid too much next to what it asks for, sets both against each other, and
// tells what was short from what the exchange raised after it had paid.
func TestLetterSaysBothSides(t *testing.T) {
	l := packs.SupportLetter{About: "commissions of October 2026", AsOf: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), Accounts: []packs.LetterAccount{{
		Account: "main", Ruled: true,
		Payments: []payments.PaymentLine{
			line(books.Missing, "100", "100", "0"), line(books.Short, "20", "20", "12"), line(books.Short, "50", "26.38", "26.38"),
			line(books.Twice, "97", "97", "194"), line(books.Unexplained, "0", "0", "97.57"), line(books.Matched, "5", "5", "5"),
		},
		Rates:    []packs.RateClaim{{Who: "all invitees", Agreed: true, Coin: "USDT", Records: 3, Difference: decimal.RequireFromString("-266.19")}},
		Overpaid: []affiliate.Amount{{Value: decimal.RequireFromString("2861.46"), Coin: "USDT"}},
	}}}
	text := strings.Join(strings.Fields(l.Text()), " ")
	for _, want := range []string{
		"commission earned and not paid Cases: 2 Due and not paid: 108 USDT",                     // 100 + 8
		"commission that you raised after you had paid it Cases: 1 Due and not paid: 23.62 USDT", // 50 − 26.38
		"a lower rate than due Cases: 1 Due and not paid: 266.19 USDT",
		"payments made twice, too high or for no period Cases: 2 Paid and not due: 194.57 USDT", // 97 + 97.57
		"a higher rate than due Cases: 1 Paid and not due: 2861.46 USDT",
		"main 397.81 3056.03 -2658.22 USDT", // both sides of the account
		"By the same figures this was paid to us and was not due:",
		"where a negative balance is what you have paid ahead",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the letter does not say %q:\n%s", want, l.Text())
		}
	}
	l.Accounts[0].Ruled = false // nobody knows which payments are too much
	l.Accounts[0].Overpaid = nil
	if text := l.Text(); strings.Contains(text, "was not due") {
		t.Errorf("without a payout rule the letter says\n%s", text)
	}
}
