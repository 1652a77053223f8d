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

// ChannelFinding says that a channel has stopped, because its receiver takes nothing. It is one
// finding, whatever the number of messages.
type ChannelFinding struct {
	Channel string           // its name
	Since   affiliate.Millis // when it stopped
	Answer  string           // the last answer of the receiver
}

// Severity is an alert: nothing reaches the channel until a person resumes it.
func (ChannelFinding) Severity() Severity { return SeverityAlert }

// mails checks the outbox and the channels. It finds nothing for a past state, because the outbox has no
// history.
func (w *watch) mails(ctx context.Context) ([]Finding, error) {
	if !w.AsOf.IsZero() {
		return nil, nil
	}
	o, err := outbox.ReadState(ctx, w.Tx, affiliate.MillisOf(w.Now.Add(-mailHours*time.Hour)))
	if err != nil {
		return nil, err
	}
	var found []Finding
	if o.Sick(w.Now) {
		found = append(found, MailFinding{Failing: o.Failing, Dead: o.Dead, Since: o.Since, Answer: o.Answer})
	}
	list, err := outbox.Channels(ctx, w.Tx)
	for _, c := range list {
		if c.Fault != "" {
			found = append(found, ChannelFinding{Channel: c.Name, Since: c.Paused, Answer: c.Fault})
		}
	}
	return found, err
}
