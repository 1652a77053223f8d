package attention

import (
	"context"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store/outbox"
)

// mailHours is how long an abandoned mail is reported.
const mailHours = 24

// MailFinding says that mails are not delivered, or were not delivered in the last day.
type MailFinding struct {
	Failing int              // failed so far, and still retried
	Dead    int              // abandoned
	Since   affiliate.Millis // when the oldest was queued
	Answer  string           // the mail server's last answer
}

// Severity is an alert if mails were abandoned; a mail that is retried may still arrive.
func (f MailFinding) Severity() Severity {
	if f.Dead > 0 {
		return SeverityAlert
	}
	return SeverityWarning
}

// mails checks the outbox. It finds nothing for a past state, because the outbox has no
// history.
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
