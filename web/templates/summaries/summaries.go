// Package summaries draws what is sent by mail: schedules, alerts and deliveries.
package summaries

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/mail"
	"rebatedesk/reports/phrase"
	"rebatedesk/store/outbox"
	"rebatedesk/web/templates/ui"
)

// MailPage is what stands around each page about mail.
type MailPage struct {
	Page  ui.Page
	Path  string // of the page among the tabs
	Tabs  []ui.Tab
	Done  string // what was changed just now
	Token string // of the forms
	Zone  *time.Location
	Edits bool // the reader may change something
	Files bool // the reader may take files
}

// SummariesView is the schedules, and how mail goes out.
type SummariesView struct {
	MailPage
	Server, From string // empty: no mail is sent
	NoLinks      bool   // the address of the application is not known
	Outbox       outbox.State
	Schedules    []mail.Standing
	Newest       []outbox.Delivery
}

// ScheduleView is the form of a schedule, of a new one where its number is 0.
type ScheduleView struct {
	MailPage
	Schedule outbox.Schedule // as it is stored
	Form     ui.Form
	Zones    []string
	Sections []string
	Accounts []affiliate.Account
}

// PreviewView is the message of a period as it would be sent now.
type PreviewView struct {
	MailPage
	Schedule outbox.Schedule
	Period   mail.Period
	Label    string // of the period
	Today    affiliate.Day
	Letter   mail.Letter
	Server   string
	To       string // where the test goes
	Number   int    // of the test
	Alert    string // why none was sent
}

// SendView is what is asked before a summary is sent by hand.
type SendView struct {
	MailPage
	Schedule outbox.Schedule
	Period   mail.Period
	Label    string
	Review   mail.Review
	Server   string
	Alert    string
}

// DeliveriesView is a part of the log of deliveries.
type DeliveriesView struct {
	MailPage
	Query     outbox.DeliveryQuery
	Rows      []outbox.Delivery
	Older     int64 // where the next page begins; 0: there is none
	Schedules []outbox.Schedule
}

// DeliveryView is one mail.
type DeliveryView struct {
	MailPage
	Delivery outbox.Delivery
	Letter   mail.Letter
}

// UnsubscribeView asks somebody whether mails are to end.
type UnsubscribeView struct {
	Address string
	Stopped bool
}

// schedulePath is the address of a schedule, or of something about it.
func schedulePath(id int64, about string) string {
	return "/summaries/" + strconv.FormatInt(id, 10) + about
}

// deliveryPath is the address of a mail, or of something about it.
func deliveryPath(id int64, about string) string {
	return "/summaries/deliveries/" + strconv.FormatInt(id, 10) + about
}

// onDay is an address about the period that begins on a day.
func onDay(path string, p mail.Period) string { return path + "?date=" + p.First.String() }

// address is the log narrowed in another way.
func (v DeliveriesView) address(change func(*outbox.DeliveryQuery)) string {
	q := v.Query
	change(&q)
	values := url.Values{}
	for name, value := range map[string]int64{"schedule": q.Schedule, "message": q.Message, "before": q.Before} {
		if value != 0 {
			values.Set(name, strconv.FormatInt(value, 10))
		}
	}
	if q.State != "" {
		values.Set("state", string(q.State))
	}
	if query := values.Encode(); query != "" {
		return "/summaries/deliveries?" + query
	}
	return "/summaries/deliveries"
}

// narrows reports whether anything is left out but for paging.
func (v DeliveriesView) narrows() bool {
	return v.Query.State != "" || v.Query.Schedule != 0 || v.Query.Message != 0
}

// deliveriesOf is the log of the copies of a message.
func deliveriesOf(message int64) string {
	return "/summaries/deliveries?message=" + strconv.FormatInt(message, 10)
}

func (v ScheduleView) title() string {
	if v.Schedule.ID == 0 {
		return "New schedule"
	}
	return v.Schedule.Name
}

func (v ScheduleView) action() string {
	if v.Schedule.ID == 0 {
		return "/summaries"
	}
	return schedulePath(v.Schedule.ID, "")
}

func (v ScheduleView) verb() string {
	if v.Schedule.ID == 0 {
		return "Add the schedule"
	}
	return "Save the changes"
}

// stopped names the recipients who asked for no more: they stay so.
func (v ScheduleView) stopped() string {
	var names []string
	for _, r := range v.Schedule.Recipients {
		if r.Stopped.Known() {
			names = append(names, r.Address)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "Unsubscribed, and sent nothing: " + strings.Join(names, ", ") + ". To send to it again, remove the address, save, then add it back."
}

func (v ScheduleView) accountChoices() []ui.Pair {
	choices := ui.Pairs("All", "")
	for _, account := range v.Accounts {
		choices = append(choices, ui.Pair{Name: string(account), Value: string(account)})
	}
	if chosen := v.Form.Values["account"]; chosen != "" && !slices.Contains(v.Accounts, affiliate.Account(chosen)) {
		choices = append(choices, ui.Pair{Name: chosen, Value: chosen})
	}
	return choices
}

func number64(n int64) string { return strconv.FormatInt(n, 10) }

// missing is how many recipients did not get the summary.
func (v SendView) missing() int { return len(v.Review.To) - len(v.Review.Got) }

func (v SendView) sendVerb() string {
	if len(v.Review.Got) > 0 {
		return "Send"
	}
	return "Send to " + phrase.Things(len(v.Review.To), "recipient")
}

// ScheduleLabels are the fields of the form of a schedule, with what they are
// called, in its order.
func ScheduleLabels() []ui.Pair {
	labels := ui.Pairs("Name", "name", "How often", "every", "Time of day", "at", "Time zone", "zone", "Weekday", "weekday", "Day of the month", "month_day",
		"Deadline (hours)", "deadline", "Recipients", "recipients", "Account", "account", "Product", "product", "Coins", "coin", "Invite codes", "code")
	for _, name := range mail.Sections() {
		labels = append(labels, ui.Pair{Name: "Section: " + sectionWords[name], Value: "section-" + name})
	}
	return append(labels, ui.Pairs("Attach CSV", "attach_csv", "Attach Excel", "attach_xlsx", "Skip without commission", "skip_empty",
		"Skip below", "skip_below", "Skip below, coin", "skip_coin", "Correct above", "correct_above", "Correct above, coin", "correct_coin")...)
}
