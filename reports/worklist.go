package reports

import (
	"context"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/reports/worklist"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	acts "rebatedesk/store/worklist"
)

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
