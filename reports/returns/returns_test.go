package returns_test

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/reporttest"
	"rebatedesk/reports/returns"
	"rebatedesk/store"
	"rebatedesk/store/costs"
	"rebatedesk/store/people"
	"rebatedesk/store/storetest"
)

// returnTruth recomputes what a row says by scanning every record day by day.
type returnTruth struct {
	cost, commission map[affiliate.Coin]map[affiliate.Day]*big.Rat
	first            affiliate.Day
}

func (r *returnTruth) add(to map[affiliate.Coin]map[affiliate.Day]*big.Rat, coin affiliate.Coin, day affiliate.Day, amount *big.Rat) {
	if to[coin] == nil {
		to[coin] = map[affiliate.Day]*big.Rat{}
	}
	if to[coin][day] == nil {
		to[coin][day] = new(big.Rat)
	}
	to[coin][day].Add(to[coin][day], amount)
}

// String goes through all days, one after the other.
func (r *returnTruth) String() string {
	in := func(amounts map[affiliate.Coin]map[affiliate.Day]*big.Rat, day affiliate.Day) *big.Rat {
		sum := new(big.Rat)
		for coin, days := range amounts {
			if amount, price := days[day], reporttest.ReturnPrices[coin]; amount != nil && price != nil {
				sum.Add(sum, new(big.Rat).Mul(amount, price))
			}
		}
		return sum
	}
	cost, commission, paid := new(big.Rat), new(big.Rat), ""
	for day := r.first; day <= reporttest.Today; day++ {
		cost.Add(cost, in(r.cost, day))
		commission.Add(commission, in(r.commission, day))
		if paid == "" && cost.Sign() > 0 && commission.Cmp(cost) >= 0 {
			paid = day.String()
		}
	}
	return fmt.Sprintf("%s for %s, paid back %q", commission.FloatString(13), cost.FloatString(13), paid)
}

