package money_test

import (
	"encoding/csv"
	"fmt"
	"html"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/store/payments"
	"rebatedesk/store/records"
)

// The exchange lists a part of the commission in usdt and pays all of it in USDT: the books have one
// coin, so bills pay what they are for. Records keep the coin as it was received.
func TestBillsPayACoinInAnySpelling(t *testing.T) {
	t.Parallel()
	today := affiliate.DayOf(site.Now, time.UTC)
	var rows []affiliate.Commission
	var bills []affiliate.Bill
	earned := new(big.Rat)
	for back := 60; back >= 1; back-- {
		day := today - affiliate.Day(back)
		one, other := earnedOn(day, affiliate.Number(fmt.Sprintf("7.%02d", back))), earnedOn(day, "3.5")
		if other.Coin = "usdt"; back%3 == 0 {
			one.Coin = "usdt"
		}
		rows = append(rows, one, other)
		sum := new(big.Rat).Add(exactly(t, string(one.Commission)), exactly(t, "3.5"))
		earned.Add(earned, sum)
		bills = append(bills, affiliate.Bill{Wallet: affiliate.SpotWallet, ID: fmt.Sprint(back), Coin: "USDT", Business: "rr_agent_reward", Amount: affiliate.Number(sum.FloatString(2)), Balance: "1",
			Created: affiliate.MillisOf((day + 1).Start(time.UTC).Add(8 * time.Hour))})
	}
	o := openRows(t, today-60, rows...)
	for _, kind := range []affiliate.StreamKind{affiliate.SpotBills, affiliate.FundingBills} {
		list := bills
		if kind == affiliate.FundingBills {
			list = nil
		}
		slice := records.Slice{Account: "main", Stream: affiliate.Stream{Kind: kind}, Days: affiliate.Days{First: today - 60, Last: today}, Started: site.Now, Through: affiliate.MillisOf(site.Now)}
		if _, err := payments.ReplaceBills(t.Context(), o.Store, slice, list); err != nil {
			t.Fatal(err)
		}
	}
	v := o.As("mia", access.Manager)
	for _, query := range []string{"range=all", "range=all&coin=USDT", "range=all&coin=usdt"} {
		list, err := csv.NewReader(strings.NewReader(v.Get("/payments.csv?" + query).Body)).ReadAll()
		if err != nil || len(list) < 2 {
			t.Fatalf("%s: %d rows, %v", query, len(list), err)
		}
		sum, paid, states := new(big.Rat), new(big.Rat), map[string]int{}
		for _, row := range list[1:] {
			cell := func(name string) string { return row[slices.Index(list[0], name)] }
			sum.Add(sum, exactly(t, cell("earned")))
			paid.Add(paid, exactly(t, cell("paid")))
			if states[cell("state")]++; cell("coin") != "USDT" {
				t.Errorf("%s: a line of %s", query, cell("coin"))
			}
		}
		if sum.Cmp(earned) != 0 || paid.Cmp(earned) != 0 || states["matched"] != 60 || len(states) > 2 || states["pending"] > 1 {
			t.Errorf("%s: earned %s, paid %s, want %s; %v", query, sum.FloatString(2), paid.FloatString(2), earned.FloatString(2), states)
		}
	}
	coins := map[string]int{}
	file, err := csv.NewReader(strings.NewReader(v.Get("/commissions.csv?range=all").Body)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range file[1:] {
		coins[row[slices.Index(file[0], "coin")]]++
	}
	if coins["usdt"] != 80 || coins["USDT"] != 40 {
		t.Errorf("the records are of %v", coins)
	}
	line := v.Get(lineOf(t, v, "matched")).Body
	if !strings.Contains(html.UnescapeString(line), "coin=USDT%2Cusdt") {
		t.Error("the line does not lead to the records of both spellings")
	}
}
