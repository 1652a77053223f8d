package money_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/internal/race"
	"rebatedesk/internal/soak"
	"rebatedesk/store"
	"rebatedesk/store/agreements"
	"rebatedesk/store/audit"
	"rebatedesk/store/storetest"
	"rebatedesk/terms"
)

// The books of a programme are audited from exported files alone, as of five instants between which the
// exchange pays and changes its records. Every payout rule of the simulator, with its faults, in three zones and on
// each engine; without REBATEDESK_SOAK those in which any two of these meet once.
func TestSoakAudit(t *testing.T) {
	race.Skip(t, "arithmetic of one goroutine")
	zones := []string{"UTC", "Asia/Kathmandu", "America/Santiago"}
	storetest.Engines(t, "the sums, the order and the history of everything that files are made of", func(t *testing.T) {
		for p, period := range []string{"hour+20m", "day+8h", "week+24h", "month+40h"} {
			for f, faults := range []string{"", " few", " exact"} {
				for k, kinds := range []string{"", " together"} {
					for z, zone := range zones {
						if met := z == (p+f)%len(zones) && k == (p+f)%2; !met && !soak.Long() {
							continue
						}
						for seed := range int64(soak.Times(1, 2)) {
							t.Run(fmt.Sprintf("%s%s%s, %s, %d", period, kinds, faults, zone, seed), func(t *testing.T) {
								t.Parallel()
								auditProgramme(t, 100*seed+int64(10*p+f)+1, period+kinds+faults, zone)
							})
						}
					}
				}
			}
		}
	})
}

// auditor adds up what files say, by other arithmetic than the program's.
type auditor struct {
	*testing.T
	v      *site.Visitor
	zone   *time.Location
	code   string // of the campaign that costs
	states []auditedState
}

// auditedState is what the auditor knows of an instant.
type auditedState struct {
	at     time.Time
	ledger map[string]*big.Rat // commission that the exchange had by then, by coin
	earned map[string]*journal // commission by coin and source, of the exported records
	// The exported records, days of sub-affiliates and invitees.
	file, subs, invitees table
}

// journal adds up amounts until an instant.
type journal struct {
	times []string // RFC 3339 in UTC, ascending
	sums  []*big.Rat
}

// between returns the sum of the amounts from an instant until before another.
func (j *journal) between(from, to string) *big.Rat {
	if j == nil {
		return new(big.Rat)
	}
	until := func(at string) *big.Rat {
		if i, _ := slices.BinarySearch(j.times, at); i > 0 {
			return j.sums[i-1]
		}
		return new(big.Rat)
	}
	return new(big.Rat).Sub(until(to), until(from))
}

// journals reads the exported records.
func journals(f table) map[string]*journal {
	all := map[string]*journal{}
	rows := slices.SortedStableFunc(slices.Values(f.rows), func(a, b []string) int {
		return cmp.Compare(f.cell(a, "deal_time_utc"), f.cell(b, "deal_time_utc"))
	})
	for _, row := range rows {
		key := f.cell(row, "coin") + " " + f.cell(row, "source_type")
		if all[key] == nil {
			all[key] = &journal{}
		}
		j, sum := all[key], exactly(f.t, f.cell(row, "commission"))
		if n := len(j.sums); n > 0 {
			sum.Add(sum, j.sums[n-1])
		}
		j.times, j.sums = append(j.times, f.cell(row, "deal_time_utc")), append(j.sums, sum)
	}
	return all
}

// earnedBy returns the commission of a line of payments, as known in a state.
func (s *auditedState) earnedBy(coin, kind, from, to string) *big.Rat {
	sum := new(big.Rat)
	for _, source := range []string{"direct", "sub"} {
		if kind == source || kind == "all" {
			sum.Add(sum, s.earned[coin+" "+source].between(from, to))
		}
	}
	return sum
}

// auditTerms are a share of sub-affiliates with a coin, and a rate of the programme with tiers.
const auditTerms = "scope,value,product_type,rate,from,to,note,coin,tier_by,tier_from\n" +
	"sub-affiliate,,,0.0625,2026-01-01,,,USDT,,\nall,,,0.10,2026-01-01,,,,,\nall,,,0.2,2026-01-01,,,,volume,1000\nall,,,0.35,2026-01-01,,,,volume,99999999\n"