// The rows are those of a scan of every record: what fell due and when, what came back, and the day
// on which it was paid back. Invitees of several rows count once in the total.
func TestReturnsAreThoseOfAllRecords(t *testing.T) {
	t.Parallel()
	for seed, zone := range []string{"UTC", "Asia/Tokyo"} {
		t.Run(zone, func(t *testing.T) {
			t.Parallel()
			d := reporttest.NewFixture(t, zone)
			list := d.FillTraders(uint64(seed))
			tagged := map[affiliate.UID]bool{"7003": true, "7007": true, "7011": true, "7020": true}
			for uid := range tagged {
				storetest.Done(t, people.AddTag(t.Context(), d.DB, "main", uid, "Autumn", reporttest.Manager))
			}
			d.NewSegment("Others", "account=other&code=spring")
			d.Costly("7001", "2.5", "USDT")
			d.Costly("7007", "0.0001", "BTC")
			day := func(at affiliate.Millis) affiliate.Day { return affiliate.DayOf(at.Time(), d.Zone) }
			// earned is the first day from one on, on which some invitees earned: costs begin on such days.
			earned := func(from affiliate.Day, of func(reporttest.Trader) bool) affiliate.Day {
				first := reporttest.Today
				for _, one := range list {
					for _, c := range one.Earnings {
						if on := day(c.DealTime); of(one) && on >= from {
							first = min(first, on)
						}
					}
				}
				return first
			}
			all := []costs.Cost{
				{Scope: costs.OfCode, Value: "Spring", Kind: costs.Once, Amount: "100.5", Coin: "USDT", First: earned(reporttest.Today-200, func(o reporttest.Trader) bool { return o.Listed.InviteCode == "spring" && tagged[o.Listed.UID] })},
				{Scope: costs.OfCode, Value: "spring", Kind: costs.Monthly, Amount: "7.25", Coin: "USDT", First: affiliate.NewDay(2026, time.March, 31)},
				{Scope: costs.OfCode, Value: "vip", Kind: costs.PerRegistration, Amount: "0.0002", Coin: "BTC", First: reporttest.Today - 180, Last: reporttest.Today - 20},
				{Scope: costs.OfTag, Value: "autumn", Kind: costs.PerFirstTrade, Amount: "1.5", Coin: "USDT", First: earned(reporttest.Today-220, func(o reporttest.Trader) bool { return tagged[o.Listed.UID] })},
				{Scope: costs.OfTag, Value: "autumn", Kind: costs.Once, Amount: "3", Coin: "USDT", First: reporttest.Today - 100},
				{Scope: costs.OfSegment, Value: "others", Kind: costs.Once, Amount: "40", Coin: "USDT", First: earned(reporttest.Today-90, func(o reporttest.Trader) bool { return o.Account == "other" && o.Listed.InviteCode == "spring" })},
				{Scope: costs.OfCode, Value: "nobody", Kind: costs.Once, Amount: "1", Coin: "USDT", First: reporttest.Today - 5},
			}
			for _, c := range all {
				d.NewCost(c)
			}
			view := d.Returns("")
			truths := map[string]*returnTruth{}
			of := func(c costs.Cost) string { return string(c.Scope) + " " + strings.ToLower(c.Value) }
			belongs := map[string]func(reporttest.Trader) bool{
				"code spring":    func(o reporttest.Trader) bool { return o.Listed.InviteCode == "spring" },
				"code vip":       func(o reporttest.Trader) bool { return o.Listed.InviteCode == "vip" },
				"tag autumn":     func(o reporttest.Trader) bool { return tagged[o.Listed.UID] },
				"segment others": func(o reporttest.Trader) bool { return o.Account == "other" && o.Listed.InviteCode == "spring" },
				"code nobody":    func(reporttest.Trader) bool { return false },
				"people ":        func(o reporttest.Trader) bool { return o.Listed.UID == "7001" || o.Listed.UID == "7007" },
			}
			for name := range belongs {
				truths[name] = &returnTruth{cost: map[affiliate.Coin]map[affiliate.Day]*big.Rat{}, commission: map[affiliate.Coin]map[affiliate.Day]*big.Rat{}, first: reporttest.Today}
			}
			total := &returnTruth{cost: map[affiliate.Coin]map[affiliate.Day]*big.Rat{}, commission: map[affiliate.Coin]map[affiliate.Day]*big.Rat{}, first: reporttest.Today - 260}
			for _, c := range all {
				truths[of(c)].first = min(truths[of(c)].first, c.First)
			}
			truths["people "].first = reporttest.Today - 260
			rat := func(n affiliate.Number) *big.Rat { r, _ := new(big.Rat).SetString(string(n)); return r }
			spend := func(c costs.Cost, on affiliate.Day) {
				if on <= reporttest.Today {
					truths[of(c)].add(truths[of(c)].cost, c.Coin, on, rat(c.Amount))
					total.add(total.cost, c.Coin, on, rat(c.Amount))
				}
			}
			for _, c := range all {
				switch c.Kind {
				case costs.Once:
					spend(c, c.First)
				case costs.Monthly: // on the 31st
					for _, on := range []string{"2026-03-31", "2026-04-30", "2026-05-31", "2026-06-30", "2026-07-31", "2026-08-31"} {
						due, err := affiliate.ParseDay(on)
						storetest.Done(t, err)
						spend(c, due)
					}
				default:
					for _, one := range list {
						on := one.Listed.RegisterTime
						if c.Kind == costs.PerFirstTrade {
							on = one.Listed.FirstTrade
						}
						if belongs[of(c)](one) && on != 0 && day(on) >= c.First && (c.Last == 0 || day(on) <= c.Last) {
							spend(c, day(on))
						}
					}
				}
			}
			for uid, amount := range map[affiliate.UID]affiliate.Amount{"7001": {Value: decimal.RequireFromString("2.5"), Coin: "USDT"}, "7007": {Value: decimal.RequireFromString("0.0001"), Coin: "BTC"}} {
				on := reporttest.Today
				for _, one := range list {
					if one.Listed.UID == uid {
						on = min(on, day(one.Listed.RegisterTime))
					}
				}
				truths["people "].add(truths["people "].cost, amount.Coin, on, amount.Value.Rat())
				total.add(total.cost, amount.Coin, on, amount.Value.Rat())
			}
			for _, one := range list {
				for _, c := range one.Earnings {
					counts := false
					for name, truth := range truths {
						if belongs[name](one) && day(c.DealTime) >= truth.first {
							truth.add(truth.commission, c.Coin, day(c.DealTime), rat(c.Commission))
							counts = true
						}
					}
					if counts {
						total.add(total.commission, c.Coin, day(c.DealTime), rat(c.Commission))
					}
				}
			}
			if len(view.Rows) != len(truths) {
				t.Fatalf("%d rows, want %d", len(view.Rows), len(truths))
			}
			for _, row := range view.Rows {
				name := string(row.Scope) + " " + strings.ToLower(row.Value)
				if got, want := reporttest.Printed(row), truths[name].String(); got != want || !row.Known() {
					t.Errorf("%s: %s (%s), want %s", name, got, row.Why, want)
				}
				days := map[string]bool{}
				for _, one := range list {
					if belongs[name](one) {
						days[string(one.Account)+string(one.Listed.UID)] = true
					}
				}
				if row.Invitees != len(days) {
					t.Errorf("%s: %d invitees, want %d", name, row.Invitees, len(days))
				}
				alone := map[costs.Scope]string{costs.OfCode: "code=", costs.OfTag: "tag=", costs.OfSegment: "segment="}[row.Scope]
				if alone == "" {
					continue
				}
				only := d.Returns(alone + row.Value).Only()
				if only == nil || reporttest.Printed(only) != reporttest.Printed(row) {
					t.Errorf("%s alone: %v", name, only)
				}
			}
			if got, want := reporttest.Printed(view.Total), total.String(); got != want {
				t.Errorf("all together: %s, want %s", got, want)
			}
			overlapping := 0
			for _, one := range list {
				n := 0
				for name := range belongs {
					if belongs[name](one) {
						n++
					}
				}
				if n > 1 {
					overlapping++
				}
			}
			if view.Overlapping != overlapping || overlapping == 0 {
				t.Errorf("%d invitees in several rows, want %d", view.Overlapping, overlapping)
			}
			d.AgesAreThoseOf(list)
			for uid, want := range map[affiliate.UID]bool{"7001": true, "7002": false} {
				one, err := d.Service.ReturnOfPerson(t.Context(), uid, time.Time{})
				storetest.Done(t, err)
				if want != (one != nil && one.Known() && one.Cost.String() == "2.5") {
					t.Errorf("the person %s: %+v", uid, one)
				}
			}
			for _, row := range d.Rows(returns.File, "") {
				if row["scope"] == "code" && row["value"] == "vip" && (row["kind"] != "per_registration" || row["registrations"] == "" || row["coin"] != "USDT" || row["converted"] == "") {
					t.Errorf("the file says %v", row)
				}
			}
		})
	}
}

