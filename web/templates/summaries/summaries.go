// Package summaries draws the pages about mail: schedules, alerts and deliveries.
package summaries

import (
	"net/url"
	"strconv"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/mail"
	"rebatedesk/reports/phrase"
	"rebatedesk/store/outbox"
	"rebatedesk/web/templates/ui"
)

// MailPage is the frame of each page about mail.
type MailPage struct {
	Page  ui.Page
	Path  string // of the page among the tabs
	Tabs  []ui.Tab
	Done  string // the change that was just made
	Token string // of the forms
	Zone  *time.Location
	Edits bool // the reader may make changes
	Files bool // the reader may download files
}

// SummariesView is the list of schedules and the state of mail.
type SummariesView struct {
	MailPage
	Server, From string // empty: no mail is sent
	NoLinks      bool   // the address of the application is unknown
	Outbox       outbox.MailHealth
	Schedules    []mail.Standing
	Changed      int64   // the schedule that could not be changed; 0: none
	Form         ui.Form // of that schedule
	Newest       []outbox.Attempt
}

// PreviewView is the message of a period as it would be sent now.
type PreviewView struct {
	MailPage
	Schedule outbox.Subscription
	Period   dispatch.Period
	Label    string // of the period
	Today    affiliate.Day
	Letter   mail.Letter
	Server   string
	To       string // recipient of the test
	Number   int    // of the test
	Alert    string // why no test was sent
}

// SendView is the confirmation before a summary is sent by hand.
type SendView struct {
	MailPage
	Schedule outbox.Subscription
	Period   dispatch.Period
	Label    string
	Review   mail.Review
	Server   string
	Alert    string
}

// DeliveriesView is a part of the log of deliveries.
type DeliveriesView struct {
	MailPage
	Query     outbox.AttemptQuery
	Rows      []LogRow
	Older     int64 // start of the next page; 0: none
	Schedules []outbox.Subscription
}

// LogRow is a message, or a file.
type LogRow struct {
	outbox.Attempt
	File *outbox.File // nil: it is a message
	Of   string       // the delivery of the file
}

// LogRows are the rows of messages.
func LogRows(list []outbox.Attempt) []LogRow {
	rows := make([]LogRow, len(list))
	for i := range list {
		rows[i].Attempt = list[i]
	}
	return rows
}

// DeliveryView is one mail.
type DeliveryView struct {
	MailPage
	Delivery outbox.Attempt
	Letter   mail.Letter
}

// UnsubscribeView asks a recipient whether the mails should end.
type UnsubscribeView struct {
	Address string
	Stopped bool
}

// deliveryPath returns the path of a mail, or of a page about it.
func deliveryPath(id int64, about string) string {
	return "/summaries/deliveries/" + strconv.FormatInt(id, 10) + about
}

// changesSince returns the address of what became known of a summary's days since its state.
func changesSince(d outbox.Attempt) string {
	values := url.Values{"since": {d.AsOf.Time().Format(time.RFC3339Nano)}, "from": {d.Days.First.String()}, "to": {d.Days.Last.String()}}
	return "/changes?" + values.Encode()
}

// onDay returns an address about the period that begins on a day.
func onDay(path string, p dispatch.Period) string { return path + "?date=" + p.First.String() }

// address returns the log with different filters.
func (v DeliveriesView) address(change func(*outbox.AttemptQuery)) string {
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

// narrows reports whether a filter other than paging is in use.
func (v DeliveriesView) narrows() bool {
	return v.Query.State != "" || v.Query.Schedule != 0 || v.Query.Message != 0
}

// deliveriesOf returns the address of the log of a message's copies.
func deliveriesOf(message int64) string {
	return "/summaries/deliveries?message=" + strconv.FormatInt(message, 10)
}

func number64(n int64) string { return strconv.FormatInt(n, 10) }

// missing returns how many recipients did not get the summary.
func (v SendView) missing() int { return len(v.Review.To) - len(v.Review.Got) }

func (v SendView) sendVerb() string {
	if len(v.Review.Got) > 0 {
		return "Send"
	}
	return "Send to " + phrase.Things(len(v.Review.To), "recipient")
}
