package main

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator"
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
			d.sumsOfRangesClose(t)
			d.ruleAgrees(t, payouts)
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
	sameTotals(t, "income", paid, total(d.cells(d.done(nil, "export", "income")), "amount"))
	for coin, sum := range earned {
		paid[coin].Sub(paid[coin], sum)
	}
	sameTotals(t, "difference", total(rows, "difference"), paid)
}

// sumsOfRangesClose compares the sums of whole periods with those of commissions.
func (d *harness) sumsOfRangesClose(t *testing.T) {
	t.Helper()
	// A whole month is a range of whole periods by hour, day and month, and so are weeks.
	for _, span := range [][2]affiliate.Day{{affiliate.NewDay(2026, 10, 1), affiliate.NewDay(2026, 10, 31)}, {affiliate.NewDay(2026, 10, 5), affiliate.NewDay(2026, 10, 18)}} {
		of := []string{"--from", span[0].String(), "--to", span[1].String()}
		some := d.cells(d.done(nil, append([]string{"export", "payments"}, of...)...))
		whole := len(some) > 0
		for _, row := range some {
			whole = whole && row["period_from_utc"] >= span[0].String() && row["period_to_utc"] <= (span[1]+1).String()+"T00:00:00.000Z"
		}
		if !whole {
			continue
		}
		sameTotals(t, "earned in "+span[0].String(), total(some, "earned"), total(d.cells(d.done(nil, append([]string{"export", "commissions"}, of...)...)), "commission"))
	}
}

