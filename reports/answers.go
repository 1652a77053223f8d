package reports

import (
	"context"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/answers"
)

// answer returns the report from the cache, or makes it. Callers share the value and must
// not change it. make reads a separate state of the store, which can be later than the
// state of the key but never earlier.
func answer[T any](ctx context.Context, s *Service, report string, asked any, make func(context.Context) (T, error)) (T, error) {
	var none T
	written, err := s.lastWrite(ctx)
	if err != nil {
		return none, err
	}
	return answers.Get(ctx, s.answers, answers.ReportKey{Report: report, Asked: asked, Written: written, Minute: s.now().Unix() / int64(time.Minute/time.Second)}, make)
}

// lastWrite returns the stamp of the newest state.
func (s *Service) lastWrite(ctx context.Context) (stamp affiliate.Millis, err error) {
	r, err := s.store.Read(ctx)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	return r.LastWrite(ctx)
}
