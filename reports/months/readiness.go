package months

import (
	"cmp"
	"context"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/closings"
)

// Readiness says whether a month can be closed as complete.
type Readiness struct {
	Over     bool                        // its last day has ended
	Streams  []coverage.StreamSettlement // of each account, as far as it matters
	Lacks    []coverage.UnsettledDays    // what the month lacks
	Accounts int                         // 0: nothing was ever collected
}

// Ready reports whether the month is over, collected and settled.
func (r *Readiness) Ready() bool { return r.Over && r.Accounts > 0 && len(r.Lacks) == 0 }

// Final returns when the exchange stops changing the last of the days that it may still change;
// unknown if there are none.
func (r *Readiness) Final() (at affiliate.Millis) {
	for i := range r.Lacks {
		at = max(at, r.Lacks[i].Until)
	}
	return at
}

// needs says what a month needs of the streams. Commissions and the days of sub-affiliates are
// its figures, so they must have settled. Invite codes and payments are read along.
var needs = []struct {
	kind    affiliate.StreamKind
	settled bool
}{
	{affiliate.Commissions, true}, {affiliate.SubAffiliates, true},
	{affiliate.Invitees, false}, {affiliate.SpotBills, false}, {affiliate.FundingBills, false}, {affiliate.Payouts, false},
}

// watch has the coverage of the days of several months, of all accounts.
type watch struct {
	q    *snapshot.Snapshot
	maps []*coverage.Map // in the order of needs
}

func newWatch(ctx context.Context, q *snapshot.Snapshot, days affiliate.Days) (*watch, error) {
	w := &watch{q: q.Everywhere()}
	for _, need := range needs {
		of, err := w.q.ReadCoverage(ctx, need.kind, days)
		if err != nil {
			return nil, err
		}
		w.maps = append(w.maps, of)
	}
	return w, nil
}

// readiness judges one month.
func (w *watch) readiness(days affiliate.Days) Readiness {
	r := Readiness{Over: !w.q.Now.Before(days.Range(w.q.Zone).To), Accounts: len(w.q.Known)}
	for i, need := range needs {
		for _, stream := range w.maps[i].Streams {
			sum, lacks := w.maps[i].Settled(stream, days, need.settled)
			r.Streams = append(r.Streams, sum)
			r.Lacks = append(r.Lacks, lacks...)
		}
	}
	return r
}

// coverageOf returns the streams as a closing has them.
func coverageOf(r Readiness) (list []closings.Coverage) {
	for _, s := range r.Streams {
		list = append(list, closings.Coverage{
			Account: s.Account, Stream: s.Stream,
			Days: s.Days, Collected: s.Whole, Settled: s.Settled, Verified: s.Verified, Failed: s.Failed, Missing: s.Missing, Beyond: s.Beyond, Read: s.LastRead,
		})
	}
	slices.SortStableFunc(list, func(a, b closings.Coverage) int { return cmp.Compare(a.Account, b.Account) })
	return list
}