// ruleAgrees compares the rule that the command prints with that of the exchange.
func (d *harness) ruleAgrees(t *testing.T, payouts string) {
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

// Payments as known at an earlier time are those that were exported then, whatever arrived and
// changed since: later payments, later states, and a rule that was fixed.
func TestPaymentsAsKnownThen(t *testing.T) {
	t.Parallel()
	var ahead atomic.Int64
	clock := func() time.Time { return harnessStart.Add(time.Duration(ahead.Load())) }
	d := newHarness(t, func(o *simulator.Options) { o.Days, o.Records, o.Now = 40, 400, clock })
	d.env = append(d.env, "REBATEDESK_HISTORY=60d")
	d.done(nil, "collect")
	ahead.Add(int64(time.Minute)) // the stamps of writes may be ahead of a clock that stands still
	then := []string{"--from", "2026-10-01", "--to", "2026-11-18"}
	export := func(more ...string) string {
		return d.done(nil, slices.Concat([]string{"export", "payments"}, then, more)...)
	}
	before, at := export(), clock().Format(time.RFC3339)
	if !strings.Contains(before, ",matched,") || !strings.Contains(before, ",pending,") {
		t.Fatalf("there is nothing to compare:\n%s", before)
	}
	ahead.Add(int64(26 * time.Hour))
	d.done(nil, "collect")
	ahead.Add(int64(time.Minute))
	later := export()
	if later == before {
		t.Error("a day later nothing is paid")
	}
	d.changed("payments", "rule", "fix", "week+3h together", "--from", "2026-10-05")
	if fixed := export(); fixed == later {
		t.Error("a fixed rule changes nothing")
	}
	if got := export("--as-of", at); got != before {
		t.Errorf("as known then:\n%s\nwant\n%s", got, before)
	}
}

// The first bills that are collected pay for a day before all that is collected. The file of all
// time has them, so that it closes with the file of bills. What they paid is not taken off what
// is pending. The zone of reports changes no row, and makes no day incomplete.
func TestPaymentsForDaysBeforeAllThatIsCollected(t *testing.T) {
	t.Parallel()
	rule, err := simulator.ParsePayoutRule("day+8h exact")
	if err != nil {
		t.Fatal(err)
	}
	d := newHarness(t, func(o *simulator.Options) { o.Days, o.Records, o.Payouts = 40, 600, rule })
	d.env = append(d.env, "REBATEDESK_HISTORY=20d")
	d.done(nil, "collect")
	files := func() (list []string) {
		for _, kind := range []string{"payments", "bills"} {
			list = append(list, d.done(nil, "export", kind))
		}
		return list
	}
	inUTC := files()
	rows := d.cells(inUTC[0])
	if first := rows[0]; first["period_from_utc"] != "2026-10-28T00:00:00.000Z" || first["earned"] != "0" || first["paid"] == "0" || first["state"] != "pending" {
		t.Errorf("the first line: %v", first)
	}
	d.sumsClose(t, rows)
	for _, zone := range []string{"America/New_York", "Asia/Tokyo"} {
		d.env = append(d.env, "REBATEDESK_TIMEZONE="+zone)
		if got := files(); !slices.Equal(got, inUTC) {
			t.Errorf("in %s:\n%s\nwant\n%s", zone, got, inUTC)
		}
	}
}

// A rule can be fixed, found again and removed, for all accounts or for one; the rule in use
// is printed with what it explains. Without a rule the status is that of incomplete work.
func TestPayoutRuleCommands(t *testing.T) {
	t.Parallel()
	d := newHarness(t, func(o *simulator.Options) { o.Days, o.Records = 40, 400 })
	d.env = append(d.env, "REBATEDESK_HISTORY=60d")
	d.done(nil, "collect", "--stream", "commissions")
	if status, out, errs := d.run(t.Context(), nil, "payments", "rule", "--json"); status != statusIncomplete || !strings.Contains(errs, "no payments are stored") || !strings.Contains(out, `"period":""`) {
		t.Errorf("without bills: status %d, %s, %s", status, out, errs)
	}
	d.done(nil, "collect")
	says := func(what string, words ...string) {
		t.Helper()
		text := d.done(nil, "payments", "rule", "--account", "main")
		for _, word := range words {
			if !strings.Contains(text, word) {
				t.Errorf("%s: %q is missing in\n%s", what, word, text)
			}
		}
	}
	const found = "rule: day+8h apart direct=rr_agent_reward sub=rake_back_reward"
	says("found", found, "source: found in the data\n", "explained: ", " bills\n")
	d.env = append(d.env, "REBATEDESK_PAYOUT_RULE=week+1d together")
	says("set", "rule: week+1d together rake_back_reward,rr_agent_reward", "source: the setting PAYOUT_RULE", "runner-up: day+8h apart")
	first := numberOf(t, d.changed("payments", "rule", "fix", "day+8h apart", "--from", "2026-10-20"))
	says("fixed", "from: 2026-10-20 (UTC)\n"+found, "source: fixed by hand (number "+first)
	d.changed("payments", "rule", "auto", "--from", "2026-11-01", "--account", "main")
	says("found again", "from: 2026-11-01 (UTC)", "found in the data, as was ordered (number ")
	d.done(nil, "payments", "rule", "remove", first)
	if text := d.done(nil, "payments", "rule"); strings.Contains(text, "fixed by hand") || !strings.Contains(text, "2026-11-01") {
		t.Errorf("after the removal:\n%s", text)
	}
	for _, wrong := range [][]string{{"payments", "rule", "remove", first}, {"payments", "rule", "fix", "auto", "--from", "2026-10-20", "--account", "third"}} {
		if status, _, errs := d.run(t.Context(), nil, wrong...); status != statusFailed || errs == "" {
			t.Errorf("%v: status %d, %s", wrong, status, errs)
		}
	}
	if status, _, errs := d.run(t.Context(), nil, "payments", "rule", "--account", "third"); status != statusUsage || !strings.Contains(errs, "--account") {
		t.Errorf("an unknown account: status %d, %s", status, errs)
	}
}

// changed runs a command that may create the master key and says so on stderr.
func (d *harness) changed(args ...string) string {
	d.Helper()
	status, stdout, stderr := d.run(d.Context(), nil, args...)
	if status != statusDone {
		d.Fatalf("%v: status %d, %s", args, status, stderr)
	}
	return stdout
}

// numberOf returns the number in the first line that a command has printed.
func numberOf(t *testing.T, stdout string) string {
	t.Helper()
	line, _, _ := strings.Cut(stdout, "\n")
	number, ok := strings.CutPrefix(line, "number: ")
	if !ok {
		t.Fatalf("no number: %s", stdout)
	}
	return number
}
