package sums

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/rollup"
)

// CohortPeriod is the length of a cohort's registration period and of its ages.
type CohortPeriod string

// The periods of cohorts follow the calendar: a week begins on Monday.
const (
	CohortWeek  CohortPeriod = "week"
	CohortMonth CohortPeriod = "month"
)

func (p CohortPeriod) span() (rollup.Span, error) {
	switch p {
	case CohortWeek:
		return rollup.OfWeek, nil
	case CohortMonth:
		return rollup.OfMonth, nil
	}
	return "", fmt.Errorf("there are no cohorts by %.20q", string(p))
}

// CohortSums are the invitees who registered in the same week or month.
type CohortSums struct {
	First    affiliate.Day // the first reporting day of the period
	Invitees int64
	Ages     []CohortAge // by age, only those with records
}

// CohortAge is a cohort in one later period: age 0 is the one it registered
// in, age 1 the next. Records from before the registration are counted in 0.
type CohortAge struct {
	Age    int
	Active int64 // invitees with at least one record, in any coin
	Coins  []CohortCoin
}

// CohortCoin is what a cohort brought at an age in one coin.
type CohortCoin struct {
	Coin       affiliate.Coin
	Active     int64 // invitees with at least one record in the coin
	Records    int64
	Commission affiliate.Number
}

// Cohorts returns the invitees who registered on the days of the filter, by their week or
// month, oldest first. It counts all their records that match the rest of the filter,
// whatever their date. Invitees with an unknown registration are in no cohort.
func Cohorts(ctx context.Context, r *store.Tx, f records.CommissionFilter, period CohortPeriod) ([]CohortSums, error) {
	by, err := period.span()
	if err != nil {
		return nil, err
	}
	c := cohorts{by: by, of: map[person]place{}, groups: map[affiliate.Day]*cohortGroup{}, people: newPeople()}
	if err := registrations(ctx, r, f, &c); err != nil {
		return nil, fmt.Errorf("reading cohorts: %w", err)
	}
	f.Days = everyDay
	if err := eachEntry(ctx, r, f, rollup.ByUID, by, c.add); err != nil {
		return nil, fmt.Errorf("adding up commissions by cohort: %w", err)
	}
	return c.result(), nil
}

// everyDay holds all days that can be written.
var everyDay = affiliate.Days{First: affiliate.NewDay(1, time.January, 1), Last: affiliate.NewDay(9999, time.December, 31)}

// cohorts collects the cells of the table.
type cohorts struct {
	by     rollup.Span
	of     map[person]place
	groups map[affiliate.Day]*cohortGroup // by the first day of their period

	people *people
	places []place // by number of the person; no cohort: in none

	coins *[]cohortCoin // of the cell that the entry belongs to; nil: none
	place place         // of its invitee
}

// place identifies an invitee: the cohort and the number within it.
type place struct {
	cohort *cohortGroup
	number int
}

type cohortGroup struct {
	first affiliate.Day
	size  int
	ages  [][]cohortCoin // by age, then coin
}

// cohortCoin is a cell of the table in one coin.
type cohortCoin struct {
	coin   affiliate.Coin
	sums   *rollup.LineFigures
	active members
}

// members is a set of invitees of a cohort, as bits by number.
type members []uint64

func (m members) add(number int) { m[number/64] |= 1 << (number % 64) }

func (m members) count() (n int64) {
	for _, word := range m {
		n += int64(bits.OnesCount64(word))
	}
	return n
}

// registrations records the cohort of each invitee.
func registrations(ctx context.Context, r *store.Tx, f records.CommissionFilter, c *cohorts) error {
	w := records.InviteeFilter{Registered: f.Days.Range(r.ReportingZone()), Account: f.Account, UID: f.UID, Code: f.Code}.Where()
	rows, err := r.QueryContext(ctx, `SELECT i.account_id, i.uid, i.register_ms FROM `+records.InviteesAt(f.AsOf)+` i WHERE i.register_ms <> 0 AND `+w.String(), w.Args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var p person
		var registered affiliate.Millis
		if err := rows.Scan(&p.account, &p.uid, &registered); err != nil {
			return err
		}
		c.register(p, rollup.BlockOf(c.by, affiliate.DayOf(registered.Time(), r.ReportingZone())).First)
	}
	return rows.Err()
}

func (c *cohorts) register(p person, first affiliate.Day) {
	cohort := c.groups[first]
	if cohort == nil {
		cohort = &cohortGroup{first: first}
		c.groups[first] = cohort
	}
	c.of[p] = place{cohort, cohort.size}
	cohort.size++
}

// add counts an entry at the age that its cohort had at the time.
func (c *cohorts) add(e *entry) error {
	if e.another {
		c.find(e)
	}
	if c.coins == nil {
		return nil
	}
	cell := c.cell(e.Coin)
	cell.active.add(c.place.number)
	return e.addCommissionTo(cell.sums)
}

// cell returns the part in a coin. Coins are few, so it searches them one by one.
func (c *cohorts) cell(coin affiliate.Coin) *cohortCoin {
	for i := range *c.coins {
		if cell := &(*c.coins)[i]; cell.coin == coin {
			return cell
		}
	}
	*c.coins = append(*c.coins, cohortCoin{coin, new(rollup.LineFigures), make(members, c.place.cohort.size/64+1)})
	return &(*c.coins)[len(*c.coins)-1]
}

// find looks up the cell that an entry belongs to.
func (c *cohorts) find(e *entry) {
	n := c.people.of(e)
	if n == len(c.places) {
		c.places = append(c.places, c.of[e.person()])
	}
	c.place = c.places[n]
	cohort := c.place.cohort
	if cohort == nil {
		c.coins = nil
		return
	}
	age := max(0, c.age(cohort.first, rollup.BlockOf(c.by, e.day).First))
	for len(cohort.ages) <= age {
		cohort.ages = append(cohort.ages, nil)
	}
	c.coins = &cohort.ages[age]
}

// age returns the number of periods between the first days of two of them.
func (c *cohorts) age(from, to affiliate.Day) int {
	if c.by == rollup.OfWeek {
		return int(to-from) / 7
	}
	fromYear, fromMonth, _ := from.Date()
	toYear, toMonth, _ := to.Date()
	return (toYear-fromYear)*12 + int(toMonth-fromMonth)
}

func (c *cohorts) result() []CohortSums {
	list := make([]CohortSums, 0, len(c.groups))
	for _, first := range sortedKeys(c.groups) {
		cohort := CohortSums{First: first, Invitees: int64(c.groups[first].size)}
		for age, coins := range c.groups[first].ages {
			if len(coins) > 0 {
				cohort.Ages = append(cohort.Ages, cohortAge(age, coins))
			}
		}
		list = append(list, cohort)
	}
	return list
}

func cohortAge(age int, coins []cohortCoin) CohortAge {
	a := CohortAge{Age: age}
	active := make(members, len(coins[0].active))
	for _, c := range coins {
		a.Coins = append(a.Coins, CohortCoin{c.coin, c.active.count(), c.sums.Records, affiliate.Number(c.sums.Commission.String())})
		for i, word := range c.active {
			active[i] |= word
		}
	}
	a.Active = active.count()
	slices.SortFunc(a.Coins, func(x, y CohortCoin) int { return cmp.Compare(x.Coin, y.Coin) })
	return a
}
