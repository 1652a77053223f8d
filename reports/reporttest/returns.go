package reporttest

import (
	"fmt"
	"math/big"

	"rebatedesk/affiliate"
	whos "rebatedesk/people"
	"rebatedesk/reports"
	"rebatedesk/reports/returns"
	"rebatedesk/store"
	"rebatedesk/store/costs"
	"rebatedesk/store/people"
	"rebatedesk/store/storetest"
)

// Returns answers a query of the returns.
func (d *Fixture) Returns(text string) returns.Report {
	d.Helper()
	view, err := reports.Ask(d.Context(), d.Service, d.QueryOf(text, returns.Accepted), returns.Make)
	storetest.Done(d, err)
	return view
}

// NewCost adds a cost.
func (d *Fixture) NewCost(c costs.Cost) int64 {
	d.Helper()
	id, err := d.Service.AddCost(d.Context(), c, Manager)
	storetest.Done(d, err)
	return id
}

// Costly gives a person a cost.
func (d *Fixture) Costly(uid affiliate.UID, amount, coin string) {
	d.Helper()
	entry := whos.PersonEntry{UID: uid, Values: []whos.GivenValue{{Field: whos.FieldCost, Text: amount}, {Field: whos.FieldCostCoin, Text: coin}}}
	storetest.Done(d, people.Edit(d.Context(), d.DB, entry, store.AnyVersion, Manager))
}

// ReturnPrices are those of fillTraders; XYZ has none.
var ReturnPrices = map[affiliate.Coin]*big.Rat{"USDT": big.NewRat(1, 1), "BTC": big.NewRat(50000, 1)}

func Printed(r *returns.Row) string {
	paid := ""
	if r.Life.PaidBack != 0 {
		paid = r.Life.PaidBack.String()
	}
	return fmt.Sprintf("%s for %s, paid back %q", r.Commission.StringFixed(13), r.Cost.StringFixed(13), paid)
}

// AgesAreThoseOf compares the ages of the code vip with a scan of every record.
func (d *Fixture) AgesAreThoseOf(list []Trader) {
	d.Helper()
	view := d.Returns("code=vip")
	months := func(day affiliate.Day) int { y, m, _ := day.Date(); return y*12 + int(m) }
	day := func(at affiliate.Millis) affiliate.Day { return affiliate.DayOf(at.Time(), d.Zone) }
	byAge, older := map[int]*big.Rat{}, 0
	for _, one := range list {
		registered := day(one.Listed.RegisterTime)
		if one.Listed.InviteCode != "vip" {
			continue
		}
		if registered < Today-180 {
			older++
			continue
		}
		for _, c := range one.Earnings {
			price := ReturnPrices[c.Coin]
			if price == nil || day(c.DealTime) < Today-180 {
				continue
			}
			amount, _ := new(big.Rat).SetString(string(c.Commission))
			for age := max(0, months(day(c.DealTime))-months(registered)); age < 20; age++ {
				if byAge[age] == nil {
					byAge[age] = new(big.Rat)
				}
				byAge[age].Add(byAge[age], new(big.Rat).Mul(amount, price))
			}
		}
	}
	if len(view.Ages) < 3 || view.Older != older {
		d.Fatalf("%d ages, %d older of %d", len(view.Ages), view.Older, older)
	}
	for _, a := range view.Ages {
		if want := byAge[a.Age]; want == nil && !a.Commission.IsZero() || want != nil && a.Commission.Rat().Cmp(want) != 0 {
			d.Errorf("age %d: %s, want %v", a.Age, a.Commission, want)
		}
	}
	if !view.Ages[len(view.Ages)-1].Immature || view.Ages[0].Immature && !view.Ages[1].Immature {
		d.Errorf("ages %+v", view.Ages)
	}
}
