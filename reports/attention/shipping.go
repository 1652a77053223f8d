package attention

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/store/shipments"
)

// ShippingFinding says that files do not reach their destinations: one finding, however many
// deliveries fail.
type ShippingFinding struct {
	Failing int              // deliveries whose tries fail
	Name    string           // of the one that has failed longest
	Waiting int              // files that these have to deliver
	Since   affiliate.Millis // when the oldest of these was queued
	Answer  string           // why, and what mends it
}

// Severity is a warning: the files are kept back, and are delivered once the cause is mended.
func (f ShippingFinding) Severity() Severity { return SeverityWarning }

// shipping checks the scheduled deliveries. It finds nothing for a past state, because they have
// no history.
func (w *watch) shipping(ctx context.Context) ([]Finding, error) {
	if !w.AsOf.IsZero() {
		return nil, nil
	}
	state, err := shipments.ReadShippingState(ctx, w.Tx)
	if err != nil || !state.Sick() {
		return nil, err
	}
	return []Finding{ShippingFinding{Failing: state.Failing, Name: state.Name, Waiting: state.Waiting, Since: state.Since, Answer: state.Answer}}, nil
}
