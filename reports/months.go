package reports

import (
	"context"
	"fmt"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/months"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/question"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/closings"
)

// MonthDesk reads, closes and reopens months.
type MonthDesk struct{ service *Service }

func NewMonthDesk(s *Service) *MonthDesk { return &MonthDesk{s} }

// Months answers the query, which takes [months.AcceptedOfMonths], for all months.
func (d *MonthDesk) Months(ctx context.Context, asked query.Query) (months.MonthList, error) {
	return report(ctx, d.service, "Months", asked, months.Make)
}

// Month answers the query, whose days are a month, for that month.
func (d *MonthDesk) Month(ctx context.Context, asked query.Query) (months.Detail, error) {
	return report(ctx, d.service, "Month", asked, months.MakeOne)
}

// Closed lists the closed months that lie in the range of the query, with their sums as closed and
// as of now; the newest first. It lists none if the query asks for an earlier state, or
// narrows records in a way for which closings have no sums.
func (d *MonthDesk) Closed(ctx context.Context, asked query.Query) ([]months.MonthLine, error) {
	return report(ctx, d.service, "ClosedMonths", asked, months.MakeClosed)
}

// InForce lists the closings in force, the newest month first. Callers share the list and must
// not change it.
func (d *MonthDesk) InForce(ctx context.Context) ([]closings.Closing, error) {
	zone := d.service.store.Zone()
	return answer(ctx, d.service, "Closings", nil, func(ctx context.Context) ([]closings.Closing, error) {
		return ask(ctx, d.service, query.Query{Zone: zone, Today: affiliate.DayOf(d.service.now(), zone)}, months.InForce)
	})
}

// NotClosableError says why a month cannot be closed.
type NotClosableError struct {
	Month affiliate.Day
	Over  bool     // the month is over: it could be closed incomplete
	Lacks []string // sentences
}

func (e *NotClosableError) Error() string {
	return fmt.Sprintf("%s cannot be closed.\n%s", phrase.MonthName(e.Month), strings.Join(e.Lacks, "\n"))
}

// CloseMonth closes a month for all accounts and returns the closing. A month that is not over,
// collected and settled is a *[NotClosableError]; one that is over is closed all the same if
// incomplete says so, with a reason. A month that is closed already, and a reason that
// [closings.CheckReason] refuses, are a *[store.RuleError]. Of a complete month the reason is a
// note, which may be empty.
func (d *MonthDesk) CloseMonth(ctx context.Context, month affiliate.Day, incomplete bool, reason string, by audit.Line) (closings.Closing, error) {
	var err error
	if reason != "" || incomplete {
		if reason, err = closings.CheckReason(reason); err != nil {
			return closings.Closing{}, err
		}
	}
	asked := d.query(month)
	frozen, err := ask(ctx, d.service, asked, months.Freeze)
	if err != nil {
		return closings.Closing{}, err
	}
	c, zone := frozen.Closing, d.service.store.Zone()
	if present := frozen.Present; present != nil {
		return closings.Closing{}, &store.RuleError{Stale: true, Problem: fmt.Sprintf("%s is closed already: it was %s. Reopen it first, with a reason, to close it again.",
			phrase.MonthName(month), phrase.ClosedBy(present, zone))}
	}
	if r := frozen.Readiness; r.Ready() {
		c.Proof = phrase.MonthProof(month, r)
	} else {
		if c.Proof = phrase.MonthLacks(month, r, zone); !incomplete || !r.Over || r.Accounts == 0 {
			return closings.Closing{}, &NotClosableError{Month: month, Over: r.Over && r.Accounts > 0, Lacks: c.Proof}
		}
	}
	c.Reason = reason
	return closings.CloseMonth(ctx, d.service.store, c, frozen.Details, by)
}

// ReopenMonth reopens a closed month. What is refused is a *[store.RuleError].
func (d *MonthDesk) ReopenMonth(ctx context.Context, month affiliate.Day, reason string, by audit.Line) error {
	return closings.ReopenMonth(ctx, d.service.store, month, reason, by)
}

// query returns the query of all accounts for a month.
func (d *MonthDesk) query(month affiliate.Day) query.Query {
	zone := d.service.store.Zone()
	return query.Query{Range: query.Custom, Days: months.DaysOf(month), Zone: zone, Today: affiliate.DayOf(d.service.now(), zone), Page: 1, Per: query.DefaultPer}
}

// FrozenSums adds up the records of a closed month again, as known at the instant of its closing:
// these are its sums, by account, product, coin and source.
func (d *MonthDesk) FrozenSums(ctx context.Context, c closings.Closing) ([]closings.ClosingSum, error) {
	zone, err := time.LoadLocation(c.Zone)
	if err != nil {
		return nil, fmt.Errorf("the zone of the closing: %w", err)
	}
	asked := d.query(c.Month)
	asked.AsOf = c.Known.Time()
	return ask(ctx, d.service, asked, func(ctx context.Context, q *question.Question) ([]closings.ClosingSum, error) {
		then := *q
		then.Zone, then.Tx = zone, q.Tx.In(zone)
		return months.FrozenSums(ctx, &then)
	})
}
