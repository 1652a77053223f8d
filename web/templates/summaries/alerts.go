package summaries

import (
	"slices"

	"rebatedesk/mail"
	"rebatedesk/reports/findings"
	"rebatedesk/reports/phrase"
	"rebatedesk/store/outbox"
	"rebatedesk/web/templates/ui"
)

// AlertsView is the list of alerts with the findings that they hold back.
type AlertsView struct {
	MailPage
	Server  string // empty: no mail is sent
	Alerts  []mail.AlertState
	Changed int64   // the alert that could not be changed; 0: none
	Form    ui.Form // of that alert
}

// alertStateWords describes the state of an alert.
func alertStateWords(a mail.AlertState) (words, class string) {
	switch {
	case a.Problem != "":
		return "not working", "text-error"
	case a.Paused.Known():
		return "paused", "text-warning"
	case len(a.Waiting) > 0:
		return "holding back", "text-warning"
	}
	return "active", "text-success"
}

// heldWords describes the findings that an alert holds back.
func heldWords(n int) string {
	if n == 1 {
		return "1 event is held back"
	}
	return phrase.Count(n) + " events are held back"
}

// apartWords says how often an alert may send.
func apartWords(hours int) string {
	if hours == 0 {
		return "a mail for each event"
	}
	return "at most one mail in " + phrase.Things(hours, "hour")
}

// watches is the condition of an alert; an empty one of a schedule.
func (v SubscriptionView) watches() findings.Alert {
	if kind := findings.AlertKind(v.Subscription.Watches); kind != nil {
		return *kind.Alert
	}
	return findings.Alert{}
}

// factsShown is how many facts an alert lists before the rest is only counted.
const factsShown = 5

func shownFacts(list []outbox.Fact) []outbox.Fact {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b outbox.Fact) int { return int(a.Seen - b.Seen) })
	return list[:min(len(list), factsShown)]
}