// Costs that make no sense are refused at their field, with the mend; they change nothing.
func TestCostsAreRefused(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "UTC")
	d.FillTraders(3)
	id := d.NewCost(costs.Cost{Scope: costs.OfCode, Value: "vip", Kind: costs.Monthly, Amount: "10", Coin: "USDT", First: reporttest.Today - 50})
	before := d.Rows(commissions.DailyFile, "range=all")
	good := costs.Cost{Scope: costs.OfCode, Value: "spring", Kind: costs.Once, Amount: "10", Coin: "usdt", First: reporttest.Today}
	for want, change := range map[string]func(*costs.Cost){
		"coin: The cost has no coin: write in which coin":     func(c *costs.Cost) { c.Coin = " " },
		"coin: This is no coin":                               func(c *costs.Cost) { c.Coin = "US$" },
		"amount: The cost is negative":                        func(c *costs.Cost) { c.Amount = "-1" },
		"amount: The cost is zero":                            func(c *costs.Cost) { c.Amount = "0.00" },
		"amount: The amount has a comma":                      func(c *costs.Cost) { c.Amount = "1,5" },
		"amount: The amount is not a plain number":            func(c *costs.Cost) { c.Amount = "1e9" },
		"amount: The cost has no amount":                      func(c *costs.Cost) { c.Amount = "" },
		"scope: There are no costs of a \"pair\"":             func(c *costs.Cost) { c.Scope = "pair" },
		"kind: There are no costs \"yearly\": choose once":    func(c *costs.Cost) { c.Kind = "yearly" },
		"value: The code is empty. Give the code":             func(c *costs.Cost) { c.Value = "" },
		"value: A cost of the segment \"none\" cannot be":     func(c *costs.Cost) { c.Scope, c.Value = costs.OfSegment, "none" },
		"to: The last day, 2026-09-10, is before the first":   func(c *costs.Cost) { c.Kind, c.Last = costs.Monthly, reporttest.Today-5 },
		"to: A cost that falls due once has one day":          func(c *costs.Cost) { c.Last = reporttest.Today + 1 },
		"from: Give a day between":                            func(c *costs.Cost) { c.First = 1 },
		"from: The code vip already has a cost of this kind ": func(c *costs.Cost) { c.Value, c.Kind, c.Last = "VIP", costs.Monthly, reporttest.Today+9 },
	} {
		c := good
		change(&c)
		_, err := d.Service.AddCost(t.Context(), c, reporttest.Manager)
		rule, ok := errors.AsType[*store.RuleError](err)
		if !ok || !strings.HasPrefix(rule.Field+": "+rule.Problem, want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	d.NewCost(good)
	desk := d.Service
	storetest.Done(t, desk.EndCost(t.Context(), id, reporttest.Today-1, reporttest.Manager))
	if err := desk.EndCost(t.Context(), id, reporttest.Today-2, reporttest.Manager); err == nil {
		t.Error("an old version of a cost was ended")
	}
	d.NewCost(costs.Cost{Scope: costs.OfCode, Value: "vip", Kind: costs.Monthly, Amount: "20", Coin: "USDT", First: reporttest.Today})
	view := d.Returns("code=vip")
	if only := view.Only(); only == nil || len(only.Costs) != 2 || only.Costs[0].Times != 2 || only.Costs[1].Times != 1 || only.Cost.String() != "40" {
		t.Errorf("%+v", only)
	}
	if coin := d.Returns("code=spring").Only().Coin; coin != "USDT" {
		t.Errorf("the coin is %q", coin)
	}
	if after := d.Rows(commissions.DailyFile, "range=all"); !slices.EqualFunc(before, after, func(a, b map[string]string) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) {
		t.Error("costs changed the totals of days")
	}
}
