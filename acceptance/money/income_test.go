package money_test

import (
	"math/big"
	"regexp"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/affiliate"
)

// The income is audited from the files alone: all of it is what was paid for all lines, each row is a bill of
// the wallet, months and years add up to the whole, and the forms of other tools have the same sums, to the last digit.
func TestIncomeAddsUp(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{"day+8h", "week+24h together"} {
		v := site.OpenPaidBy(t, rule).As("mia", access.Manager)
		lines, income, bills := tableOf(t, v, "/payments.csv?range=all"), tableOf(t, v, "/income.csv"), tableOf(t, v, "/payments/bills.csv?range=all")
		koinly, tracking := tableOf(t, v, "/income/koinly.csv"), tableOf(t, v, "/income/cointracking.csv")
		coins, months, taken := map[string]bool{}, map[string]bool{}, 0
		of := map[string][]string{}
		for _, bill := range bills.rows {
			of[bills.cell(bill, "wallet")+" "+bills.cell(bill, "bill_id")] = bill
		}
		for _, row := range income.rows {
			coins[income.cell(row, "coin")], months[income.cell(row, "received_local")[:7]] = true, true
			bill := of[income.cell(row, "wallet")+" "+income.cell(row, "bill_id")]
			if bill == nil || bills.cell(bill, "time_utc") != income.cell(row, "received_utc") || bills.cell(bill, "amount") != income.cell(row, "amount") || bills.cell(bill, "coin") != income.cell(row, "coin") {
				t.Errorf("%s: the row %v is of the bill %v", rule, row, bill)
			}
			if strings.HasPrefix(income.cell(row, "amount"), "-") {
				taken++
			}
			checkValue(t, income, row)
		}
		if len(months) < 2 || len(coins) < 2 || taken == 0 && rule == "day+8h" {
			t.Errorf("%s: %d months, %d coins and %d bills that take back prove little", rule, len(months), len(coins), taken)
		}
		for coin := range coins {
			paid, got := lines.sum("main", coin, "paid", nil), income.sum("main", coin, "amount", nil)
			inMonths, inYears := new(big.Rat), new(big.Rat)
			for month := range months {
				inMonths.Add(inMonths, tableOf(t, v, "/income.csv?"+rangeOfMonth(t, month)).sum("main", coin, "amount", nil))
			}
			for _, year := range []string{"2025", "2026"} {
				inYears.Add(inYears, tableOf(t, v, "/income.csv?from="+year+"-01-01&to="+year+"-12-31").sum("main", coin, "amount", nil))
			}
			byKoinly, byTracking := signed(koinly, coin, "Received", "Sent"), signed(tracking, coin, "Buy", "Sell")
			for name, sum := range map[string]*big.Rat{"the file": got, "months": inMonths, "years": inYears, "Koinly": byKoinly, "CoinTracking": byTracking} {
				if sum.Cmp(paid) != 0 {
					t.Errorf("%s: %s of %s in %s, %s in all lines", rule, sum.FloatString(20), coin, name, paid.FloatString(20))
				}
			}
		}
		for _, row := range lines.rows {
			if coin := lines.cell(row, "coin"); !coins[coin] && exactly(t, lines.cell(row, "paid")).Sign() != 0 {
				t.Errorf("%s: %s was paid and is no income", rule, coin)
			}
		}
		for _, row := range koinly.rows {
			if date := koinly.cell(row, "Date"); !regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d UTC$`).MatchString(date) {
				t.Fatalf("Koinly has the time %q", date)
			}
		}
	}
}

// checkValue checks the value of a row: amount × price to 18 digits, or a reason for none.
func checkValue(t *testing.T, f table, row []string) {
	t.Helper()
	if f.cell(row, "value_usdt") == "" {
		if f.cell(row, "no_value") == "" || f.cell(row, "price_kind") != "none" {
			t.Errorf("no value, and no reason: %v", row)
		}
		return
	}
	exact := new(big.Rat).Mul(exactly(t, f.cell(row, "amount")), exactly(t, f.cell(row, "price_usdt")))
	off := new(big.Rat).Sub(exactly(t, f.cell(row, "value_usdt")), exact)
	if off.Abs(off).Cmp(big.NewRat(1, 2_000_000_000_000_000_000)) > 0 || f.cell(row, "no_value") != "" {
		t.Errorf("the value is not the amount at the price: %v", row)
	}
}

// signed adds up what arrived in a coin less what was taken back.
func signed(f table, coin, received, taken string) *big.Rat {
	total := new(big.Rat)
	for _, row := range f.rows {
		if f.cell(row, received+" Currency") == coin {
			total.Add(total, exactly(f.t, f.cell(row, received+" Amount")))
		}
		if f.cell(row, taken+" Currency") == coin {
			total.Sub(total, exactly(f.t, f.cell(row, taken+" Amount")))
		}
	}
	return total
}

func rangeOfMonth(t *testing.T, month string) string {
	t.Helper()
	first, err := affiliate.ParseDay(month + "-01")
	if err != nil {
		t.Fatal(err)
	}
	year, m, _ := first.Date()
	return "from=" + first.String() + "&to=" + (affiliate.NewDay(year, m+1, 1) - 1).String()
}

// The page says what arrived, and its months lead to their bills and to their files.
func TestIncomeIsSaid(t *testing.T) {
	t.Parallel()
	o := site.OpenPaid(t)
	v := o.As("mia", access.Manager)
	page := v.Get("/income").Body
	if answer := site.Said(page, "answer"); !regexp.MustCompile(`^Received in all: .+ in [\d,]+ bills.*\.$`).MatchString(answer) {
		t.Errorf("the page says %q", answer)
	}
	for _, pattern := range []string{
		`href="/income\?from=\d{4}-\d\d-01&amp;to=[^"]*#rows"`, `href="/income\.xlsx\?from=\d{4}-01-01&amp;to=`, `href="/income/koinly\.csv\?from=`, `href="/income/cointracking\.csv"`, `href="/payments/line\?account=`,
	} {
		if !regexp.MustCompile(pattern).MatchString(page) {
			t.Errorf("the page lacks %s", pattern)
		}
	}
	for _, address := range []string{"/income?product=SPOT", "/income.csv?uid=4667776801", "/income/koinly.csv?kind=sub"} {
		if a := v.Get(address); a.StatusCode != 400 {
			t.Errorf("%s: status %d", address, a.StatusCode)
		}
	}
	viewer := o.As("vic", access.Viewer)
	if a := viewer.Get("/income"); a.StatusCode != 200 || strings.Contains(a.Body, "/income/koinly.csv") || !strings.Contains(a.Body, "/payments/line?") {
		t.Errorf("a viewer: status %d, or files, or no bills", a.StatusCode)
	}
	for _, address := range []string{"/income.csv", "/income.xlsx", "/income/koinly.csv", "/income/cointracking.csv"} {
		if a := viewer.Get(address); a.StatusCode != 403 {
			t.Errorf("%s for a viewer: status %d", address, a.StatusCode)
		}
	}
}
