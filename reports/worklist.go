package reports

import (
	"context"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/answers"
	"rebatedesk/reports/books"
	"rebatedesk/reports/findings"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/reports/worklist"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	acts "rebatedesk/store/worklist"
)

// RiskOf says what is at risk with one invitee, by the definition of the worklist.
func (s *Service) RiskOf(ctx context.Context, account affiliate.Account, uid affiliate.UID, at time.Time) (worklist.AtRisk, error) {
	asked := s.linesOf(account, uid)
	asked.AsOf = at
	tally, err := Ask(ctx, s, asked, worklist.MakeTally)
	return tally.Risk, err
}

// WorkHistory lists all acts about one invitee up to an instant, where unknown means now, newest first.
func (s *Service) WorkHistory(ctx context.Context, account affiliate.Account, uid affiliate.UID, at affiliate.Millis) ([]acts.Act, error) {
	return Fresh(ctx, s, s.linesOf(account, uid), func(ctx context.Context, q *snapshot.Snapshot) ([]acts.Act, error) {
		list, err := acts.ActsOf(ctx, q.Tx, q.Members, account, uid, at)
		slices.Reverse(list)
		return list, err
	})
}

// LatestWork returns the newest act in force of a manager, if it is no older than within. Without one
// its ID is 0.
func (s *Service) LatestWork(ctx context.Context, actor string, within time.Duration) (acts.Act, error) {
	since := affiliate.MillisOf(s.now().Add(-within))
	return Fresh(ctx, s, s.linesOf("", ""), func(ctx context.Context, q *snapshot.Snapshot) (acts.Act, error) {
		a, _, err := acts.LatestAct(ctx, q.Tx, q.Members, actor, since)
		return a, err
	})
}

// Worklist answers the query for one page of lines. The tally of everybody is kept for [Service.Waiting].
func (s *Service) Worklist(ctx context.Context, q query.Query) (worklist.Report, error) {
	view, err := Ask(ctx, s, q, worklist.Make)
	if err == nil && !q.Filtered() && !q.Past() {
		answers.Renew(s.answers, todayKey(s, view.Seen), view.Open.Today)
	}
	return view, err
}

// Waiting says how much waits for a person, as far as answers of this state of the store that were made
// before tell it. Nil: not known.
type Waiting struct {
	Today    *int // people of the day
	Payments *int // payments that are missing or too low
}

// Waiting returns it without making an answer, so it takes no time.
func (s *Service) Waiting(ctx context.Context) (w Waiting, err error) {
	written, err := s.store.LastWrite(ctx)
	if err != nil {
		return w, err
	}
	if n, ok := answers.Peek[int](s.answers, todayKey(s, written)); ok {
		w.Today = &n
	}
	asked, err := usualQuery(ctx, s)
	if err != nil {
		return w, err
	}
	found, _, err := ReadKeptAttention(ctx, s, asked)
	if err == nil && found.Report != nil && s.bound.Everything() {
		n := 0
		for _, f := range found.Report.Findings {
			if p, ok := f.(findings.Payment); ok && (p.State == books.Missing || p.State == books.Short) {
				n += p.Lines
			}
		}
		w.Payments = &n
	}
	return w, err
}

// todayKey is the key of the number of people of a day, in a state of the store.
func todayKey(s *Service, written affiliate.Millis) answers.ReportKey {
	return answers.ReportKey{Report: "people of the day", Asked: affiliate.DayOf(s.now(), s.store.Zone()), Bound: s.bound, Written: written, Lasting: true}
}

// DoWork stores what a manager does about one invitee. An act that settles reasons settles those that
// the line has at that moment. What is refused is a *store.RuleError.
func (s *Service) DoWork(ctx context.Context, work acts.Work, by audit.Line) ([]int64, error) {
	work.Acts = slices.Clone(work.Acts)
	asked := s.linesOf(work.Account, work.UID)
	covered, err := Fresh(ctx, s, asked, func(ctx context.Context, q *snapshot.Snapshot) ([]acts.Covered, error) {
		if !q.Members.Has(work.Account, work.UID) {
			return nil, errNobody
		}
		return worklist.Covering(ctx, q)
	})
	if err != nil {
		return nil, err
	}
	for i := range work.Acts {
		if kind := work.Acts[i].Kind; kind == acts.ActDone || kind == acts.ActDismissed {
			work.Acts[i].Reasons = covered
		}
	}
	return acts.DoWork(ctx, s.store, work, asked.Today, by)
}

// UndoWork undoes an act about an invitee.
func (s *Service) UndoWork(ctx context.Context, account affiliate.Account, uid affiliate.UID, id int64, by audit.Line) error {
	_, err := Fresh(ctx, s, s.linesOf(account, uid), func(_ context.Context, q *snapshot.Snapshot) (bool, error) {
		if !q.Members.Has(account, uid) {
			return false, errNobody
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	return acts.Retract(ctx, s.store, account, uid, id, by)
}

// errNobody is the answer about an invitee that is not there for the caller.
var errNobody = &store.RuleError{Problem: store.UnknownInvitee, Missing: true}

// about returns the query for all lines of one invitee.
func (s *Service) linesOf(account affiliate.Account, uid affiliate.UID) query.Query {
	zone := s.store.Zone()
	q := query.Query{Account: account, UID: uid, Zone: zone, Today: affiliate.DayOf(s.now(), zone), Page: 1, Per: query.DefaultPer}
	q.SetOwn("show", worklist.ShowAll)
	return q
}
