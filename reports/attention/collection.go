package attention

import (
	"cmp"
	"context"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/question"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// GapFinding lists the gaps of an account: of streams that failed, or of streams not tried
// yet. Those of bills and transfers are a finding of their own.
type GapFinding struct {
	Account affiliate.Account
	Money   bool // of bills and transfers
	Streams []affiliate.Stream
	Gaps    []coverage.Gap // of all streams
	Days    int            // UTC days in total, counted for each stream
	Oldest  affiliate.Day
	Reason  string // why the newest try failed; empty if not tried yet
}

// Severity is higher for days whose reading failed than for days not tried yet. Commission
// figures do not depend on bills and transfers.
func (f GapFinding) Severity() Severity {
	severity := SeverityWarning
	if f.Reason != "" {
		severity = SeverityAlert
	}
	if f.Money {
		severity--
	}
	return severity
}

// QuarantineFinding says that records of an account could not be read, so that their days are
// incomplete. Days and reason are those of these records.
type QuarantineFinding struct {
	GapFinding
	Records int
}

// gaps checks every day that was ever to be collected.
func (w *watch) gaps(ctx context.Context) ([]Finding, error) {
	var found []Finding
	for _, money := range []bool{false, true} {
		gaps, err := missing(ctx, w.Question, w.today, money)
		if err != nil {
			return nil, err
		}
		failed, untried := map[affiliate.Account]*GapFinding{}, map[affiliate.Account]*GapFinding{}
		unread := map[affiliate.Account]*QuarantineFinding{}
		for _, gap := range gaps {
			if gap.Quarantined > 0 {
				if unread[gap.Account] == nil {
					unread[gap.Account] = &QuarantineFinding{GapFinding: GapFinding{Account: gap.Account, Money: money, Oldest: gap.Days.First}}
				}
				unread[gap.Account].add(gap)
				unread[gap.Account].Records += gap.Quarantined
				continue
			}
			to := untried
			if gap.Reason != "" {
				to = failed
			}
			if to[gap.Account] == nil {
				to[gap.Account] = &GapFinding{Account: gap.Account, Money: money, Oldest: gap.Days.First}
			}
			to[gap.Account].add(gap)
		}
		for _, account := range w.Accounts {
			for _, f := range []*GapFinding{failed[account], untried[account]} {
				if f != nil {
					found = append(found, *f)
				}
			}
			if f := unread[account]; f != nil {
				found = append(found, *f)
			}
		}
	}
	return found, nil
}

// MakeMissing lists the gaps, as of a day, in every day of commissions, invitees and
// sub-affiliates that was ever to be collected.
func MakeMissing(ctx context.Context, q *question.Question, today affiliate.Day) ([]coverage.Gap, error) {
	return missing(ctx, q, today, false)
}

// missing is [MakeMissing], or the same for bills and transfers.
func missing(ctx context.Context, q *question.Question, today affiliate.Day, money bool) (gaps []coverage.Gap, err error) {
	first, err := sums.FirstDay(ctx, q.Tx, today)
	if err != nil {
		return nil, err
	}
	days := affiliate.Days{First: min(first, today), Last: today}
	for _, kind := range affiliate.StreamKinds() {
		if kind.Money() != money {
			continue
		}
		cover, err := q.ReadCoverage(ctx, kind, days)
		if err != nil {
			return nil, err
		}
		for _, stream := range cover.Streams {
			gaps = append(gaps, cover.Gaps(stream, days)...)
		}
	}
	return gaps, nil
}

func (f *GapFinding) add(gap coverage.Gap) {
	if !slices.Contains(f.Streams, gap.Stream) {
		f.Streams = append(f.Streams, gap.Stream)
	}
	f.Gaps = append(f.Gaps, gap)
	f.Days += gap.Days.Len()
	f.Oldest = min(f.Oldest, gap.Days.First)
	f.Reason = cmp.Or(gap.Reason, f.Reason)
}

// RefusedFinding says that the exchange does not give bills or transfers of an account.
type RefusedFinding struct {
	Account affiliate.Account
	Streams []affiliate.Stream
	Since   affiliate.Millis // of the first refusal
	Error   string           // of the exchange
}

// Severity is the lowest: only the books of payments lack something.
func (RefusedFinding) Severity() Severity { return SeverityInfo }

// refused lists the accounts whose key may not read bills or transfers.
func (w *watch) refused(ctx context.Context) ([]Finding, error) {
	list, err := w.Refusals(ctx)
	if err != nil {
		return nil, err
	}
	var found []Finding
	for _, account := range w.Accounts {
		f := RefusedFinding{Account: account}
		for _, r := range list {
			if r.Account != account || r.Partial() {
				continue
			}
			if len(f.Streams) == 0 || r.Since < f.Since {
				f.Since = r.Since
			}
			f.Streams = append(f.Streams, affiliate.Stream{Kind: r.Stream})
			f.Error = r.Error
		}
		if len(f.Streams) > 0 {
			found = append(found, f)
		}
	}
	return found, nil
}

// RunFinding says that the newest runs of the collector failed.
type RunFinding struct {
	Account affiliate.Account
	InARow  int              // number of runs; at most 50
	Since   affiliate.Millis // when the first of them began
	Slices  int64            // slices that the newest run could not read
	Error   string           // why the newest run ended early, or why its first slice could not be read
}

// Severity rises once the failure no longer looks temporary.
func (f RunFinding) Severity() Severity {
	if f.InARow >= lastingRuns {
		return SeverityAlert
	}
	return SeverityWarning
}

// StaleFinding says that no run of the collector has started for hours.
type StaleFinding struct {
	Account affiliate.Account
	Last    affiliate.Millis // when the newest began
}

// Severity is the highest, because the figures grow old unnoticed.
func (StaleFinding) Severity() Severity { return SeverityAlert }

// runsBack is the number of runs that are checked.
const runsBack = 50

// runs checks the newest runs of each account. An account without runs is not stale: its
// days are gaps.
func (w *watch) runs(ctx context.Context) ([]Finding, error) {
	if !w.AsOf.IsZero() {
		return nil, nil
	}
	var found []Finding
	for _, account := range w.Accounts {
		list, _, err := records.Runs(ctx, w.Tx, account, runsBack, 0)
		if err != nil {
			return nil, err
		}
		if len(list) == 0 {
			continue
		}
		failed, err := w.failedRuns(ctx, account, list)
		if err != nil {
			return nil, err
		}
		found = append(found, failed...)
		if w.Now.Sub(list[0].Started.Time()) > staleHours*time.Hour {
			found = append(found, StaleFinding{account, list[0].Started})
		}
	}
	return found, nil
}

func (w *watch) failedRuns(ctx context.Context, account affiliate.Account, list []records.Run) ([]Finding, error) {
	if !list[0].Finished.Known() {
		list = list[1:] // its outcome is not known yet
	}
	list = slices.DeleteFunc(slices.Clone(list), func(r records.Run) bool { return r.Error == records.RunStopped && !r.Fails() })
	f := RunFinding{Account: account}
	for _, run := range list {
		if !run.Fails() {
			break
		}
		f.InARow++
		f.Since = run.Started
	}
	if f.InARow == 0 {
		return nil, nil
	}
	f.Slices, f.Error = list[0].Failed, list[0].Error
	if f.Error == records.RunStopped {
		f.Error = ""
	}
	problems, err := records.SliceProblems(ctx, w.Question.Tx, list[0].ID)
	if f.Error == "" && len(problems) > 0 {
		f.Error = problems[0].Error
	}
	return []Finding{f}, err
}
