package reports

import (
	"context"
	"fmt"

	"rebatedesk/reports/collection"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store"
	"rebatedesk/store/received"
)

// RunWithSlices returns a run of the collector with the slices that it wrote.
func RunWithSlices(ctx context.Context, s *Service, id int64) (collection.RunSlices, error) {
	return Fresh(ctx, s, query.Query{}, func(ctx context.Context, q *snapshot.Snapshot) (collection.RunSlices, error) {
		return collection.MakeRunSlices(ctx, q, id)
	})
}

// SliceAnswers returns a slice, and calls visit for each answer of the exchange that is kept of
// it. The error is a *[store.RuleError] if there is no such slice, or none are kept.
func SliceAnswers(ctx context.Context, s *Service, id int64, visit func(received.KeptAnswer, []byte) error) (line received.SliceLine, err error) {
	r, err := s.store.Read(ctx)
	if err != nil {
		return line, err
	}
	defer r.Close()
	for line, err = range received.SliceLines(ctx, r, received.SliceFilter{Slice: id}) {
		if err != nil {
			return line, err
		}
	}
	if !line.Kept {
		return line, &store.RuleError{Problem: fmt.Sprintf("The answers of slice %d are not kept.", id), Missing: true}
	}
	return line, received.Visit(ctx, r, id, visit)
}
