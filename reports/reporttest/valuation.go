package reporttest

import (
	"math/big"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/store/records"
)

// Sample stores the present price of a coin.
func (d *Fixture) Sample(coin affiliate.Coin, price affiliate.Number) {
	d.Helper()
	rate := records.Rate{
		Coin: coin, Quote: figures.ValuedIn, Price: price, At: affiliate.MillisOf(d.Now),
		Source: "spot ticker", Symbol: string(coin) + "USDT_SPBL",
	}
	if _, err := records.AddRates(d.Context(), d.DB, []records.Rate{rate}); err != nil {
		d.Fatal(err)
	}
}

// Earned returns a record in a coin, in the middle of a day in the zone of the fixture.
func (d *Fixture) Earned(day affiliate.Day, coin affiliate.Coin, commission affiliate.Number) affiliate.Commission {
	c := Trade(day, Spot, 1, commission)
	c.DealTime, c.Coin = affiliate.MillisOf(day.Start(d.Zone).Add(11*time.Hour)), coin
	return c
}

// Valued scans each record, with arithmetic independent of the program.
func (m *Model) Valued(samples []records.Rate) (*big.Rat, []affiliate.Coin) {
	total, byDay := new(big.Rat), map[affiliate.Coin]map[affiliate.Day]*big.Rat{}
	for _, r := range m.Records {
		day := affiliate.DayOf(r.DealTime.Time(), m.Zone)
		if byDay[r.Coin] == nil {
			byDay[r.Coin] = map[affiliate.Day]*big.Rat{}
		}
		if byDay[r.Coin][day] == nil {
			byDay[r.Coin][day] = new(big.Rat)
		}
		byDay[r.Coin][day].Add(byDay[r.Coin][day], Rat(m, string(r.Commission.Commission)))
	}
	var missing []affiliate.Coin
	for coin, days := range byDay {
		for day, sum := range days {
			rate := m.rateOf(coin, day, samples)
			switch {
			case rate != nil:
				total.Add(total, AtScale(new(big.Rat).Mul(sum, rate)))
			case sum.Sign() != 0 && !slices.Contains(missing, coin):
				missing = append(missing, coin)
			}
		}
	}
	slices.Sort(missing)
	return total, missing
}

func (m *Model) rateOf(coin affiliate.Coin, day affiliate.Day, samples []records.Rate) *big.Rat {
	var first, newest affiliate.Number
	for _, s := range samples {
		if s.Coin == coin && first == "" {
			first = s.Price
		}
		if s.Coin == coin && affiliate.DayOf(s.At.Time(), m.Zone) <= day {
			newest = s.Price
		}
	}
	switch {
	case coin == "USDT":
		return big.NewRat(1, 1)
	case newest != "":
		return Rat(m, string(newest))
	case first != "":
		return Rat(m, string(first))
	}
	return nil
}
