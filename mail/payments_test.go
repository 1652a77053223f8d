package mail

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/mail/mailer"
	"rebatedesk/store/outbox"
	"rebatedesk/store/payments"
	"rebatedesk/store/records"
)

// paidDaily returns a fixture in which 10 USDT and 1 BTC are earned each day, and paid eight
// hours after its end, except for some days.
func paidDaily(t testing.TB, server mailer.Server, except ...affiliate.Day) *fixture {
	t.Helper()
	d := steady(t, server)
	_, err := d.reports.FixPayoutRule(t.Context(), payments.FixedRule{Rule: "day+8h together rr_agent_reward", From: first - 70}, someone)
	if err != nil {
		t.Fatal(err)
	}
	d.pays(bills(first-70, first-1, except...)...)
	return d
}

// bills are the payments of days, each eight hours after its end.
func bills(from, until affiliate.Day, except ...affiliate.Day) (list []affiliate.Bill) {
	for day := from; day <= until; day++ {
		left := false
		for _, one := range except {
			left = left || one == day
		}
		if !left {
			list = append(list, reward(day, "10", "USDT", 0), reward(day, "1", "BTC", 0))
		}
	}
	return list
}

// reward is the payment of a day, some time after the rule's time.
func reward(of affiliate.Day, amount affiliate.Number, coin affiliate.Coin, late time.Duration) affiliate.Bill {
	at := affiliate.MillisOf((of + 1).Start(time.UTC).Add(8*time.Hour + late))
	return affiliate.Bill{Wallet: affiliate.SpotWallet, ID: fmt.Sprintf("%s-%s-%d", coin, of, at), Coin: coin, Business: "rr_agent_reward", Amount: amount, Balance: "100", Created: at}
}

// pays stores all bills of the spot wallet, as a run of the collector reads them now.
func (d *fixture) pays(list ...affiliate.Bill) {
	d.Helper()
	for _, stream := range affiliate.Streams() {
		if stream.Kind.Wallet() == "" {
			continue
		}
		var own []affiliate.Bill
		for _, bill := range list {
			if stream.Kind.Wallet() == bill.Wallet && bill.Created <= affiliate.MillisOf(d.now) {
				own = append(own, bill)
			}
		}
		slice := records.Slice{Account: "main", Stream: stream, Days: daysOf(first-70, affiliate.DayOf(d.now, time.UTC)), Started: d.now, Through: affiliate.MillisOf(d.now)}
		if _, err := payments.ReplaceBills(d.Context(), d.store, slice, own); err != nil {
			d.Fatal(err)
		}
	}
}

// earns stores what the days until a day brought, as steady does, and lets the clock show noon
// of the day after.
func (d *fixture) earns(until affiliate.Day) {
	d.Helper()
	d.now = (until + 1).Start(time.UTC).Add(12 * time.Hour)
	var list []affiliate.Commission
	for day := first - 5; day <= until; day++ {
		list = append(list, brings(day, "10", "USDT"), brings(day, "1", "BTC"))
	}
	d.collect(daysOf(first-5, until+1), list...)
}

const (
	missingOne = "Alert: 1 payment missing – all accounts (UTC)"
	lateOne    = "Alert: 1 payment late – all accounts (UTC)"
)

