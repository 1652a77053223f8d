package reports

import (
	"context"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/agenda"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/months"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	stored "rebatedesk/store/statements"
)

// Agenda lists the days of the calendar. A user who is bound to some invitees gets the ends of months
// alone: closings, statements and payments cannot be divided.
func (s *Service) Agenda(ctx context.Context) (agenda.Report, error) {
	return answer(ctx, s, "Agenda", nil, func(ctx context.Context) (r agenda.Report, err error) {
		r.Zone, r.Today = s.store.Zone(), affiliate.DayOf(s.now(), s.store.Zone())
		if r.Written, err = s.store.LastWrite(ctx); err != nil {
			return r, err
		}
		r.Ends = agenda.Ends(r.Today, r.Zone)
		if !s.bound.Everything() {
			return r, nil
		}
		basis, err := s.Basis(ctx)
		if err != nil {
			return r, err
		}
		all := query.Query{Range: query.AllTime, Zone: r.Zone, Today: r.Today, Days: affiliate.Days{First: basis.First, Last: r.Today}, Page: 1, Per: query.DefaultPer}
		known, err := Ask(ctx, s, all, months.Make)
		if err != nil {
			return r, err
		}
		r.Judged = true
		agenda.Judge(r.Ends, known.Months)
		paid, err := Ask(ctx, s, all, payments.MakeOverview)
		if err != nil {
			return r, err
		}
		r.Overdue, r.Payouts = agenda.OverduePayments(paid, r.Zone), agenda.Payouts(paid, s.now(), r.Zone)
		desk := s
		for _, first := range agenda.MonthsOfStatements(r.Today) {
			month, err := desk.StatementMonth(ctx, first)
			if err != nil {
				return r, err
			}
			issued, err := desk.Statements(ctx, stored.Query{Month: first})
			if err != nil {
				return r, err
			}
			if due, needed := agenda.Due(month, issued, r.Zone); needed {
				r.Statements = append(r.Statements, due)
			}
		}
		return r, nil
	})
}

// feedDays is how far back the feed of changes reaches.
const feedDays = 90

// RestatedDays are the days on which restatements were noticed.
type RestatedDays struct {
	Days  []commissions.RestatedDay // the newest first
	Since affiliate.Millis          // the end of the first collection, before which nothing can change; unknown: nothing was ever read
}

// RestatedDays returns the days of the last ninety on which restatements were noticed, about the
// invitees whom the user sees.
func (s *Service) RestatedDays(ctx context.Context) (RestatedDays, error) {
	today := affiliate.DayOf(s.now(), s.store.Zone())
	since := (today - feedDays).Start(s.store.Zone()).Add(-time.Millisecond)
	asked := query.Query{Range: query.AllTime, Zone: s.store.Zone(), Today: today}
	return Ask(ctx, s, asked, func(ctx context.Context, q *snapshot.Snapshot) (r RestatedDays, err error) {
		if _, r.Since, err = q.FirstCollection(ctx, affiliate.Commissions); err != nil {
			return r, err
		}
		r.Days, err = commissions.RestatedByDay(ctx, q, affiliate.MillisOf(since))
		return r, err
	})
}
