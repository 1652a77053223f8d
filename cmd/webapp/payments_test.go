package main

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/simulator"
)

// paidBy returns a harness whose exchange pays by a rule, collected up to now.
func paidBy(t *testing.T, payouts string, seed int64) *harness {
	t.Helper()
	rule, err := simulator.ParsePayoutRule(payouts)
	if err != nil {
		t.Fatal(err)
	}
	d := newHarness(t, func(o *simulator.Options) { o.Seed, o.Days, o.Records, o.Payouts = seed, 75, 1200, rule })
	d.env = append(d.env, "REBATEDESK_HISTORY=120d") // the first period is whole
	d.done(nil, "collect")
	return d
}

// total adds up a column per coin, exactly.
func total(rows []map[string]string, column string) map[string]*big.Rat {
	sums := map[string]*big.Rat{}
	for _, row := range rows {
		if sums[row["coin"]] == nil {
			sums[row["coin"]] = new(big.Rat)
		}
		if row[column] == "" {
			continue
		}
		amount, ok := new(big.Rat).SetString(row[column])
		if !ok {
			panic(column + ": " + row[column])
		}
		sums[row["coin"]].Add(sums[row["coin"]], amount)
	}
	return sums
}

func sameTotals(t *testing.T, what string, got, want map[string]*big.Rat) {
	t.Helper()
	for coin := range want {
		if got[coin] == nil {
			got[coin] = new(big.Rat)
		}
	}
	for coin, sum := range got {
		if other := want[coin]; other == nil && sum.Sign() != 0 || other != nil && sum.Cmp(other) != 0 {
			t.Errorf("%s, %s: %v, want %v", what, coin, sum.FloatString(20), other)
		}
	}
}

// However the exchange pays, the rule is found, each line is what the exchange's own ledger
// says, and the sums close with the exports of commissions and bills.
func TestPaymentsFollowTheLedger(t *testing.T) {
	t.Parallel()
	for i, payouts := range []string{"day+8h", "day+26h together", "week+24h", "month+48h together", "hour+1h exact"} {
		t.Run(payouts, func(t *testing.T) {
			t.Parallel()
			d := paidBy(t, payouts, int64(900+7*i))
			rows := d.cells(d.done(nil, "export", "payments"))
			columns := []string{"period_from_utc", "period_to_utc", "coin", "kind", "earned", "paid", "difference", "state", "bills", "first_paid_utc", "last_paid_utc"}
			lines := func(rows []map[string]string) (list []string) {
				for _, row := range rows {
					var cells []string
					for _, column := range columns {
						cells = append(cells, row[column])
					}
					if row["state"] != "pending" {
						list = append(list, strings.Join(cells, " "))
					}
				}
				slices.Sort(list)
				return list
			}
			got, want := lines(rows), lines(d.cells(fetch(t, d.sim.BaseURL+"/ledger/payments.csv")))
			if len(want) == 0 {
				t.Fatal("the ledger has no payments")
			}
			for _, line := range got {
				if !slices.Contains(want, line) {
					t.Errorf("not in the ledger: %s", line)
				}
			}
			for _, line := range want {
				if !slices.Contains(got, line) {
					t.Errorf("only in the ledger: %s", line)
				}
			}
			d.sumsClose(t, rows)
			d.rowsAgreeWithRule(t, payouts)
		})
	}
}

// sumsClose compares the sums of payments with those of commissions and bills.
func (d *harness) sumsClose(t *testing.T, rows []map[string]string) {
	t.Helper()
	earned, paid := total(rows, "earned"), total(rows, "paid")
	sameTotals(t, "earned", earned, total(d.cells(d.done(nil, "export", "commissions")), "commission"))
	bills := slices.DeleteFunc(d.cells(d.done(nil, "export", "bills")), func(row map[string]string) bool {
		return row["business_type"] != "rr_agent_reward" && row["business_type"] != "rake_back_reward"
	})
	sameTotals(t, "paid", paid, total(bills, "amount"))
	for coin, sum := range earned {
		paid[coin].Sub(paid[coin], sum)
	}
	sameTotals(t, "difference", total(rows, "difference"), paid)

	// A whole month is a range of whole periods by hour, day and month, and so are weeks.
	for _, span := range [][2]affiliate.Day{{affiliate.NewDay(2026, 10, 1), affiliate.NewDay(2026, 10, 31)}, {affiliate.NewDay(2026, 10, 5), affiliate.NewDay(2026, 10, 18)}} {
		of := []string{"--from", span[0].String(), "--to", span[1].String()}
		some := d.cells(d.done(nil, append([]string{"export", "payments"}, of...)...))
		whole := len(some) > 0
		for _, row := range some {
			from, to := row["period_from_utc"][:10], row["period_to_utc"]
			whole = whole && from >= span[0].String() && to <= (span[1]+1).String()+"T00:00:00.000Z"
		}
		if !whole || strings.Contains(fmt.Sprint(some), "week") {
			continue
		}
		first := some[0]["period_from_utc"][:10]
		if first != span[0].String() {
			continue // a period began before the range
		}
		sameTotals(t, "earned in "+span[0].String(), total(some, "earned"), total(d.cells(d.done(nil, append([]string{"export", "commissions"}, of...)...)), "commission"))
	}
}

// rowsAgreeWithRule compares the rule that the command prints with that of the exchange.
func (d *harness) rowsAgreeWithRule(t *testing.T, payouts string) {
	t.Helper()
	var rule struct {
		Source, Period, Kinds string
		Delay                 int64    `json:"delay_ms"`
		Types                 []string `json:"business_types"`
		Bills                 int
		Explained             int `json:"bills_explained"`
		Coins                 []struct{ Coin, Paid, Explained, Share string }
	}
	if err := json.Unmarshal([]byte(d.done(nil, "payments", "rule", "--json")), &rule); err != nil {
		t.Fatal(err)
	}
	words := strings.Fields(payouts)
	want := "apart"
	if slices.Contains(words, "together") {
		want = "together"
	}
	period, delay, _ := strings.Cut(words[0], "+")
	delays := map[string]int64{"8h": 8, "26h": 26, "24h": 24, "48h": 48, "1h": 1}
	if rule.Source != "auto" || rule.Period != period || rule.Kinds != want || rule.Delay != delays[delay]*3600_000 || len(rule.Types) == 0 || len(rule.Coins) == 0 ||
		rule.Explained == 0 || rule.Explained > rule.Bills {
		t.Errorf("the rule of %s: %+v", payouts, rule)
	}
	if slices.Contains(words, "exact") && (rule.Bills != rule.Explained || rule.Coins[0].Share != "1") {
		t.Errorf("not all is explained: %+v", rule)
	}
}
