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

// CohortsOf reads the invitees who registered on the given days, by their week or month, oldest
// first. The days of the filter are those of the records. Invitees with an unknown registration are
// in no cohort.
func CohortsOf(registered affiliate.Days, period CohortPeriod) (Reading[*CohortTable], error) {
	by, err := period.span()
	return Reading[*CohortTable]{longest: by, invitees: true, Read: func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (*CohortTable, error) {
		of := f
		of.Days = registered
		list, err := registrations(ctx, r, of, by)
		if err != nil {
			return nil, fmt.Errorf("reading cohorts: %w", err)
		}
		return list.read(ctx, r, f)
	}}, err
}

// JoinCohorts returns the cohorts over all parts, which are of the same invitees and of
// different days.
func JoinCohorts(parts ...*CohortTable) []CohortSums {
	joined := newCohortTable(parts[0].registered)
	for _, part := range parts {
		joined.merge(part)
	}
	return joined.result()
}

// read counts the records of the filter.
func (l *registered) read(ctx context.Context, r *store.Tx, f records.CommissionFilter) (*CohortTable, error) {
	halves, err := inHalves(ctx, r, f, func(r *store.Tx, part half) (*CohortTable, error) {
		c := newCohortTable(l)
		see := cohortReader{CohortTable: c, people: newPeople()}
		return c, eachEntryOf(ctx, r, f, part, rollup.ByUID, l.by, see.add)
	})
	if err != nil {
		return nil, fmt.Errorf("adding up commissions by cohort: %w", err)
	}
	for _, other := range halves[1:] {
		halves[0].merge(other)
	}
	return halves[0], nil
}

// EveryDay holds all days that can be written.
var EveryDay = affiliate.Days{First: affiliate.NewDay(1, time.January, 1), Last: affiliate.NewDay(9999, time.December, 31)}

// registered has the cohort of each invitee. It is the same for each reading of the same
// invitees.
type registered struct {
	by     rollup.Span
	of     map[person]place
	index  map[affiliate.Day]int // of a cohort, by the first day of its period
	firsts []affiliate.Day       // of the periods, by index of the cohort
	sizes  []int                 // by index of the cohort
}

// place identifies an invitee: the index of its cohort, and its number within the cohort.
type place struct {
	cohort, number int
	known          bool // false: it is in no cohort
}

// CohortTable holds the cells of cohorts. It is shared, and nobody may change it.
type CohortTable struct {
	*registered
	ages [][][]cohortCoin // by index of the cohort, age and coin
}

func newCohortTable(l *registered) *CohortTable {
	return &CohortTable{registered: l, ages: make([][][]cohortCoin, len(l.sizes))}
}

// cohortReader fills a table from entries.
type cohortReader struct {
	*CohortTable
	people *people
	places []place // by number of the person

	day   affiliate.Day // of the entry
	began affiliate.Day // the first day of its period
	coins *[]cohortCoin // of the cell that the entry belongs to; nil: none
	place place         // of its invitee
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

func (m members) join(o members) {
	for i, word := range o {
		m[i] |= word
	}
}

func (m members) count() (n int64) {
	for _, word := range m {
		n += int64(bits.OnesCount64(word))
	}
	return n
}

// registrations reads the cohort of each invitee.
func registrations(ctx context.Context, r *store.Tx, f records.CommissionFilter, by rollup.Span) (*registered, error) {
	list := &registered{by: by, of: map[person]place{}, index: map[affiliate.Day]int{}}
	w := records.InviteeFilter{Registered: f.Days.Range(r.ReportingZone()), Account: f.Account, UID: f.UID, Code: f.Code, Members: f.Members, AsOf: f.AsOf}.Where()
	rows, err := r.QueryContext(ctx, `SELECT i.account_id, i.uid, i.register_ms FROM `+records.InviteesAt(f.AsOf)+` i WHERE i.register_ms <> 0 AND `+w.String()+` ORDER BY i.account_id, i.uid`, w.Args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var p person
		var registered affiliate.Millis
		if err := rows.Scan(&p.account, &p.uid, &registered); err != nil {
			return nil, err
		}
		list.register(p, rollup.BlockOf(by, affiliate.DayOf(registered.Time(), r.ReportingZone())).First)
	}
	return list, rows.Err()
}

func (l *registered) register(p person, first affiliate.Day) {
	cohort, ok := l.index[first]
	if !ok {
		cohort = len(l.sizes)
		l.index[first] = cohort
		l.firsts, l.sizes = append(l.firsts, first), append(l.sizes, 0)
	}
	l.of[p] = place{cohort, l.sizes[cohort], true}
	l.sizes[cohort]++
}

// add counts an entry at the age that its cohort had at the time.
func (c *cohortReader) add(e *entry) error {
	if e.another {
		c.find(e)
	}
	if c.coins == nil {
		return nil
	}
	cell := c.cell(c.coins, e.Coin, c.place.cohort)
	cell.active.add(c.place.number)
	return e.addCommissionTo(cell.sums)
}

// cell returns the part in a coin of a cohort. Coins are few, so it searches them one by one.
func (c *CohortTable) cell(coins *[]cohortCoin, coin affiliate.Coin, cohort int) *cohortCoin {
	for i := range *coins {
		if cell := &(*coins)[i]; cell.coin == coin {
			return cell
		}
	}
	*coins = append(*coins, cohortCoin{coin, new(rollup.LineFigures), make(members, c.sizes[cohort]/64+1)})
	return &(*coins)[len(*coins)-1]
}

// coinsAt returns the cell of a cohort at an age.
func (c *CohortTable) coinsAt(cohort, age int) *[]cohortCoin {
	for len(c.ages[cohort]) <= age {
		c.ages[cohort] = append(c.ages[cohort], nil)
	}
	return &c.ages[cohort][age]
}

// merge adds the cells of other invitees of the same cohorts, or of other days.
func (c *CohortTable) merge(other *CohortTable) {
	for cohort, ages := range other.ages {
		for age, coins := range ages {
			for _, more := range coins {
				cell := c.cell(c.coinsAt(cohort, age), more.coin, cohort)
				cell.sums.AddSums(more.sums)
				cell.active.join(more.active)
			}
		}
	}
}

// find looks up the cell that an entry belongs to.
func (c *cohortReader) find(e *entry) {
	n := c.people.of(e)
	if n == len(c.places) {
		c.places = append(c.places, c.of[e.person()])
	}
	c.place, c.coins = c.places[n], nil
	if c.place.known {
		if c.day != e.day || c.began == 0 {
			c.day, c.began = e.day, rollup.BlockOf(c.by, e.day).First
		}
		c.coins = c.coinsAt(c.place.cohort, max(0, c.age(c.firsts[c.place.cohort], c.began)))
	}
}

// age returns the number of periods between the first days of two of them.
func (c *CohortTable) age(from, to affiliate.Day) int {
	if c.by == rollup.OfWeek {
		return int(to-from) / 7
	}
	fromYear, fromMonth, _ := from.Date()
	toYear, toMonth, _ := to.Date()
	return (toYear-fromYear)*12 + int(toMonth-fromMonth)
}

func (c *CohortTable) result() []CohortSums {
	list := make([]CohortSums, 0, len(c.sizes))
	for _, first := range sortedKeys(c.index) {
		i := c.index[first]
		cohort := CohortSums{First: first, Invitees: int64(c.sizes[i])}
		for age, coins := range c.ages[i] {
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
		active.join(c.active)
	}
	a.Active = active.count()
	slices.SortFunc(a.Coins, func(x, y CohortCoin) int { return cmp.Compare(x.Coin, y.Coin) })
	return a
}
