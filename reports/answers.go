package reports

import (
	"context"
	"errors"
	"time"

	"rebatedesk/reports/answers"
	"rebatedesk/store"
)

// answer returns the report from the cache, or makes it. Callers share the value and must
// not change it. make reads a separate state of the store, which can be later than the
// state of the key but never earlier.
func answer[T any](ctx context.Context, s *Service, report string, asked any, make func(context.Context) (T, error)) (T, error) {
	var none T
	written, err := s.store.LastWrite(ctx)
	if err != nil {
		return none, err
	}
	return answers.Get(ctx, s.answers, answers.ReportKey{Report: report, Asked: asked, Bound: s.bound, Written: written, Minute: s.minute()}, func(ctx context.Context) (T, error) {
		value, err := make(ctx)
		for range movesWithin {
			if !errors.Is(err, store.ErrMoved) {
				break
			}
			value, err = make(ctx)
		}
		return value, err
	})
}

// movesWithin is how often a report is made anew because rows were moved meanwhile. Moves
// take longer than reports, so more than one in a row is rare.
const movesWithin = 3

// minute returns the current minute of the Unix epoch.
func (s *Service) minute() int64 { return s.now().Unix() / int64(time.Minute/time.Second) }

// Drawn returns the drawing of a part of a page, cached like a report. The key of names
// the shared report that the part shows: another report never has an equal one.
func Drawn[T any](ctx context.Context, s *Service, part string, of any, draw func(context.Context) (T, error)) (T, error) {
	return answers.Get(ctx, s.answers, answers.ReportKey{Report: part, Asked: of, Bound: s.bound, Minute: s.minute()}, draw)
}
