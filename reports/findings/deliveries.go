package findings

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/recent"
	"rebatedesk/store/outbox"
)

var _ = register(Kind{
	Finding: Shipping{},
	Check:   &Check{Place: 50, Of: "failed deliveries", NoPast: true, Find: findDeliveries},
})

// Shipping says that files do not reach their destinations: one finding, however many
// deliveries fail. Its name is a label of metrics, on which alarms rely.
type Shipping struct {
	Failing int              // deliveries whose tries fail
	Name    string           // of the one that has failed longest
	Waiting int              // files that these have to deliver
	Since   affiliate.Millis // when the oldest of these was queued
	Answer  string           // why, and what mends it
}

// Severity is a warning: the files are kept back, and are delivered once the cause is mended.
func (Shipping) Severity() Severity { return SeverityWarning }

func (f Shipping) words(a About) Statement {
	title := "The delivery “" + affiliate.OneLine(f.Name) + "” fails"
	if f.Failing > 1 {
		title = phrase.Count(f.Failing) + " scheduled deliveries fail"
	}
	return Statement{Title: title, Foreign: f.Answer,
		Text: phrase.Say(phrase.Capital(phrase.Things(f.Waiting, "file")) + " waiting, the oldest since " + phrase.Clock(f.Since.Time(), a.Zone) + ". Earlier files stay as they are."),
		Link: "See the deliveries", Href: "/deliveries"}
}

// findDeliveries checks the scheduled deliveries, which have no history.
func findDeliveries(ctx context.Context, s *recent.Snapshot) ([]Finding, error) {
	state, err := outbox.ReadDeliveryHealth(ctx, s.Tx)
	if err != nil || !state.Sick() {
		return nil, err
	}
	return []Finding{Shipping{Failing: state.Failing, Name: state.Name, Waiting: state.Waiting, Since: state.Since, Answer: state.Answer}}, nil
}