// A payment that does not arrive is reported once, and so is its late arrival. What was late
// before the alert began is not reported, what is still missing is.
func TestAlertOfPayments(t *testing.T) {
	d := paidDaily(t, mailer.Server{}, first-30)
	d.pays(append(bills(first-70, first-1, first-30, first-20), reward(first-20, "10", "USDT", 50*time.Hour), reward(first-20, "1", "BTC", 0))...)
	d.watching("payment", func(a *outbox.Subscription) { a.Coin, a.Amount = "USDT", "" })
	told(t, "missing before the alert", d.after(0), missingOne)
	text := unwrapped(d.newest().Text)
	if !strings.Contains(text, "- main, 2 Aug 2026 (UTC), USDT: 10.00 USDT earned and not paid, due on 3 Aug 2026 09:00 UTC\n") ||
		!strings.Contains(text, "https://desk.example.com/payments/line?account=main&coin=USDT&end=2026-08-03T00%3A00%3A00.000Z&kind=all&start=2026-08-02T00%3A00%3A00.000Z") {
		t.Errorf("it says\n%s", text)
	}
	paid := bills(first-70, first-1, first-30)
	d.earns(first + 1)
	d.pays(append(paid, bills(first, first)...)...) // the payment of the next day is missing
	told(t, "the next is missing", d.after(0), missingOne, missingOne)
	told(t, "an hour later", d.after(time.Hour), missingOne, missingOne)
	paid = append(paid, bills(first, first)...)
	paid = append(paid, reward(first+1, "10", "USDT", 30*time.Hour), reward(first+1, "1", "BTC", 0))
	d.earns(first + 2)
	paid = append(paid, bills(first+2, first+2)...)
	d.now = d.now.Add(6 * time.Hour)
	d.pays(paid...)
	told(t, "it came late", d.after(0), missingOne, missingOne, lateOne)
	if text := unwrapped(d.newest().Text); !strings.Contains(text, "USDT: 10.00 USDT paid 1 day 5 hours late, on 4 Sep 2026 14:00 UTC") {
		t.Errorf("it says\n%s", text)
	}
	told(t, "later", d.after(24*time.Hour), missingOne, missingOne, lateOne)
}

// A missing payment that arrives while the alert holds back is reported only as late, and one
// that a user has accepted not at all.
func TestAlertOfPaymentsHeldBack(t *testing.T) {
	d := paidDaily(t, mailer.Server{}, first-30, first-10)
	for _, day := range []affiliate.Day{first - 30, first - 10} {
		key := payments.LineKey{Account: "main", Coin: "BTC", Kind: "all", From: affiliate.MillisOf(day.Start(time.UTC)), To: affiliate.MillisOf((day + 1).Start(time.UTC))}
		if err := d.reports.AddPaymentNote(t.Context(), payments.Note{Line: key, Verdict: payments.Accepted}, someone); err != nil {
			t.Fatal(err)
		}
	}
	d.watching("payment", func(a *outbox.Subscription) { a.Coin, a.Amount, a.QuietFrom, a.QuietUntil = "", "", 7*60, 14*60 })
	told(t, "in quiet time", d.after(0))
	if state, err := d.AlertStates(t.Context()); err != nil || len(state) != 1 || len(state[0].Waiting) != 2 {
		t.Fatalf("%+v, %v", state, err)
	}
	d.now = d.now.Add(2 * time.Hour)
	d.pays(append(bills(first-70, first, first-30, first-10), reward(first-30, "10", "USDT", 30*24*time.Hour+time.Hour))...)
	told(t, "one came in quiet time", d.after(0))
	told(t, "at its end", d.after(4*time.Hour), "Alert: 1 payment missing, 1 late – all accounts (UTC)")
	if text := d.newest().Text; strings.Count(text, "\n- ") != 2 || strings.Contains(text, "BTC") {
		t.Errorf("it says\n%s", text)
	}
}

