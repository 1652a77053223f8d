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
	"rebatedesk/reports/snapshot"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/closings"
)

// ClosingsInForce lists the closings in force, the newest month first. Callers share the list and must
// not change it.
func (s *Service) ClosingsInForce(ctx context.Context) ([]closings.Closing, error) {
	return answer(ctx, s, "Closings", nil, func(ctx context.Context) ([]closings.Closing, error) {
		return Fresh(ctx, s, s.everything(), months.InForce)
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
func (s *Service) CloseMonth(ctx context.Context, month affiliate.Day, incomplete bool, reason string, by audit.Line) (closings.Closing, error) {
	var err error
	if reason != "" || incomplete {
		if reason, err = closings.CheckReason(reason); err != nil {
			return closings.Closing{}, err
		}
	}
	asked := s.monthQuery(month)
	frozen, err := Fresh(ctx, s, asked, months.Freeze)
	if err != nil {
		return closings.Closing{}, err
	}
	c, zone := frozen.Closing, s.store.Zone()
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
	return closings.CloseMonth(ctx, s.store, c, frozen.Details, by)
}

// ReopenMonth reopens a closed month. What is refused is a *[store.RuleError].
func (s *Service) ReopenMonth(ctx context.Context, month affiliate.Day, reason string, by audit.Line) error {
	return closings.ReopenMonth(ctx, s.store, month, reason, by)
}

// query returns the query of all accounts for a month.
func (s *Service) monthQuery(month affiliate.Day) query.Query {
	zone := s.store.Zone()
	return query.Query{Range: query.Custom, Days: months.DaysOf(month), Zone: zone, Today: affiliate.DayOf(s.now(), zone), Page: 1, Per: query.DefaultPer}
}

// FrozenSums adds up the records of a closed month again, as known at the instant of its closing:
// these are its sums, by account, product, coin and source.
func (s *Service) FrozenSums(ctx context.Context, c closings.Closing) ([]closings.Sum, error) {
	zone, err := time.LoadLocation(c.Zone)
	if err != nil {
		return nil, fmt.Errorf("the zone of the closing: %w", err)
	}
	asked := s.monthQuery(c.Month)
	asked.AsOf = c.Known.Time()
	return Fresh(ctx, s, asked, func(ctx context.Context, q *snapshot.Snapshot) ([]closings.Sum, error) {
		then := *q
		then.Zone, then.Tx = zone, q.Tx.In(zone)
		return months.FrozenSums(ctx, &then)
	})
}
