package reports

import (
	"context"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/query"
	"rebatedesk/reports/question"
	"rebatedesk/reports/worklist"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	acts "rebatedesk/store/worklist"
)

// WorkDesk reports whom it is worth calling, and keeps what managers did about it.
type WorkDesk struct{ service *Service }

func NewWorkDesk(s *Service) *WorkDesk { return &WorkDesk{s} }

// Worklist answers the query, which takes [worklist.AcceptedOfWorklist], for one page of lines.
func (d *WorkDesk) Worklist(ctx context.Context, asked query.Query) (worklist.Report, error) {
	return report(ctx, d.service, "Worklist", asked, worklist.Make)
}

// Tally counts the open lines of the query, and adds up what is at risk.
func (d *WorkDesk) Tally(ctx context.Context, asked query.Query) (worklist.WorkTally, error) {
	return report(ctx, d.service, "WorklistTally", asked, worklist.MakeTally)
}

// History lists all acts about one invitee up to an instant, where unknown means now, newest first.
func (d *WorkDesk) History(ctx context.Context, account affiliate.Account, uid affiliate.UID, at affiliate.Millis) ([]acts.Act, error) {
	return ask(ctx, d.service, d.about(account, uid), func(ctx context.Context, q *question.Question) ([]acts.Act, error) {
		list, err := acts.ActsOf(ctx, q.Tx, q.Members, account, uid, at)
		slices.Reverse(list)
		return list, err
	})
}

// Latest returns the newest act in force of a manager, if it is no older than within. Without one
// its ID is 0.
func (d *WorkDesk) Latest(ctx context.Context, actor string, within time.Duration) (acts.Act, error) {
	since := affiliate.MillisOf(d.service.now().Add(-within))
	return ask(ctx, d.service, d.about("", ""), func(ctx context.Context, q *question.Question) (acts.Act, error) {
		a, _, err := acts.LatestAct(ctx, q.Tx, q.Members, actor, since)
		return a, err
	})
}

// Work stores what a manager does about one invitee. An act that settles reasons settles those that
// the line has at that moment. What is refused is a *store.RuleError.
func (d *WorkDesk) Work(ctx context.Context, work acts.Work, by audit.Line) ([]int64, error) {
	work.Acts = slices.Clone(work.Acts)
	asked := d.about(work.Account, work.UID)
	covered, err := ask(ctx, d.service, asked, func(ctx context.Context, q *question.Question) ([]acts.Covered, error) {
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
	return acts.DoWork(ctx, d.service.store, work, asked.Today, by)
}

// Undo undoes an act about an invitee.
func (d *WorkDesk) Undo(ctx context.Context, account affiliate.Account, uid affiliate.UID, id int64, by audit.Line) error {
	_, err := ask(ctx, d.service, d.about(account, uid), func(_ context.Context, q *question.Question) (bool, error) {
		if !q.Members.Has(account, uid) {
			return false, errNobody
		}
		return true, nil
	})
	if err != nil {
		return err
	}
	return acts.Retract(ctx, d.service.store, account, uid, id, by)
}

// errNobody is the answer about an invitee that is not there for the one who asks.
var errNobody = &store.RuleError{Problem: store.UnknownInvitee, Missing: true}

// about returns the query for all lines of one invitee.
func (d *WorkDesk) about(account affiliate.Account, uid affiliate.UID) query.Query {
	zone := d.service.store.Zone()
	return query.Query{Account: account, UID: uid, Zone: zone, Today: affiliate.DayOf(d.service.now(), zone), Show: worklist.ShowAll, Page: 1, Per: query.DefaultPer}
}
