package reports

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/reports/answers"
	"rebatedesk/reports/findings"
	"rebatedesk/reports/query"
	"rebatedesk/reports/worklist"
)

// AttentionParams are the parameters of a query that apply to the findings.
var AttentionParams = []string{"account", "segment", "as_of"}

// Attention finds problems that need a look. It uses the account, the segment and the instant of
// the query. Runs of the collector have no past state, so they are left out if a past instant
// is requested.
func (s *Service) Attention(ctx context.Context, asked query.Query) (findings.Report, error) {
	written, err := s.store.LastWrite(ctx)
	if err != nil {
		return findings.Report{}, err
	}
	found, err := answer(ctx, s, attentionReport, asked, func(ctx context.Context) (*findings.Report, error) {
		found, err := Fresh(ctx, s, asked, findings.Make)
		return &found, err
	})
	if err != nil {
		return findings.Report{}, err
	}
	answers.Renew(s.answers, lastAttention(s, asked, written), found)
	return *found, nil
}

// PeopleOfDay says whom to call first, and what is at risk. It uses the parameters of the query that
// [Service.Attention] uses. The value is shared: callers must not change it.
func (s *Service) PeopleOfDay(ctx context.Context, asked query.Query) (*worklist.Day, error) {
	written, err := s.store.LastWrite(ctx)
	if err != nil {
		return nil, err
	}
	day, err := answer(ctx, s, dayReport, asked, func(ctx context.Context) (*worklist.Day, error) {
		var day worklist.Day
		failed, err := s.Guard.Part("the people of the day", func() (err error) {
			day, err = Fresh(ctx, s, asked, worklist.MakeDay)
			return err
		})
		day.Failed = failed
		return &day, err
	})
	if err != nil {
		return nil, err
	}
	answers.Renew(s.answers, lastDay(s, asked, written), day)
	if !day.Failed && !asked.Filtered() && !asked.Past() {
		answers.Renew(s.answers, todayKey(s, written), day.Tally.Today)
	}
	return day, nil
}

const (
	attentionReport = "Attention"
	dayReport       = "Day"
)

// KeptAttention are findings that were made before, and the people of the day.
type KeptAttention struct {
	Report *findings.Report // shared: callers must not change it
	Day    *worklist.Day    // shared too; known if Report is
	// Present says that they are those of this minute. Earlier ones are of the same state
	// of the store, and of the same day.
	Present bool
}

// ReadKeptAttention returns the findings and the people of the day for a page of the query, if both were made since the last
// write. It makes none, so it takes no time. It returns them with the query that
// [Service.Attention] and [Service.PeopleOfDay] take for them.
func ReadKeptAttention(ctx context.Context, s *Service, page query.Query) (kept KeptAttention, asked query.Query, err error) {
	if asked, err = narrowed(ctx, s, page, query.AcceptedParams{Taken: AttentionParams}); err != nil {
		return kept, asked, err
	}
	written, err := s.store.LastWrite(ctx)
	if err != nil {
		return kept, asked, err
	}
	found, foundNow := peek[findings.Report](s, attentionReport, asked, lastAttention(s, asked, written))
	day, dayNow := peek[worklist.Day](s, dayReport, asked, lastDay(s, asked, written))
	if found != nil && day != nil {
		kept = KeptAttention{Report: found, Day: day, Present: foundNow && dayNow}
	}
	return kept, asked, nil
}

// peek returns a report of this minute, or the newest of any minute.
func peek[T any](s *Service, report string, asked query.Query, last answers.ReportKey) (value *T, present bool) {
	key := answers.ReportKey{Report: report, Asked: asked, Bound: s.bound, Written: last.Written, Minute: s.minute()}
	if value, present = answers.Peek[*T](s.answers, key); !present {
		value, _ = answers.Peek[*T](s.answers, last)
	}
	return value, present
}

// lastAttention is the key of the newest findings of any minute.
func lastAttention(s *Service, asked query.Query, written affiliate.Millis) answers.ReportKey {
	return answers.ReportKey{Report: "last findings", Asked: asked, Bound: s.bound, Written: written, Lasting: true}
}

// lastDay is the key of the newest people of the day of any minute.
func lastDay(s *Service, asked query.Query, written affiliate.Millis) answers.ReportKey {
	return answers.ReportKey{Report: "last day", Asked: asked, Bound: s.bound, Written: written, Lasting: true}
}
