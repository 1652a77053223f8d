package findings

import (
	"context"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/recent"
	"rebatedesk/store/outbox"
)

var _ = register(Kind{
	Finding: Mail{},
	Check:   &Check{Place: 40, Of: "failed mail", Said: "mails that do not get out, or were given up in the last day", NoPast: true, Find: findMail},
})

// mailHours is how long an abandoned mail is reported.
const mailHours = 24

// Mail says that mails are not delivered, or were not delivered in the last day.
type Mail struct {
	Failing int              // failed so far, and still retried
	Dead    int              // abandoned
	Since   affiliate.Millis // when the oldest was queued
	Answer  string           // the mail server's last answer
}

// Severity is an alert if mails were abandoned; a mail that is retried may still arrive.
func (f Mail) Severity() Severity {
	if f.Dead > 0 {
		return SeverityAlert
	}
	return SeverityWarning
}

func (f Mail) words(a About) Statement {
	if f.Dead > 0 {
		return Statement{Title: phrase.Things(f.Dead, "mail") + " given up", Foreign: f.Answer,
			Text: phrase.Say("In the last day. Nobody gets them unless they are sent again."),
			Link: "See what was given up", Href: "/summaries/deliveries?state=dead"}
	}
	return Statement{Title: "Mail does not get out", Foreign: f.Answer,
		Text: phrase.Say(phrase.Things(f.Failing, "mail") + " failed and will be retried, the oldest of " + phrase.Clock(f.Since.Time(), a.Zone) + "."),
		Link: "See what waits", Href: "/summaries/deliveries?state=waiting"}
}

// findMail checks the outbox and the channels, which have no history.
func findMail(ctx context.Context, s *recent.Snapshot) ([]Finding, error) {
	o, err := outbox.ReadMailHealth(ctx, s.Tx, affiliate.MillisOf(s.Now.Add(-mailHours*time.Hour)))
	if err != nil {
		return nil, err
	}
	var found []Finding
	if o.Sick(s.Now) {
		found = append(found, Mail{Failing: o.Failing, Dead: o.Dead, Since: o.Since, Answer: o.Answer})
	}
	list, err := outbox.Channels(ctx, s.Tx)
	for _, c := range list {
		if c.Fault != "" {
			found = append(found, Channel{Channel: c.Name, Since: c.Paused, Answer: c.Fault})
		}
	}
	return found, err
}