func auditProgramme(t *testing.T, seed int64, rule, zoneName string) {
	zone, err := time.LoadLocation(zoneName)
	storetest.Done(t, err)
	payouts, err := simulator.ParsePayoutRule(rule)
	storetest.Done(t, err)
	options := simulator.Options{Seed: seed, Days: 60, Invitees: 20, Records: 400, Payouts: payouts}
	if strings.HasPrefix(rule, "month") {
		options.Days = 125 // to have some payments
	}
	s := site.OpenChanging(t, zone, options)
	file, err := terms.Parse(t.Context(), []byte(auditTerms))
	storetest.Done(t, err)
	_, err = agreements.ImportTerms(t.Context(), s.Store, file, "terms.csv", store.AnyVersion, audit.Line{Actor: "mia"})
	storetest.Done(t, err)
	a := &auditor{T: t, v: s.As("mia", access.Manager), zone: zone}
	invitees := tableOf(t, a.v, "/invitees.csv?range=all")
	for _, row := range invitees.rows {
		a.code = cmp.Or(a.code, invitees.cell(row, "invite_code"))
	}
	a.v.Get("/returns")
	for _, cost := range [][]string{{"kind", "per_registration", "amount", "1.05", "from", "2026-09-01"}, {"kind", "monthly", "amount", "25.000000000000000001", "from", "2026-08-31"}} {
		if answer := a.v.Post("/returns/costs", append([]string{"scope", "code", "value", a.code, "coin", "USDT"}, cost...)...); answer.StatusCode != 303 {
			t.Fatalf("a cost: status %d: %.300s", answer.StatusCode, site.Words(answer.Body))
		}
	}
	random := rand.New(rand.NewPCG(uint64(seed), 5))
	note := func() {
		s.Wait(time.Minute)
		ledger := map[string]*big.Rat{}
		for _, c := range s.Exchange.Sim.Ledger().Commissions {
			if ledger[string(c.Coin)] == nil {
				ledger[string(c.Coin)] = new(big.Rat)
			}
			ledger[string(c.Coin)].Add(ledger[string(c.Coin)], exactly(t, string(c.Commission)))
		}
		a.states = append(a.states, auditedState{at: s.Now(), ledger: ledger})
	}
	note()
	for range 4 {
		s.Wait(time.Duration(30+random.IntN(40)) * time.Hour)
		changeRecords(t, s.Exchange.Sim, random)
		s.Exchange.Collect()
		note()
	}
	s.Wait(time.Hour)
	a.v = s.SignedInAs("mia") // days have passed
	for i := range a.states {
		a.state(i)
	}
	a.statements()
}

// changeRecords lets the exchange change, take back and list late some records of the last weeks.
func changeRecords(t *testing.T, sim *simulator.Simulator, random *rand.Rand) {
	t.Helper()
	all := sim.Ledger().Commissions
	slices.SortStableFunc(all, func(a, b affiliate.Commission) int { return cmp.Compare(a.DealTime, b.DealTime) })
	all = all[len(all)*3/4:]
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	amounts := []affiliate.Number{"0", "-0.4", "0.000000000000000007", "12.5", "3.100000000000000001"}
	for i, c := range all[:9] {
		switch i % 3 {
		case 0:
			if !sim.Remove(c) {
				t.Fatalf("there is no record %+v", c)
			}
		case 1:
			sim.Revise(func(one affiliate.Commission) bool { return one == c }, func(one *affiliate.Commission) {
				one.Commission = amounts[random.IntN(len(amounts))]
			})
		case 2:
			c.DealTime, c.Commission = c.DealTime+61_000, amounts[random.IntN(len(amounts))]
			sim.Insert(c)
		}
	}
}

