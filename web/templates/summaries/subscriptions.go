package summaries

import (
	"slices"
	"strconv"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/mail"
	"rebatedesk/store/outbox"
	"rebatedesk/web/templates/ui"
)

// SubscriptionView is the form of a schedule or an alert; its number is 0 for a new
// one.
type SubscriptionView struct {
	MailPage
	Subscription outbox.Subscription // in its stored form
	Form         ui.Form
	Zones        []string
	Accounts     []affiliate.Account
	Segments     []string // names
	Users        []string // names of those whose invitees a mail can be about
	Channels     []outbox.Channel
}

// DraftView is the newest mail of a schedule that is not saved yet.
type DraftView struct {
	MailPage
	Label, Subject string
	Message        string   // address of its HTML page
	Problems       []string // what is wrong with the form; there is no mail then
}

// DraftPath is the path of the preview of a form.
const DraftPath = "/summaries/new/preview"

// AlertsPath is the path of the list of alerts.
const AlertsPath = "/summaries/alerts"

// ListPath returns the path of the subscriptions of a kind.
func ListPath(kind outbox.SubscriptionKind) string {
	if kind == outbox.KindAlert {
		return AlertsPath
	}
	return "/summaries"
}

// pathOf returns the path of a subscription, or of a page about it.
func pathOf(s outbox.Subscription, about string) string {
	return ListPath(s.Kind) + "/" + strconv.FormatInt(s.Number, 10) + about
}

// Title returns the title of the form.
func (v SubscriptionView) Title() string {
	if v.Subscription.ID == 0 {
		return "New " + string(v.Subscription.Kind)
	}
	return v.Subscription.Name
}

func (v SubscriptionView) action() string {
	if v.Subscription.ID == 0 {
		return ListPath(v.Subscription.Kind)
	}
	return pathOf(v.Subscription, "")
}

func (v SubscriptionView) verb() string {
	if v.Subscription.ID == 0 {
		return "Add the " + string(v.Subscription.Kind)
	}
	return "Save the changes"
}

// narrows reports whether a value behind "More" is set or faulty, so that the form shows it.
func (v SubscriptionView) narrows() bool {
	if v.Form.Faults["skip_coin"] != "" || v.Form.Faults["correct_coin"] != "" {
		return true
	}
	for _, name := range []string{"account", "product", "coin", "code", "code_unknown", "segment", "as_user", "skip_empty",
		"skip_below", "correct_above"} {
		if v.Form.Faults[name] != "" || v.Form.Values[name] != "" {
			return true
		}
	}
	return false
}

// stopped names the recipients who unsubscribed; they stay so.
func (v SubscriptionView) stopped() string {
	var names []string
	for _, r := range v.Subscription.Recipients {
		if r.Stopped.Known() {
			names = append(names, r.Address)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "Unsubscribed, and sent nothing: " + strings.Join(names, ", ") + ". To send to it again, remove the address, save, then add it back."
}

func (v SubscriptionView) accountChoices() []ui.Pair {
	choices := ui.Pairs("All", "")
	for _, account := range v.Accounts {
		choices = append(choices, ui.Pair{Name: string(account), Value: string(account)})
	}
	if chosen := v.Form.Values["account"]; chosen != "" && !slices.Contains(v.Accounts, affiliate.Account(chosen)) {
		choices = append(choices, ui.Pair{Name: chosen, Value: chosen})
	}
	return choices
}

func (v SubscriptionView) segmentChoices() []ui.Pair {
	choices := ui.Pairs("All invitees", "")
	for _, name := range v.Segments {
		choices = append(choices, ui.Pair{Name: name, Value: name})
	}
	if chosen := v.Form.Values["segment"]; chosen != "" && !slices.Contains(v.Segments, chosen) {
		choices = append(choices, ui.Pair{Name: chosen, Value: chosen})
	}
	return choices
}

func (v SubscriptionView) userChoices() []ui.Pair {
	choices := ui.Pairs("Everybody", "")
	for _, name := range v.Users {
		choices = append(choices, ui.Pair{Name: "Invitees of " + name, Value: name})
	}
	if chosen := v.Form.Values["as_user"]; chosen != "" && !slices.Contains(v.Users, chosen) {
		choices = append(choices, ui.Pair{Name: "Invitees of " + chosen, Value: chosen})
	}
	return choices
}

// forUsers reports whether the form has a choice of users.
func (v SubscriptionView) forUsers() bool {
	divided := v.Subscription.Kind == outbox.KindSchedule || v.watches().Users
	return v.Form.Values["as_user"] != "" || divided && len(v.Users) > 0
}

// segmented reports whether the form has a choice of segments.
func (v SubscriptionView) segmented() bool {
	divided := v.Subscription.Kind == outbox.KindSchedule || v.watches().Segments
	return v.Form.Values["segment"] != "" || divided && len(v.Segments) > 0
}

// FieldLabels returns the fields of the form of a kind with their labels, in its order.
func FieldLabels(kind outbox.SubscriptionKind) []ui.Pair {
	if kind == outbox.KindAlert {
		return ui.Pairs("Name", "name", "Account", "account", "Segment", "segment", "Whose invitees", "as_user", "Hours", "hours", "Percent", "percent", "Amount", "amount", "Coin", "coin",
			"Recipients", "recipients", "Quiet hours", "quiet", "Time zone", "zone", "Hours between mails", "apart")
	}
	labels := ui.Pairs("Name", "name", "How often", "every", "Time of day", "at", "Time zone", "zone", "Weekday", "weekday", "Day of the month", "month_day",
		"Deadline (hours)", "deadline", "Recipients", "recipients", "Account", "account", "Product", "product", "Coins", "coin", "Invite codes", "code", "Segment", "segment", "Whose invitees", "as_user")
	for _, name := range mail.Sections() {
		labels = append(labels, ui.Pair{Name: "Section: " + sectionWords[name], Value: "section-" + name})
	}
	return append(labels, ui.Pairs("Attach CSV", "attach_csv", "Attach Excel", "attach_xlsx", "Skip without commission", "skip_empty",
		"Skip below", "skip_below", "Skip below, coin", "skip_coin", "Correct above", "correct_above", "Correct above, coin", "correct_coin")...)
}

// StateLabels name what can be changed of a subscription without its form.
var StateLabels = ui.Pairs("State", "state")

// StateFields returns the state of a subscription, by [StateLabels].
func StateFields(s outbox.Subscription) map[string]string {
	return map[string]string{"version": ui.VersionText(s.Updated), "state": PausedWords(s.Paused.Known()) + ", called “" + s.Name + "”"}
}

// PausedWords says whether a subscription is active.
func PausedWords(paused bool) string {
	if paused {
		return "paused"
	}
	return "active"
}
