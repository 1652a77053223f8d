package money_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/acceptance/site"
	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/exchange/weex/simulator/account"
)

// Odd bills are neither dropped nor guessed: a clawback, an amount of 38 digits, a reward of
// nothing and one in a coin without commission are lines of their own, a bill of an unknown
// business type is in the file of bills only, and no other line changes.
func TestOddBills(t *testing.T) {
	t.Parallel()
	rule, err := simulator.ParsePayoutRule("day+8h exact")
	if err != nil {
		t.Fatal(err)
	}
	f := site.OpenProgramme(t, time.UTC, simulator.Options{Seed: 31, Days: 30, Invitees: 40, Records: 600, Payouts: rule})
	f.Collect()
	lines := func() (list []string) {
		for _, row := range f.Rows("/payments.csv?range=all") {
			list = append(list, strings.Join([]string{row["period_from_utc"], row["coin"], row["kind"], row["earned"], row["paid"], row["difference"], row["state"]}, " "))
		}
		slices.Sort(list)
		return list
	}
	before := lines()
	at := site.Now.UTC().Truncate(24*time.Hour).AddDate(0, 0, -3).Add(14 * time.Hour) // no payment is due
	var odd []account.BookedBill
	for i, amount := range []string{"-12.5", "0.000000000000000001", "7.25", "3", "0", "12345678901234567890.123456789012345678"} {
		odd = append(odd, account.BookedBill{ID: int64(i + 1), Coin: "USDT", Business: "rr_agent_reward", At: at.UnixMilli() + int64(i), Delta: decimal.RequireFromString(amount)})
	}
	odd[2].Coin, odd[2].Business = "DOGE", "rake_back_reward"
	odd[3].Business = `=HYPERLINK("x")<b>`
	simulator.Wallets{Of: f.Sim}.ReviseBills(affiliate.SpotWallet, func(all []account.BookedBill) []account.BookedBill {
		return slices.Insert(all, slices.IndexFunc(all, func(b account.BookedBill) bool { return b.At > at.UnixMilli() }), odd...)
	})
	f.Collect()
	second := at.Format("2006-01-02T15:04:05")
	want := slices.Concat(before, []string{
		second + ".000Z USDT direct 0 -12.5 -12.5 unexplained",
		second + ".001Z USDT direct 0 0.000000000000000001 0.000000000000000001 unexplained",
		second + ".002Z DOGE sub 0 7.25 7.25 unexplained",
		second + ".004Z USDT direct 0 0 0 unexplained",
		second + ".005Z USDT direct 0 12345678901234567890.123456789012345678 12345678901234567890.123456789012345678 unexplained",
	})
	slices.Sort(want)
	if got := lines(); len(before) == 0 || !slices.Equal(got, want) {
		t.Errorf("the lines are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	var bills []string
	for _, row := range f.Rows("/payments/bills.csv?range=all") {
		if len(row["bill_id"]) == 1 {
			bills = append(bills, row["amount"]+" "+row["business_type"])
		}
	}
	if len(bills) != len(odd) || bills[3] != `3 '=HYPERLINK("x")<b>` { // no spreadsheet takes it for a formula
		t.Errorf("the bills are %q", bills)
	}
}
