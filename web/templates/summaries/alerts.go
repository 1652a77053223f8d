package summaries

import (
	"slices"
	"strconv"

	"rebatedesk/affiliate"
	"rebatedesk/mail"
	"rebatedesk/reports/phrase"
	"rebatedesk/store/outbox"
	"rebatedesk/web/templates/ui"
)

// AlertsView is the alerts, and what they hold back.
type AlertsView struct {
	MailPage
	Server string // empty: no mail is sent
	Alerts []mail.AlertState
}

// AlertView is the form of an alert, of a new one where its number is 0.
type AlertView struct {
	MailPage
	Alert    outbox.Alert // as it is stored
	Form     ui.Form
	Zones    []string
	Accounts []affiliate.Account
}

// watchWords say what can be watched: a title, and when it is told.
var watchWords = map[string][2]string{
	mail.WatchCollection:  {"Collection fails", "No collection has finished without an error for some hours. You also get a mail when it works again."},
	mail.WatchGap:         {"A day is missing", "A finished day is still not collected after some hours, for whatever reason."},
	mail.WatchDrop:        {"Low commission", "A complete day brought less than a set percentage of what that weekday usually brings. Incomplete days never cause an alert."},
	mail.WatchRestatement: {"Past figures change", "The exchange changed records of days already collected, by more than a set amount within 24 hours."},
	mail.WatchSilence:     {"An invitee stops trading", "Somebody who used to bring more than a set amount in 30 days has been silent for much longer than usual."},
}

func alertPath(id int64, about string) string {
	return "/summaries/alerts/" + strconv.FormatInt(id, 10) + about
}

// alertStateWords say how an alert stands.
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

// heldWords say what an alert holds back.
func heldWords(n int) string {
	if n == 1 {
		return "1 event is held back"
	}
	return phrase.Count(n) + " events are held back"
}

// apartWords say how often an alert may tell.
func apartWords(hours int) string {
	if hours == 0 {
		return "a mail for each event"
	}
	return "at most one mail in " + phrase.Things(hours, "hour")
}

func (v AlertView) watches() string { return v.Alert.Watches }

func (v AlertView) lasts() bool {
	return v.watches() == mail.WatchCollection || v.watches() == mail.WatchGap
}

func (v AlertView) limited() bool {
	return v.watches() == mail.WatchRestatement || v.watches() == mail.WatchSilence
}

func (v AlertView) title() string {
	if v.Alert.ID == 0 {
		return "New alert"
	}
	return v.Alert.Name
}

func (v AlertView) action() string {
	if v.Alert.ID == 0 {
		return "/summaries/alerts"
	}
	return alertPath(v.Alert.ID, "")
}

func (v AlertView) verb() string {
	if v.Alert.ID == 0 {
		return "Add the alert"
	}
	return "Save the changes"
}

// accountChoices are those of the form of a schedule.
func (v AlertView) accountChoices() []ui.Pair {
	return ScheduleView{Form: v.Form, Accounts: v.Accounts}.accountChoices()
}

func (v AlertView) stopped() string {
	return ScheduleView{Schedule: outbox.Schedule{Recipients: v.Alert.Recipients}}.stopped()
}

// amountHint says what the amount is of.
func (v AlertView) amountHint() string {
	if v.watches() == mail.WatchSilence {
		return "Commission in 30 days. Invitees who brought less than the worth of 10 USDT are never reported."
	}
	return "Increases and decreases of commission are added up, regardless of direction."
}

// factsShown is how many facts an alert names before the rest is counted.
const factsShown = 5

func shownFacts(list []outbox.Fact) []outbox.Fact {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b outbox.Fact) int { return int(a.Seen - b.Seen) })
	return list[:min(len(list), factsShown)]
}

// AlertLabels are the fields of the form of an alert, with what they are called.
func AlertLabels() []ui.Pair {
	return ui.Pairs("Name", "name", "Account", "account", "Hours", "hours", "Percent", "percent", "Amount", "amount", "Coin", "coin",
		"Recipients", "recipients", "Quiet hours", "quiet", "Time zone", "zone", "Hours between mails", "apart")
}
