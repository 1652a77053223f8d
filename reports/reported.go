package reports

import (
	"context"

	"rebatedesk/store/outbox"
)

// mostReported is how many sent summaries are offered as earlier states.
const mostReported = 6

// Reported lists the last summaries that were sent, newest first, with the states of the data
// that they showed. Callers share the list and must not change it.
func (s *Service) Reported(ctx context.Context) ([]outbox.Reported, error) {
	return answer(ctx, s, "Reported", nil, func(ctx context.Context) ([]outbox.Reported, error) {
		r, err := s.store.Read(ctx)
		if err != nil {
			return nil, err
		}
		defer r.Close()
		return outbox.LastReported(ctx, r, mostReported)
	})
}
