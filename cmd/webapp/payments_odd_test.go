package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/simulator"
	"rebatedesk/exchange/simulator/account"
)

// Odd bills are neither dropped nor guessed: a clawback, an amount of 38 digits, a reward of
// nothing and one in a coin without commission are lines of their own, a bill of an unknown
// business type is in the file of bills only, the rule stays, and the sums close.
func TestOddBills(t *testing.T) {
	t.Parallel()
	d := paidBy(t, "day+8h exact", 31)
	states := func() (list []string) {
		for _, row := range d.cells(d.done(nil, "export", "payments")) {
			list = append(list, strings.Join([]string{row["period_from_utc"], row["coin"], row["kind"], row["paid"], row["state"]}, " "))
		}
		return list
	}
	before := states()
	at := harnessStart.Add(-73*time.Hour - 30*time.Minute) // no payment is due
	amounts := []string{"-12.5", "0.000000000000000001", "7.25", "3", "0", "12345678901234567890.123456789012345678"}
	var odd []account.BookedBill
	for i, amount := range amounts {
		odd = append(odd, account.BookedBill{ID: int64(i + 1), Coin: "USDT", Business: "rr_agent_reward", At: at.UnixMilli() + int64(i), Delta: decimal.RequireFromString(amount)})
	}
	odd[2].Coin, odd[2].Business = "DOGE", "rake_back_reward"
	odd[3].Business = `=HYPERLINK("x")<b>`
	simulator.Wallets{Of: d.sim.Simulator}.ReviseBills(affiliate.SpotWallet, func(all []account.BookedBill) []account.BookedBill {
		i := slices.IndexFunc(all, func(b account.BookedBill) bool { return b.At > at.UnixMilli() })
		return slices.Insert(all, i, odd...)
	})
	d.done(nil, "collect")
	rows := d.cells(d.done(nil, "export", "payments"))
	d.sumsClose(t, rows)
	minute := "2026-11-15T10:30:00.00"
	want := slices.Concat(before, []string{
		minute + "0Z USDT direct -12.5 unexplained", minute + "1Z USDT direct 0.000000000000000001 unexplained", minute + "2Z DOGE sub 7.25 unexplained",
		minute + "4Z USDT direct 0 unexplained", minute + "5Z USDT direct 12345678901234567890.123456789012345678 unexplained",
	})
	got := states()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the lines are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	var bills []string
	for _, row := range d.cells(d.done(nil, "export", "bills")) {
		if len(row["bill_id"]) == 1 {
			bills = append(bills, row["amount"]+" "+row["business_type"])
		}
	}
	if len(bills) != len(odd) || bills[3] != `3 '=HYPERLINK("x")<b>` {
		t.Errorf("the bills are %q", bills)
	}
	d.done(nil, "verify")
}

// A key that may not read bills is said once in the log, and commissions are complete. What
// nobody can compare is pending. With the permission the books are complete.
func TestBooksOfAKeyThatMayNotReadBills(t *testing.T) {
	t.Parallel()
	d := newHarness(t, func(o *simulator.Options) { o.Days, o.Records, o.Forbidden = 30, 300, []string{"4.14", "4.15", "4.16"} })
	d.env = append(d.env, "REBATEDESK_HISTORY=60d", "REBATEDESK_LOG_LEVEL=warn")
	for run, lines := range []int{3, 0} { // a line for each stream
		if status, _, log := d.run(t.Context(), nil, "collect"); status != statusDone || strings.Count(log, "\n") != lines {
			t.Errorf("run %d: status %d, log\n%s", run+1, status, log)
		}
	}
	states := func() map[string]int {
		found := map[string]int{}
		_, table, _ := d.run(t.Context(), nil, "export", "payments") // may warn that not all is collected
		for _, row := range d.cells(table) {
			found[row["state"]]++
		}
		return found
	}
	if found := states(); len(found) != 1 || found["pending"] == 0 {
		t.Errorf("without bills the lines are %v", found)
	}
	simulator.Wallets{Of: d.sim.Simulator}.Forbid()
	d.done(nil, "collect")
	if found := states(); found["matched"] == 0 || found["missing"] == 0 {
		t.Errorf("with bills the lines are %v", found)
	}
}

// Bills that are too old to be read make periods pending, and change no other line.
func TestBooksOfRecentBills(t *testing.T) {
	t.Parallel()
	lines := func(billDays int) (of map[string]string, states map[string]int) {
		d := newHarness(t, func(o *simulator.Options) { o.Days, o.Records, o.BillDays = 40, 500, billDays })
		d.env = append(d.env, "REBATEDESK_HISTORY=60d")
		d.done(nil, "collect")
		_, table, _ := d.run(t.Context(), nil, "export", "payments")
		of, states = map[string]string{}, map[string]int{}
		for _, row := range d.cells(table) {
			of[strings.Join([]string{row["period_from_utc"], row["coin"], row["kind"]}, " ")] = strings.Join([]string{row["earned"], row["paid"], row["state"]}, " ")
			states[row["state"]]++
		}
		return of, states
	}
	whole, _ := lines(0)
	recent, states := lines(12)
	if states["pending"] == 0 || states["matched"] == 0 || states["missing"] == 0 {
		t.Errorf("the lines are %v", states)
	}
	for line, got := range recent {
		if want := whole[line]; got != want && !strings.HasSuffix(got, " pending") {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}