// More than an amount that is outstanding is one event until it was less.
func TestAlertOfOutstanding(t *testing.T) {
	d := paidDaily(t, mailer.Server{}, first-30, first-10)
	d.watching("outstanding", func(a *outbox.Subscription) { a.Amount = "15" })
	const one = "Alert: more than 15 USDT outstanding – all accounts (UTC)"
	told(t, "20 outstanding", d.after(0), one)
	if text := unwrapped(d.newest().Text); !strings.Contains(text, "- 20.00 USDT are outstanding, in 2 payments; since 23 Aug 2026 09:00 UTC it is more than 15 USDT. The oldest, for 2 Aug 2026 (UTC), was due on 3 Aug 2026 09:00 UTC\n") ||
		!strings.Contains(text, "https://desk.example.com/payments?coin=USDT") {
		t.Errorf("it says\n%s", text)
	}
	told(t, "still", d.after(time.Hour), one)
	paid := append(bills(first-70, first, first-30, first-10, first-1), reward(first-30, "10", "USDT", 30*24*time.Hour+5*time.Hour))
	d.now = d.now.Add(5 * time.Hour)
	d.pays(paid...)
	told(t, "one paid, and another missing since before that", d.after(0), one)
	paid = append(paid, reward(first-10, "10", "USDT", 11*24*time.Hour))
	paid = append(paid, bills(first+1, first+1)...)
	d.earns(first + 1)
	d.pays(paid...)
	told(t, "less", d.after(0), one)
	d.earns(first + 2)
	d.pays(paid...)
	told(t, "more again", d.after(0), one, one)
}

// The section has the sums of the page, and what was wrong in the period. The message does not
// wait for bills.
func TestSummaryOfPayments(t *testing.T) {
	d := paidDaily(t, mailer.Server{}, first-5)
	sc := d.schedule(func(s *outbox.Subscription) { s.Every, s.Sections = string(dispatch.Weekly), []string{SectionPayments} })
	week := dispatch.Period{Every: dispatch.Weekly, Days: daysOf(monday, monday+6)}
	made, err := d.author.summary(t.Context(), sc, week)
	if err != nil {
		t.Fatal(err)
	}
	want := `Earned and paid, days in UTC
Coin  Earned  Paid for it  Not due yet  Not paid  Paid too much
BTC        7            6            0         1              0
USDT   70.00        60.00         0.00     10.00           0.00

On balance, of all time: what the exchange owes
Coin  Not paid at all  Underpaid  Restated since  Paid too much  Balance
USDT            10.00       0.00            0.00           0.00    10.00
BTC                 1          0               0              0        1

Payments that are not as earned
Period                   Earned  Paid  What is wrong
27 Aug 2026 (UTC), USDT   10.00  0.00       not paid
27 Aug 2026 (UTC), BTC        1     0       not paid
`
	if text := textPart(made, ""); !strings.Contains(text, want) || !made.Gate.Closed {
		t.Errorf("it says\n%s", text)
	}
	const balance = "On balance, of all time: what the exchange owes\n"
	sc.Sections = []string{SectionPayments, SectionBalance}
	if made, err = d.author.summary(t.Context(), sc, week); err != nil || strings.Count(textPart(made, ""), balance) != 1 || !strings.Contains(textPart(made, ""), `
On balance, of 24 Aug 2026 – 30 Aug 2026 (UTC): what the exchange owes
Coin  Not paid at all  Underpaid  Restated since  Paid too much  Balance
USDT            10.00       0.00            0.00           0.00    10.00
`) {
		t.Errorf("with a section of its own: %v\n%s", err, textPart(made, ""))
	}
	sc.Sections = []string{SectionBalance}
	if made, err = d.author.summary(t.Context(), sc, week); err != nil || strings.Count(textPart(made, ""), balance) != 1 || strings.Contains(textPart(made, ""), "Earned and paid") {
		t.Errorf("alone: %v\n%s", err, textPart(made, ""))
	}
	sc.Sections = []string{SectionPayments}
	if _, err := payments.NoteRefusal(t.Context(), d.store, payments.Refusal{Account: "main", Stream: affiliate.SpotBills, Error: "40014"}); err != nil {
		t.Fatal(err)
	}
	const words = "Payments: the key may not read all bills. Add the permission"
	if made, err = d.author.summary(t.Context(), sc, week); err != nil || !made.Gate.Closed || !strings.Contains(textPart(made, ""), words) {
		t.Errorf("%v\n%s", err, textPart(made, ""))
	}
}