// state audits what the files say as of an instant.
func (a *auditor) state(i int) {
	now := &a.states[i]
	asOf := "as_of=" + url.QueryEscape(now.at.Format(time.RFC3339))
	now.file = tableOf(a.T, a.v, "/commissions.csv?range=all&"+asOf)
	now.earned = journals(now.file)
	got := map[string]*big.Rat{}
	for key, j := range now.earned {
		coin, _, _ := strings.Cut(key, " ")
		if got[coin] == nil {
			got[coin] = new(big.Rat)
		}
		got[coin].Add(got[coin], j.sums[len(j.sums)-1])
	}
	alike(a.T, fmt.Sprintf("%d: commission of all records", i), got, now.ledger)
	a.payments(i, asOf)
	now.subs, now.invitees = tableOf(a.T, a.v, "/sub-affiliates.csv?range=all&"+asOf), tableOf(a.T, a.v, "/invitees.csv?range=all&"+asOf)
	first := affiliate.DayOf(now.at, a.zone)
	year, month, _ := first.Date()
	for back := range time.Month(2) {
		a.month(i, affiliate.NewDay(year, month-back, 1), asOf)
	}
}

// payments audits the lines of payments, the balance, the statement of account and the income.
func (a *auditor) payments(i int, asOf string) {
	a.Helper()
	now := &a.states[i]
	lines, balance := tableOf(a.T, a.v, "/payments.csv?range=all&"+asOf), tableOf(a.T, a.v, "/balance.csv?"+asOf)
	bills, income := tableOf(a.T, a.v, "/payments/bills.csv?range=all&"+asOf), tableOf(a.T, a.v, "/income.csv?"+asOf)
	account := tableOf(a.T, a.v, "/balance/account.csv?"+asOf)
	if len(lines.rows) == 0 || len(balance.rows) == 0 || len(income.rows) == 0 {
		a.Fatalf("%d: %d lines, %d balances, %d bills of income", i, len(lines.rows), len(balance.rows), len(income.rows))
	}
	sums := map[string]map[string]*big.Rat{}
	add := func(coin, name string, amount *big.Rat) {
		if sums[coin] == nil {
			sums[coin] = map[string]*big.Rat{}
			for _, part := range []string{"earned", "paid", "missing", "underpaid", "restated", "excess", "all earned", "all paid"} {
				sums[coin][part] = new(big.Rat)
			}
		}
		sums[coin][name].Add(sums[coin][name], amount)
	}
	for _, row := range lines.rows {
		of := func(name string) string { return lines.cell(row, name) }
		coin, earned, paid := of("coin"), exactly(a.T, of("earned")), exactly(a.T, of("paid"))
		if own := now.earnedBy(coin, of("kind"), of("period_from_utc"), of("period_to_utc")); own.Cmp(earned) != 0 {
			a.Errorf("%d: the line %v has earned %v, its records %v", i, row, earned, own)
		}
		if difference := new(big.Rat).Sub(paid, earned); difference.Cmp(exactly(a.T, of("difference"))) != 0 {
			a.Errorf("%d: the difference of %v", i, row)
		}
		add(coin, "all earned", earned)
		add(coin, "all paid", paid)
		if of("state") == "pending" {
			continue
		}
		add(coin, "earned", earned)
		add(coin, "paid", paid)
		switch owed := new(big.Rat).Sub(earned, paid); {
		case of("state") == "missing":
			add(coin, "missing", owed)
		case of("bills") == "0" || of("state") == "unexplained":
			add(coin, "excess", owed.Neg(owed))
		default:
			then := a.whenPaid(i, paid, coin, of("kind"), of("period_from_utc"), of("period_to_utc"), of("last_paid_utc"))
			add(coin, "restated", new(big.Rat).Sub(earned, then))
			if short := then.Sub(then, paid); short.Sign() > 0 {
				add(coin, "underpaid", short)
			} else {
				add(coin, "excess", short.Neg(short))
			}
		}
	}
	closing := map[string]*big.Rat{}
	for _, row := range account.rows {
		if account.cell(row, "entry") == "closing" {
			closing[account.cell(row, "coin")] = exactly(a.T, account.cell(row, "balance"))
		}
	}
	rewards := func(row []string) bool { return strings.HasSuffix(bills.cell(row, "business_type"), "_reward") }
	for coin, sum := range sums {
		same := func(what string, got, want *big.Rat) {
			if got == nil || got.Cmp(want) != 0 {
				a.Errorf("%d, %s: %s is %s, by the auditor %s", i, coin, what, text(got), text(want))
			}
		}
		if all := now.ledger[coin]; all != nil {
			same("earned of all lines", sum["all earned"], all)
		}
		same("paid of all lines", sum["all paid"], bills.sum("main", coin, "amount", rewards))
		same("the income", income.sum("main", coin, "amount", nil), sum["all paid"])
		owed := new(big.Rat).Sub(sum["earned"], sum["paid"])
		for _, name := range []string{"earned", "paid", "missing", "underpaid", "restated", "excess"} {
			same(name+" of the balance", balance.sum("main", coin, name, nil), sum[name])
		}
		same("the balance", balance.sum("main", coin, "balance", nil), owed)
		parts := new(big.Rat).Add(sum["missing"], sum["underpaid"])
		same("the sum of its parts", parts.Add(parts, sum["restated"]).Sub(parts, sum["excess"]), owed)
		if len(closing) > 0 && closing[coin] != nil {
			same("the closing balance of the statement of account", closing[coin], owed)
		}
	}
	seen := map[string]bool{}
	for _, row := range balance.rows {
		coin := balance.cell(row, "coin")
		if seen[coin] || sums[coin] == nil || balance.cell(row, "account") != "main" {
			a.Errorf("%d: a balance of nothing: %v", i, row)
		}
		seen[coin] = true
	}
}

