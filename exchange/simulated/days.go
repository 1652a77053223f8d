package simulated

import (
	"cmp"
	"slices"
	"time"

	"github.com/shopspring/decimal"
)

// Zone is that of the days of exchanges that count in UTC+8.
var Zone = time.FixedZone("UTC+8", 8*60*60)

// DayRow is what an invitee brought on a day with a pair.
type DayRow struct {
	Invitee *Invitee
	Day     time.Time // its beginning
	Product Product
	Symbol  string
	Rate    decimal.Decimal

	Volume, Fee, Commission decimal.Decimal
}

// Days returns the rows of the days of UTC+8 that begin at or after from and before to, oldest first. A
// day is listed when it is over and some time has passed.
func (p *Programme) Days(from, to time.Time, published time.Duration) (rows []DayRow) {
	type key struct {
		invitee         *Invitee
		day             int64
		product, symbol string
		coin            string
	}
	at := map[key]int{}
	for _, t := range p.Trades(from, to.Add(day)) {
		begin := beginOf(t.At)
		if begin.Before(from) || !begin.Before(to) || begin.Add(day+published).After(p.Now()) {
			continue
		}
		of := key{t.Invitee, begin.Unix(), t.Product.Name, t.Symbol, t.Product.Coin}
		i, ok := at[of]
		if !ok {
			i = len(rows)
			at[of] = i
			rows = append(rows, DayRow{Invitee: t.Invitee, Day: begin, Product: t.Product, Symbol: t.Symbol, Rate: t.Rate})
		}
		rows[i].Volume, rows[i].Fee, rows[i].Commission = rows[i].Volume.Add(t.Volume), rows[i].Fee.Add(t.Fee), rows[i].Commission.Add(t.Commission)
	}
	slices.SortStableFunc(rows, func(a, b DayRow) int {
		return cmp.Or(a.Day.Compare(b.Day), cmp.Compare(a.Invitee.UID, b.Invitee.UID), cmp.Compare(a.Symbol, b.Symbol))
	})
	return rows
}

// beginOf returns when the day of UTC+8 of an instant begins.
func beginOf(at time.Time) time.Time {
	at = at.In(Zone)
	return time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, Zone).UTC()
}
