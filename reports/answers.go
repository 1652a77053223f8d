package reports

import (
	"context"
	"time"

	"rebatedesk/reports/answers"
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
	return answers.Get(ctx, s.answers, answers.ReportKey{Report: report, Asked: asked, Written: written, Minute: s.minute()}, make)
}

// minute returns the current minute of the Unix epoch.
func (s *Service) minute() int64 { return s.now().Unix() / int64(time.Minute/time.Second) }

// Drawn returns the drawing of a part of a page, cached like a report. The key of names
// the shared report that the part shows: another report never has an equal one.
func Drawn[T any](ctx context.Context, s *Service, part string, of any, draw func(context.Context) (T, error)) (T, error) {
	return answers.Get(ctx, s.answers, answers.ReportKey{Report: part, Asked: of, Minute: s.minute()}, draw)
}