// text prints an exact amount.
func text(r *big.Rat) string {
	if r == nil {
		return "nothing"
	}
	return strings.TrimRight(strings.TrimRight(r.FloatString(24), "0"), ".")
}

// whenPaid returns what was known to be earned for a line when it was last paid: exactly what was paid, if that was
// known in any state, otherwise what the newest state before the payment has.
func (a *auditor) whenPaid(i int, paid *big.Rat, coin, kind, from, to, at string) *big.Rat {
	known := a.known(0, i, coin, kind, from, to)
	for k := range a.states[:i+1] {
		sum := a.known(k, i, coin, kind, from, to)
		if sum.Cmp(paid) == 0 {
			return sum
		}
		if a.states[k].at.UTC().Format(instant) <= at {
			known = sum
		}
	}
	return known
}

const instant = "2006-01-02T15:04:05.000Z"

// known returns the commission of a line as known in a state. Of days that had not settled by then it is what the
// first state has in which they had: what changes before is no restatement.
func (a *auditor) known(k, i int, coin, kind, from, to string) *big.Rat {
	sum := new(big.Rat)
	for begin := from; begin < to; {
		at, err := time.Parse(instant, begin)
		storetest.Done(a.T, err)
		next := at.Truncate(24 * time.Hour).Add(24 * time.Hour)
		state := k
		for state < i && a.states[state].at.Before(next.Add(3*time.Hour)) {
			state++
		}
		end := min(to, next.Format(instant))
		sum.Add(sum, a.states[state].earnedBy(coin, kind, begin, end))
		begin = end
	}
	return sum
}

