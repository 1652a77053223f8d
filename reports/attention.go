package reports

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/reports/answers"
	"rebatedesk/reports/findings"
	"rebatedesk/reports/query"
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

const attentionReport = "Attention"

// KeptAttention are findings that were made before.
type KeptAttention struct {
	Report *findings.Report // shared: callers must not change it
	// Present says that the findings are those of this minute. Earlier ones are of the same state
	// of the store, and of the same day.
	Present bool
}

// ReadKeptAttention returns the findings for a page of the query, if they were made since the last
// write. It makes none, so it takes no time. It returns them with the query that
// [Service.Attention] takes for them.
func ReadKeptAttention(ctx context.Context, s *Service, page query.Query) (kept KeptAttention, asked query.Query, err error) {
	if asked, err = narrowed(ctx, s, page, query.AcceptedParams{Taken: AttentionParams}); err != nil {
		return kept, asked, err
	}
	written, err := s.store.LastWrite(ctx)
	if err != nil {
		return kept, asked, err
	}
	key := answers.ReportKey{Report: attentionReport, Asked: asked, Bound: s.bound, Written: written, Minute: s.minute()}
	if kept.Report, kept.Present = answers.Peek[*findings.Report](s.answers, key); !kept.Present {
		kept.Report, _ = answers.Peek[*findings.Report](s.answers, lastAttention(s, asked, written))
	}
	return kept, asked, nil
}

// lastAttention is the key of the newest findings of any minute.
func lastAttention(s *Service, asked query.Query, written affiliate.Millis) answers.ReportKey {
	return answers.ReportKey{Report: "last findings", Asked: asked, Bound: s.bound, Written: written, Lasting: true}
}
