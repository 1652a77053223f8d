package templates

import (
	"slices"
	"strconv"

	"rebatedesk/affiliate"
	"rebatedesk/mail"
	"rebatedesk/store"
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
	Alert    store.Alert // as it is stored
	Form     Form
	Zones    []string
	Accounts []affiliate.Account
}

// watchWords say what can be watched: a title, and when it is told.
var watchWords = map[string][2]string{
	mail.WatchCollection:  {"Collection fails", "No run has read all it asked for, for some hours. When one does again, that is told too."},
	mail.WatchGap:         {"A day is missing", "A day that is over stays uncollected for some hours, whatever the reason."},
	mail.WatchDrop:        {"Little commission", "A day brought less than so many percent of the mean of the same weekday, as soon as the day is complete. Days that are not known to the end are never told."},
	mail.WatchRestatement: {"Past figures change", "Records of days that had been collected changed by more than an amount, within a day."},
	mail.WatchSilence:     {"An invitee falls silent", "Somebody who used to bring more than an amount in 30 days no longer trades at the usual pace."},
}

func alertPath(id int64, about string) string {
	return "/summaries/alerts/" + strconv.FormatInt(id, 10) + about
}

// alertStateWords say how an alert stands.
func alertStateWords(a mail.AlertState) (words, class string) {
	switch {
	case a.Problem != "":
		return "cannot be used", "text-error"
	case a.Paused.Known():
		return "paused", "text-warning"
	case len(a.Waiting) > 0:
		return "holds back", "text-warning"
	}
	return "at work", "text-success"
}

// heldWords say what an alert holds back.
func heldWords(n int) string {
	if n == 1 {
		return "1 fact is held back"
	}
	return count(n) + " facts are held back"
}

// apartWords say how often an alert may tell.
func apartWords(hours int) string {
	if hours == 0 {
		return "each as it comes"
	}
	return "at most one mail in " + things(hours, "hour")
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
func (v AlertView) accountChoices() []pair {
	return ScheduleView{Form: v.Form, Accounts: v.Accounts}.accountChoices()
}

func (v AlertView) stopped() string {
	return ScheduleView{Schedule: store.Schedule{Recipients: v.Alert.Recipients}}.stopped()
}

// amountHint says what the amount is of.
func (v AlertView) amountHint() string {
	if v.watches() == mail.WatchSilence {
		return "Commission in 30 days. Who brought less than what 10 USDT are worth is never told."
	}
	return "Ups and downs of the commission are added up, whichever way they go."
}

// factsShown is how many facts an alert names before the rest is counted.
const factsShown = 5

func shownFacts(list []store.Fact) []store.Fact {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b store.Fact) int { return int(a.Seen - b.Seen) })
	return list[:min(len(list), factsShown)]
}