// month audits what is left of a month, and how far its tiers are.
func (a *auditor) month(i int, first affiliate.Day, asOf string) {
	a.Helper()
	now, name := &a.states[i], first.Format("2006-01")
	of := "month=" + name + "&" + asOf
	year, month, _ := first.Date()
	last := affiliate.NewDay(year, month+1, 1) - 1
	within := func(f table, row []string, column string) bool {
		at, err := time.Parse(time.RFC3339, f.cell(row, column))
		return err == nil && first <= affiliate.DayOf(at, a.zone) && affiliate.DayOf(at, a.zone) <= last
	}
	commission, volume := map[string]*big.Rat{}, new(big.Rat)
	for _, row := range now.file.rows {
		if !within(now.file, row, "deal_time_utc") {
			continue
		}
		coin := now.file.cell(row, "coin")
		if commission[coin] == nil {
			commission[coin] = new(big.Rat)
		}
		commission[coin].Add(commission[coin], exactly(a.T, now.file.cell(row, "commission")))
		for _, side := range []string{"taker_amount", "maker_amount"} {
			volume.Add(volume, exactly(a.T, now.file.cell(row, side)))
		}
	}
	subs, invitees := now.subs, now.invitees
	shares := subs.columnSum("net_trading_fee", func(row []string) bool { return strings.HasPrefix(subs.cell(row, "date"), name) })
	shares.Mul(shares, big.NewRat(1, 16))
	costs := new(big.Rat)
	for _, row := range invitees.rows {
		if invitees.cell(row, "invite_code") == a.code && within(invitees, row, "register_time_utc") && first >= affiliate.NewDay(2026, 9, 1) {
			costs.Add(costs, exactly(a.T, "1.05"))
		}
	}
	if due := min(last, first+30); due <= affiliate.DayOf(now.at, a.zone) { // monthly on the 31st
		costs.Add(costs, exactly(a.T, "25.000000000000000001"))
	}
	var net struct {
		Coins []struct{ Coin, Commission, Shares, Costs, Net string }
	}
	answer := a.v.Get("/net.json?" + of)
	storetest.Done(a.T, json.Unmarshal([]byte(answer.Body), &net))
	if len(commission) == 0 && name < "2026-12" { // when the programme ends
		a.Errorf("%d, %s: nothing was earned", i, name)
	}
	for _, one := range net.Coins {
		want := map[string]*big.Rat{"commission": cmp.Or(commission[one.Coin], new(big.Rat)), "shares": new(big.Rat), "costs": new(big.Rat)}
		if one.Coin == "USDT" {
			want["shares"], want["costs"] = shares, costs
		}
		left := new(big.Rat).Sub(want["commission"], want["shares"])
		want["net"] = left.Sub(left, want["costs"])
		for what, got := range map[string]string{"commission": one.Commission, "shares": one.Shares, "costs": one.Costs, "net": one.Net} {
			if got == "" || exactly(a.T, got).Cmp(want[what]) != 0 {
				a.Errorf("%d, %s, %s: %s is %q, by the auditor %s", i, name, one.Coin, what, got, text(want[what]))
			}
		}
		delete(commission, one.Coin)
	}
	if len(commission) > 0 {
		a.Errorf("%d, %s: nothing is left of %v", i, name, commission)
	}
	var tiers []struct {
		Measure, Reached, Missing string
		NextFrom                  string `json:"next_from"`
	}
	answer = a.v.Get("/tiers.json?" + of)
	storetest.Done(a.T, json.Unmarshal([]byte(answer.Body), &tiers))
	if len(tiers) != 1 || tiers[0].Measure != "volume" || exactly(a.T, tiers[0].Reached).Cmp(volume) != 0 {
		a.Errorf("%d, %s: the tiers are %.300s, the volume %s", i, name, answer.Body, text(volume))
	} else if missing := new(big.Rat).Sub(exactly(a.T, tiers[0].NextFrom), volume); missing.Cmp(exactly(a.T, tiers[0].Missing)) != 0 {
		a.Errorf("%d, %s: %s is missing, by the auditor %s", i, name, tiers[0].Missing, text(missing))
	}
}

// statements issues the statements of October, whose sums are the shares of the month.
func (a *auditor) statements() {
	a.Helper()
	shares := func() *big.Rat {
		var net struct{ Shares string }
		storetest.Done(a.T, json.Unmarshal([]byte(a.v.Get("/net.json?month=2026-10&coin=USDT").Body), &net))
		return exactly(a.T, net.Shares)
	}
	before := shares()
	a.v.Get("/statements?month=2026-10")
	a.v.Post("/statements", "month", "2026-10", "uid", "", "reason", "as far as known")
	list, sum, n := a.v.Get("/statements?month=2026-10").Body, new(big.Rat), 1
	for ; strings.Contains(list, fmt.Sprintf("2026-10-%04d", n)); n++ {
		sum.Add(sum, workbookSum(a.T, a.v.Get(fmt.Sprintf("/statements/2026-10-%04d/statement.xlsx", n)), "owed"))
	}
	if n == 1 || sum.Cmp(before) != 0 || shares().Cmp(sum) != 0 {
		a.Errorf("%d statements add up to %s; the shares of October were %s and are %s", n-1, text(sum), text(before), text(shares()))
	}
}
