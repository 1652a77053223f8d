package programme

import (
	"math/rand/v2"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/seeded"
)

// commissionLag is the minimum delay of a commission after its trade.
const commissionLag = hour

// Plan is the size of a programme.
type Plan struct {
	Seed      int64
	Days      int       // UTC days with commissions, including the day of the start
	Invitees  int       // at the start
	Records   int       // commission records at the start, both products together
	Start     time.Time // when the history ends and live records begin
	Live      bool      // the programme continues after its start
	LiveSpeed float64   // speed relative to the history
	Rates     []RateStep
}

// Programme is the seeded affiliate programme: its participants, and how trading is spread
// over people, days and hours. It generates records and keeps none.
type Programme struct {
	size   Plan
	random *rand.Rand

	First   int64 // first instant with commissions, a UTC midnight
	horizon int64 // commissions before it exist at the start
	start   int64 // the instant of the start, to the minute

	codes   []string
	traders []trader
	taken   map[affiliate.UID]bool
	subs    []subAffiliate

	crowd crowd
}

// New fixes the times and the participants of the programme.
func New(o Plan) *Programme {
	p := &Programme{
		size:   o,
		random: seeded.Rand(o.Seed, "programme"),
		start:  o.Start.UnixMilli() / minute * minute,
		taken:  map[affiliate.UID]bool{},
	}
	p.horizon = p.start - commissionLag
	today := (p.horizon - 1) / day * day
	p.First = today - int64(o.Days-1)*day
	p.codes = p.inviteCodes()
	p.subs = p.subAffiliates()
	return p
}

// weekday weights trading from Sunday to Saturday.
var weekday = [7]float64{0.72, 1.1, 1.15, 1.12, 1.08, 1.02, 0.75}

// hours weights the hours of a UTC day.
var hours = [24]float64{
	0.9, 0.8, 0.7, 0.6, 0.55, 0.55, 0.6, 0.75, 0.95, 1.1, 1.15, 1.1,
	1.15, 1.35, 1.5, 1.55, 1.5, 1.35, 1.2, 1.15, 1.15, 1.1, 1.05, 0.95,
}

// bustle returns the relative trading activity in the hour that begins at the given
// instant, by growth, day of the week and hour of the day.
func (p *Programme) bustle(at int64) float64 {
	grown := float64(at-p.First) / float64(int64(p.size.Days)*day)
	d := affiliate.Day(at / day)
	return (1 + 1.5*grown) * weekday[d.Weekday()] * hours[at%day/hour]
}

// stretch is a part of an hour and its weight.
type stretch struct {
	from, to int64
	weight   float64
}

// stretches divides [from, to) at the full hours.
func (p *Programme) stretches(from, to int64) []stretch {
	var all []stretch
	for from < to {
		end := min(to, (from/hour+1)*hour)
		weight := p.bustle(from) * float64(end-from) / float64(hour)
		all = append(all, stretch{from, end, weight})
		from = end
	}
	return all
}

// history returns the total weight of the days before the start, which corresponds to their
// number of records.
func (p *Programme) history() float64 {
	total := 0.0
	for _, s := range p.stretches(p.First, p.horizon) {
		total += s.weight
	}
	return total
}
