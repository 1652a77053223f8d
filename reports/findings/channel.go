package findings

import (
	"rebatedesk/affiliate"
	"rebatedesk/reports/phrase"
)

var _ = register(Kind{Finding: Channel{}}) // the check of mail finds it

// Channel says that a channel has stopped, because its receiver takes nothing. It is one
// finding, whatever the number of messages.
type Channel struct {
	Channel string           // its name
	Since   affiliate.Millis // when it stopped
	Answer  string           // the last answer of the receiver
}

// Severity is an alert: nothing reaches the channel until a person resumes it.
func (Channel) Severity() Severity { return SeverityAlert }

func (f Channel) words(a About) Statement {
	return Statement{Title: "The channel “" + affiliate.OneLine(f.Channel) + "” has stopped", Foreign: f.Answer,
		Text: phrase.Say("Its receiver has refused every message since " + phrase.Clock(f.Since.Time(), a.Zone) + ". Nothing is sent to it until it is resumed."),
		Link: "See the channels", Href: "/channels"}
}
