package attention

import (
	"context"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store/outbox"
)

// mailHours is how long a mail that was given up is reported.
const mailHours = 24

// MailFinding says that mails are not delivered, or were not in the last day.
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

// mails checks the outbox. Of a past state it finds nothing, as the outbox has none.
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
