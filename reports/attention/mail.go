package attention

import (
	"context"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store/outbox"
)

// mailHours is how long a mail that was given up is reported.
const mailHours = 24

// MailFinding is that mails do not get out, or did not in the last day.
type MailFinding struct {
	Failing int              // tried in vain, and tried again
	Dead    int              // given up
	Since   affiliate.Millis // when the oldest of them was queued
	Answer  string           // the last one of the mail server
}

// Severity is an alert where mails were given up; a mail that is retried may still
// arrive.
func (f MailFinding) Severity() Severity {
	if f.Dead > 0 {
		return SeverityAlert
	}
	return SeverityWarning
}

// mails looks at the outbox. It belongs to no past state.
func (w *watch) mails(ctx context.Context) ([]Finding, error) {
	if !w.AsOf.IsZero() {
		return nil, nil
	}
	o, err := outbox.ReadState(ctx, w.Tx, affiliate.MillisOf(w.Now.Add(-mailHours*time.Hour)))
	if err != nil || !o.Sick(w.Now) {
		return nil, err
	}
	return []Finding{MailFinding{Failing: o.Failing, Dead: o.Dead, Since: o.Since, Answer: o.Answer}}, nil
}
