package reporttest

import (
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/worklist"
	"rebatedesk/store/audit"
	"rebatedesk/store/storetest"
	acts "rebatedesk/store/worklist"
)

// Worklist answers a query of the worklist.
func (d *Fixture) Worklist(text string) worklist.Report {
	d.Helper()
	view, err := reports.Ask(d.Context(), d.Service, d.QueryOf(text, worklist.Accepted), worklist.Make)
	storetest.Done(d, err)
	return view
}

// Trader is an invitee of the drawn programme.
type Trader struct {
	Account  affiliate.Account
	Listed   affiliate.Invitee
	Earnings []affiliate.Commission
}

// drawTraders draws people with rhythms of all kinds over the last 200 days.
func drawTraders(random *rand.Rand, zone *time.Location) (list []Trader) {
	at := func(day affiliate.Day) affiliate.Millis {
		return affiliate.MillisOf(day.Start(zone).Add(time.Duration(random.IntN(23*60)) * time.Minute))
	}
	for i := range 60 {
		one := Trader{Account: []affiliate.Account{"main", "other"}[i%2]}
		one.Listed = affiliate.Invitee{UID: affiliate.UID(strconv.Itoa(7000 + i/2)), InviteCode: []string{"spring", "", "vip"}[random.IntN(3)]}
		one.Listed.RegisterTime = at(Today - affiliate.Day(random.IntN(240)) - 2)
		if i%5 == 0 { // deposited only
			one.Listed.FirstDeposit = at(Today - affiliate.Day(random.IntN(40)))
			list = append(list, one)
			continue
		}
		step, first, last := random.IntN(12)+1, Today-199+affiliate.Day(random.IntN(190)), Today-affiliate.Day(random.IntN(60))
		if i%7 == 0 {
			first, last = Today-affiliate.Day(random.IntN(9)), Today
		}
		unit := random.IntN(4000) + 1
		for day := first; day <= last; day += affiliate.Day(max(1, step+random.IntN(3)-1)) {
			coin := affiliate.Coin([]string{"USDT", "USDT", "BTC", "XYZ"}[random.IntN(4)])
			fee := big.NewRat(int64(random.IntN(100)+unit), 100)
			if coin == "BTC" {
				fee.Quo(fee, big.NewRat(50000, 1))
			}
			commission := new(big.Rat).Mul(fee, big.NewRat(2, 5))
			one.Earnings = append(one.Earnings, affiliate.Commission{UID: one.Listed.UID, Product: affiliate.Spot, Source: affiliate.Direct, Coin: coin, Symbol: "BTCUSDT",
				DealTime: at(day), Fee: affiliate.Number(fee.FloatString(12)), Rate: "0.4", Commission: affiliate.Number(commission.FloatString(13))})
		}
		if len(one.Earnings) > 0 {
			one.Listed.FirstTrade = one.Earnings[0].DealTime
			for _, c := range one.Earnings {
				one.Listed.FirstTrade = min(one.Listed.FirstTrade, c.DealTime)
			}
		}
		list = append(list, one)
	}
	return list
}

// FillTraders stores a drawn programme.
func (d *Fixture) FillTraders(seed uint64) []Trader {
	d.Helper()
	list := drawTraders(rand.New(rand.NewPCG(seed, 19)), d.Zone)
	d.Sample("BTC", "50000")
	for _, account := range []affiliate.Account{"main", "other"} {
		d.Want(account, Today-260)
		var rows []affiliate.Commission
		var listed []affiliate.Invitee
		for _, one := range list {
			if one.Account == account {
				rows, listed = append(rows, one.Earnings...), append(listed, one.Listed)
			}
		}
		d.Read(account, Spot, Days(-260, 0), rows...)
		d.Read(account, Futures, Days(-260, 0))
		d.ReadInvitees(account, Days(-364, 0), listed...)
	}
	return list
}

var Manager = audit.Line{Actor: "ann", Via: "session"}

// Act does something about an invitee of the account main.
func (d *Fixture) Act(uid affiliate.UID, list ...acts.Act) []int64 {
	d.Helper()
	ids, err := d.Service.DoWork(d.Context(), acts.Work{Account: "main", UID: uid, Acts: list}, Manager)
	storetest.Done(d, err)
	return ids
}

// Statuses prints the status of each line with its open reasons.
func (d *Fixture) Statuses(text string) string {
	d.Helper()
	var list []string
	for _, l := range d.Worklist("show=all&sort=uid" + text).Lines {
		words := string(l.UID) + " " + string(l.Status)
		for _, r := range l.Reasons {
			if !r.Done {
				words += " " + string(r.Name)
			}
		}
		list = append(list, words)
	}
	return strings.Join(list, "; ")
}

// Regular stores an invitee who earned 10 USDT on each of some days.
func (d *Fixture) Regular(last affiliate.Day, more ...affiliate.Day) {
	d.Helper()
	var rows []affiliate.Commission
	for day := Today - 60; day <= last; day++ {
		rows = append(rows, d.Earned(day, "USDT", "10"))
	}
	for _, day := range more {
		rows = append(rows, d.Earned(day, "USDT", "10"))
	}
	now := affiliate.DayOf(d.Now, time.UTC)
	span := affiliate.Days{First: Today - 120, Last: now}
	d.Read("main", Spot, span, rows...)
	d.Read("main", Futures, span)
	d.ReadInvitees("main", affiliate.Days{First: Today - 300, Last: now})
}
