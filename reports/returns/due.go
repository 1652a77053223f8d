package returns

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/store/costs"
)

// dueDays returns the days on which a cost falls due within some days. registered and traded are
// the days on which its invitees registered and first traded, in any order; 0 is an unknown day.
func dueDays(c costs.Cost, within affiliate.Days, registered, traded []affiliate.Day) (days []affiliate.Day) {
	var all []affiliate.Day
	switch c.Kind {
	case costs.Once:
		all = []affiliate.Day{c.First}
	case costs.Monthly:
		for i := 0; monthsLater(c.First, i) <= c.Days(within.Last).Last; i++ {
			all = append(all, monthsLater(c.First, i))
		}
	case costs.PerRegistration:
		all = registered
	case costs.PerFirstTrade:
		all = traded
	}
	of := c.Days(within.Last)
	for _, day := range all {
		if day != 0 && of.Contains(day) && within.Contains(day) {
			days = append(days, day)
		}
	}
	return days
}

// monthsLater returns the same day n months later, or the last day of that month if it is shorter.
func monthsLater(day affiliate.Day, n int) affiliate.Day {
	year, month, date := day.Date()
	next := affiliate.NewDay(year, month+time.Month(n+1), 1)
	return min(affiliate.NewDay(year, month+time.Month(n), 1)+affiliate.Day(date-1), next-1)
}

// monthsBetween returns how many calendar months a day lies after another.
func monthsBetween(from, to affiliate.Day) int {
	year, month, _ := from.Date()
	laterYear, laterMonth, _ := to.Date()
	return (laterYear-year)*12 + int(laterMonth-month)
}

// add adds an amount on a day.
func add(amounts figures.DayAmounts, coin affiliate.Coin, day affiliate.Day, amount decimal.Decimal) {
	if amounts[coin] == nil {
		amounts[coin] = map[affiliate.Day]decimal.Decimal{}
	}
	amounts[coin][day] = amounts[coin][day].Add(amount)
}

// addAll adds the amounts of another set.
func addAll(amounts, more figures.DayAmounts) {
	for coin, days := range more {
		for day, amount := range days {
			add(amounts, coin, day, amount)
		}
	}
}

// rateBook has the rates of coins by day. A coin without any rate is missing.
type rateBook map[affiliate.Coin]map[affiliate.Day]figures.DayRate

// convert converts amounts to [figures.ValuedIn], in all and by day.
func (b rateBook) convert(amounts figures.DayAmounts) (v figures.Valuation, byDay map[affiliate.Day]decimal.Decimal) {
	byDay = map[affiliate.Day]decimal.Decimal{}
	for coin, days := range amounts {
		valued := figures.ValuedCoin{Sum: affiliate.Amount{Coin: coin}}
		rates, rated := b[coin]
		for _, day := range sortedDays(days) {
			amount := days[day]
			valued.Sum.Value = valued.Sum.Value.Add(amount)
			if coin == figures.ValuedIn {
				byDay[day] = byDay[day].Add(amount)
			} else if rated && !amount.IsZero() {
				worth := affiliate.Times(amount, rates[day].Price.Decimal())
				byDay[day], valued.Value = byDay[day].Add(worth), valued.Value.Add(worth)
				valued.Days = append(valued.Days, rates[day])
			}
		}
		switch {
		case coin == figures.ValuedIn:
			valued.Value = valued.Sum.Value
			v.Add(valued)
		case rated || len(nonZero(days)) == 0:
			v.Add(valued)
		default:
			v.Missing = append(v.Missing, valued.Sum)
		}
	}
	v.Order()
	return v, byDay
}

func sortedDays(days map[affiliate.Day]decimal.Decimal) []affiliate.Day {
	list := make([]affiliate.Day, 0, len(days))
	for day := range days {
		list = append(list, day)
	}
	slices.Sort(list)
	return list
}

func nonZero(days map[affiliate.Day]decimal.Decimal) (list []affiliate.Day) {
	for day, amount := range days {
		if !amount.IsZero() {
			list = append(list, day)
		}
	}
	return list
}

// soleCoin returns the coin of all amounts, or false if there are several coins or none.
func soleCoin(sets ...figures.DayAmounts) (coin affiliate.Coin, ok bool) {
	for _, amounts := range sets {
		for name, days := range amounts {
			if len(nonZero(days)) == 0 {
				continue
			}
			if ok && name != coin {
				return "", false
			}
			coin, ok = name, true
		}
	}
	return coin, ok
}

// course is what was spent and earned by day, in one coin.
type course struct {
	spent, earned map[affiliate.Day]decimal.Decimal
}

// days lists the days on which anything changed, oldest first.
func (c course) days() []affiliate.Day {
	all := make(map[affiliate.Day]decimal.Decimal, len(c.spent)+len(c.earned))
	for day := range c.spent {
		all[day] = decimal.Decimal{}
	}
	for day := range c.earned {
		all[day] = decimal.Decimal{}
	}
	return sortedDays(all)
}

// due returns the first day on which anything was spent, or 0.
func (c course) due() affiliate.Day {
	if days := nonZero(c.spent); len(days) > 0 {
		return slices.Min(days)
	}
	return 0
}

// paidBack returns the first day on which the commission so far reached the cost so far, or 0, and the
// commission of the days after it.
func (c course) paidBack() (day affiliate.Day, since decimal.Decimal) {
	var spent, earned decimal.Decimal
	for _, one := range c.days() {
		if day != 0 {
			since = since.Add(c.earned[one])
			continue
		}
		spent, earned = spent.Add(c.spent[one]), earned.Add(c.earned[one])
		if spent.IsPositive() && !earned.LessThan(spent) {
			day = one
		}
	}
	return day, since
}

// until returns what was spent and earned up to the end of each step.
func (c course) until(steps []affiliate.Days) (spent, earned []decimal.Decimal) {
	spent, earned = make([]decimal.Decimal, len(steps)), make([]decimal.Decimal, len(steps))
	var out, in decimal.Decimal
	days := c.days()
	for i, step := range steps {
		for len(days) > 0 && days[0] <= step.Last {
			out, in = out.Add(c.spent[days[0]]), in.Add(c.earned[days[0]])
			days = days[1:]
		}
		spent[i], earned[i] = out, in
	}
	return spent, earned
}
