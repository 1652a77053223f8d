// Package agenda lists the days that a calendar shows: when months end and can be closed, when
// statements are due, when payments are expected and which are overdue.
package agenda

import (
	"cmp"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/books"
	"rebatedesk/reports/months"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/statements"
	stored "rebatedesk/store/statements"
)

// Report has the days, each list in order of time. Days are those of Zone.
type Report struct {
	Zone       *time.Location
	Today      affiliate.Day
	Written    affiliate.Millis // stamp of the newest write before
	Judged     bool             // the caller may see the states of months
	Ends       []MonthEnd
	Statements []StatementsDue
	Overdue    []OverduePayment
	Payouts    []ExpectedPayout
}

// How far the days reach.
const (
	MonthsBack   = 6
	MonthsAhead  = 3
	weeksAhead   = 8
	daysAhead    = 14
	mostOverdue  = 200 // the newest ones
	statesMonths = 3   // past months whose statements are looked at
)

// MonthEnd is the end of a month, and when it can be closed.
type MonthEnd struct {
	First    affiliate.Day // of the month
	Last     affiliate.Day
	Closable affiliate.Day // from when on it can be closed, once all of it is collected
	// State of the month, with what it lacks; empty unless the report is Judged, and before the
	// first record and after today.
	State     months.State
	Readiness months.Readiness
	Closed    affiliate.Millis // of the closing in force; unknown: there is none
}

// Ends lists the months from [MonthsBack] before today to [MonthsAhead] after it.
func Ends(today affiliate.Day, zone *time.Location) (list []MonthEnd) {
	year, month, _ := today.Date()
	for n := -MonthsBack; n <= MonthsAhead; n++ {
		days := months.DaysOf(affiliate.NewDay(year, month+time.Month(n), 1))
		list = append(list, MonthEnd{First: days.First, Last: days.Last, Closable: affiliate.DayOf(days.Range(zone).To.Add(affiliate.Settling), zone)})
	}
	return list
}

// Judge adds the states of the months.
func Judge(ends []MonthEnd, known []months.Line) {
	for i := range known {
		n := slices.IndexFunc(ends, func(e MonthEnd) bool { return e.First == known[i].First() })
		if n < 0 {
			continue
		}
		ends[n].State, ends[n].Readiness = known[i].State, known[i].Readiness
		if closing := known[i].InForce(); closing != nil {
			ends[n].Closed = closing.Closed
		}
	}
}

// MonthsOfStatements lists the first days of the months whose statements may be due.
func MonthsOfStatements(today affiliate.Day) (list []affiliate.Day) {
	year, month, _ := today.Date()
	for n := -statesMonths; n <= 0; n++ {
		list = append(list, affiliate.NewDay(year, month+time.Month(n), 1))
	}
	return list
}

// StatementsDue are the statements to sub-affiliates that a month still needs.
type StatementsDue struct {
	First affiliate.Day // of the month
	Day   affiliate.Day // when its figures are settled
	Over  bool          // the month is over, and Open counts the statements that can be issued
	Open  int
}

// Due returns the statements that a month needs; false if it needs none.
func Due(m statements.MonthReport, issued []stored.IssuedStatement, zone *time.Location) (due StatementsDue, needed bool) {
	due = StatementsDue{First: m.Days.First, Day: affiliate.DayOf(m.Days.Range(time.UTC).To.Add(affiliate.Settling), zone), Over: m.Over}
	for i := range m.Drafts {
		d := &m.Drafts[i]
		if d.Refusal == "" && !slices.ContainsFunc(issued, func(s stored.IssuedStatement) bool { return s.UID == d.UID }) {
			due.Open++
		}
	}
	return due, m.Agreed && (due.Open > 0 || !m.Over)
}

// OverduePayment is a period that was not paid in full when it was due.
type OverduePayment struct {
	Day affiliate.Day // when it was due
	payments.PaymentLine
}

// OverduePayments lists the payments that are overdue, the newest ones of many.
func OverduePayments(paid payments.Overview, zone *time.Location) (list []OverduePayment) {
	for i := range paid.Faults {
		l := &paid.Faults[i]
		if l.State == books.Missing || l.State == books.Short {
			list = append(list, OverduePayment{affiliate.DayOf(l.Due.Time(), zone), *l})
		}
	}
	slices.SortStableFunc(list, func(a, b OverduePayment) int { return cmp.Compare(a.Day, b.Day) })
	return list[max(0, len(list)-mostOverdue):]
}

// ExpectedPayout is a day on which an account is expected to be paid.
type ExpectedPayout struct {
	Day     affiliate.Day
	Account affiliate.Account
	Period  books.Period
	From    affiliate.Millis // of the period that is paid; by the hour: of the first one of the day
	To      affiliate.Millis // by the hour: of the last one of the day
}

// Payouts lists the next payouts of each account by its newest rule. Those of one day are one.
func Payouts(paid payments.Overview, now time.Time, zone *time.Location) (list []ExpectedPayout) {
	for i, rule := range paid.Rules {
		if !rule.Known || lastRule(paid.Rules, i) != i {
			continue
		}
		period, delay := rule.Score.Rule.Period, rule.Score.Rule.Delay
		days := map[books.Period]int{books.Hour: daysAhead, books.Day: daysAhead, books.Week: weeksAhead, books.Month: MonthsAhead}[period]
		from, to := period.Around(affiliate.MillisOf(now.Add(-delay)))
		for found := 0; ; from, to = period.Around(to) {
			day := affiliate.DayOf(to.Time().Add(delay), zone)
			if found > 0 && list[len(list)-1].Day == day {
				list[len(list)-1].To = to
				continue
			}
			if found == days {
				break
			}
			found++
			list = append(list, ExpectedPayout{day, rule.Account, period, from, to})
		}
	}
	slices.SortStableFunc(list, func(a, b ExpectedPayout) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Account, b.Account))
	})
	return list
}

// lastRule returns the index of the newest known rule of the account of a rule.
func lastRule(rules []payments.RuleInUse, of int) int {
	last := of
	for i := range rules {
		if rules[i].Account == rules[of].Account && rules[i].Known && rules[i].From >= rules[last].From {
			last = i
		}
	}
	return last
}
