package summaries

import (
	"slices"

	"rebatedesk/mail"
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

// watchWords describe each watched condition: a title, and when it is reported.
var watchWords = map[string][2]string{
	mail.WatchCollection:  {"Collection fails", "No collection has finished without an error for some hours. You also get a mail when it works again."},
	mail.WatchGap:         {"A day is missing", "A finished day is still not collected after some hours, for whatever reason."},
	mail.WatchDrop:        {"Low commission", "A complete day brought less than a set percentage of what that weekday usually brings. Incomplete days never cause an alert."},
	mail.WatchRestatement: {"Past figures change", "The exchange changed records of days already collected, by more than a set amount within 24 hours."},
	mail.WatchSilence:     {"An invitee stops trading", "Somebody who used to bring more than a set amount in 30 days has been silent for much longer than usual."},
	mail.WatchPayment:     {"A payment is wrong", "The exchange did not pay what it says was earned, paid less, paid late or paid twice. Lines that somebody has accepted are left out."},
	mail.WatchOutstanding: {"Too much is outstanding", "More than a set amount of a coin is due and was not paid. You get another mail only after it was less in between."},
	mail.WatchRate:        {"A rate is not as agreed", "In the last 30 days, commission was paid at another rate than your terms say. Where nothing was agreed, a rate that had been constant changed. Each finding is reported once."},
	mail.WatchGoal:        {"A goal is out of reach", "For half a day, the forecast of the month has been below its goal, even at its high end. You also get a mail when a goal is reached. Months with missing days never cause an alert."},
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

func (v SubscriptionView) lasts() bool {
	return mail.Lasts(v.Subscription.Watches)
}

func (v SubscriptionView) limited() bool {
	return mail.Limited(v.Subscription.Watches)
}

// amountHint explains the amount.
func (v SubscriptionView) amountHint() string {
	switch v.Subscription.Watches {
	case mail.WatchOutstanding:
		return "Of all periods that are due, missing and too low, except those that somebody has accepted."
	case mail.WatchSilence:
		return "Commission in 30 days. Invitees who brought less than the worth of 10 USDT are never reported."
	}
	return "Increases and decreases of commission are added up, regardless of direction."
}

// factsShown is how many facts an alert lists before the rest is only counted.
const factsShown = 5

func shownFacts(list []outbox.Fact) []outbox.Fact {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b outbox.Fact) int { return int(a.Seen - b.Seen) })
	return list[:min(len(list), factsShown)]
}
