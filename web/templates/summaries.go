package templates

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/mail"
	"rebatedesk/store"
)

// MailPage is what stands around each page about mail.
type MailPage struct {
	Page  Page
	Path  string // of the page among the tabs
	Tabs  []Tab
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
	Outbox       store.Outbox
	Schedules    []mail.Standing
	Newest       []store.Delivery
}

// ScheduleView is the form of a schedule, of a new one where its number is 0.
type ScheduleView struct {
	MailPage
	Schedule store.Schedule // as it is stored
	Form     Form
	Zones    []string
	Sections []string
	Accounts []affiliate.Account
}

// PreviewView is the message of a period as it would be sent now.
type PreviewView struct {
	MailPage
	Schedule store.Schedule
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
	Schedule store.Schedule
	Period   mail.Period
	Label    string
	Review   mail.Review
	Server   string
	Alert    string
}

// DeliveriesView is a part of the log of deliveries.
type DeliveriesView struct {
	MailPage
	Query     store.DeliveryQuery
	Rows      []store.Delivery
	Older     int64 // where the next page begins; 0: there is none
	Schedules []store.Schedule
}

// DeliveryView is one mail.
type DeliveryView struct {
	MailPage
	Delivery store.Delivery
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
func (v DeliveriesView) address(change func(*store.DeliveryQuery)) string {
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

// whatWords say what a schedule sends.
func whatWords(s store.Schedule) string {
	parts := []string{capital(s.Every) + " summary"}
	parts = append(parts, accountWords(s.Account))
	if s.Product != "" {
		parts = append(parts, s.Product.Label())
	}
	if s.Coin != "" {
		parts = append(parts, string(s.Coin))
	}
	if s.Code != "" {
		parts = append(parts, "code "+s.Code)
	}
	return strings.Join(parts, " · ")
}

func accountWords(a affiliate.Account) string {
	if a == "" {
		return "all accounts"
	}
	return string(a)
}

// whenWords say when a schedule is due.
func whenWords(s store.Schedule) string {
	at := fmt.Sprintf("at %02d:%02d", s.Hour, s.Minute)
	switch s.Every {
	case "weekly":
		return s.Weekday.String() + "s " + at
	case "monthly":
		return "Day " + strconv.Itoa(s.MonthDay) + " of each month " + at
	}
	return "Every day " + at
}

// attachedWords say what a schedule attaches.
func attachedWords(s store.Schedule) string {
	switch {
	case s.AttachCSV && s.AttachXLSX:
		return "CSV and XLSX"
	case s.AttachCSV:
		return "CSV"
	case s.AttachXLSX:
		return "XLSX"
	}
	return ""
}

// kindWords say why a message was made.
func kindWords(kind store.SummaryKind) string {
	switch kind {
	case store.SummaryWhole:
		return "by schedule"
	case store.SummaryPartial:
		return "partial, at the deadline"
	case store.SummarySkipped:
		return "skipped, nothing to tell"
	case store.SummaryCorrected:
		return "corrected"
	case store.SummaryManual:
		return "by hand"
	}
	return string(kind)
}

// deliveryWords say how a mail stands, and how grave that is.
func deliveryWords(d store.Delivery) (words, class string) {
	switch {
	case d.State == store.DeliverySent:
		return "sent", "text-success"
	case d.State == store.DeliveryDead && d.Fine():
		return "taken back", "text-muted"
	case d.State == store.DeliveryDead:
		return "given up", "text-error"
	case d.Answer != "":
		return "tried again", "text-warning"
	case d.Tries > 0:
		return "being sent", "text-primary"
	}
	return "in the outbox", "text-primary"
}

// lastWords say what became of the newest message of a schedule, and how grave
// that is.
func lastWords(s store.SentSummary) (words, class string) {
	copies := s.Sent + s.Waiting + s.Dead
	switch {
	case s.Kind == store.SummarySkipped:
		return "nothing to tell, sent to nobody", "text-muted"
	case s.Dead > 0:
		return fmt.Sprintf("%d of %d given up", s.Dead, copies), "text-error"
	case s.Waiting > 0:
		return fmt.Sprintf("%d of %d on the way", s.Waiting, copies), "text-warning"
	case copies == 0:
		return "sent to nobody", "text-muted"
	}
	return "sent to " + things(s.Sent, "recipient"), "text-success"
}

// scheduleWords say how a schedule stands.
func scheduleWords(s mail.Standing) (words, class string) {
	switch {
	case s.Problem != "":
		return "cannot be used", "text-error"
	case s.Paused.Known():
		return "paused", "text-warning"
	case s.Waits != nil && !s.Waits.Gate.Closed:
		return "waits for data", "text-warning"
	}
	return "at work", "text-success"
}

// outboxWords say how the outbox stands.
func outboxWords(o store.Outbox) string {
	if o.Waiting == 0 {
		return "Nothing is waiting."
	}
	return things(o.Waiting, "mail") + " in the outbox."
}

// sickWords say what does not get out.
func sickWords(o store.Outbox, zone *time.Location) string {
	var parts []string
	if o.Failing > 0 {
		parts = append(parts, things(o.Failing, "mail")+" tried in vain, and tried again for a day")
	}
	if o.Dead > 0 {
		parts = append(parts, things(o.Dead, "mail")+" given up in the last day")
	}
	return capital(strings.Join(parts, "; ")) + ", the oldest of " + clock(o.Since.Time(), zone) + "."
}

// sectionWords say what each part of a summary is.
var sectionWords = map[string]string{
	"chart":          "Chart of the commission by day",
	"splits":         "By product and source",
	"invitees":       "Top invitees",
	"codes":          "Top invite codes",
	"movers":         "Whose commission moved most",
	"sub-affiliates": "Sub-affiliates",
	"attention":      "What needs attention",
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
	return "Asked for no more, and gets none: " + strings.Join(names, ", ") + ". Take the address out, save, and add it to write to it again."
}

func (v ScheduleView) accountChoices() []pair {
	choices := []pair{{"All", ""}}
	for _, account := range v.Accounts {
		choices = append(choices, pair{string(account), string(account)})
	}
	if chosen := v.Form.Values["account"]; chosen != "" && !slices.Contains(v.Accounts, affiliate.Account(chosen)) {
		choices = append(choices, pair{chosen, chosen})
	}
	return choices
}

// deliveryStates are those that the log can be narrowed to.
var deliveryStates = []pair{{"All", ""}, {"In the outbox", string(store.DeliveryWaiting)}, {"Sent", string(store.DeliverySent)}, {"Given up", string(store.DeliveryDead)}}

func number64(n int64) string { return strconv.FormatInt(n, 10) }

func triesWords(tries int) string {
	switch tries {
	case 0:
		return "not yet"
	case 1:
		return "1 try"
	}
	return count(tries) + " tries"
}

// gotWords say of somebody who is to get a summary that it is no news.
func gotWords(state store.DeliveryState) string {
	if state == store.DeliverySent {
		return "has got it already"
	}
	return "has it in the outbox already"
}

func endedLabel(d store.Delivery) string {
	switch {
	case d.State == store.DeliverySent:
		return "Taken by the mail server"
	case d.Fine():
		return "Taken back"
	}
	return "Given up"
}

func answerLabel(d store.Delivery) string {
	if d.Fine() && d.State == store.DeliveryDead {
		return "Why"
	}
	return "Answer of the mail server"
}

// triedWords say how often a mail was tried, where that is worth a word, and
// when it is tried next.
func triedWords(d store.Delivery, zone *time.Location) string {
	var parts []string
	if d.Tries > 1 || d.Tries == 1 && d.State == store.DeliveryDead && !d.Fine() {
		parts = append(parts, "after "+triesWords(d.Tries))
	}
	if d.State == store.DeliveryWaiting && d.Answer != "" {
		parts = append(parts, "next at "+minute(d.Next.Time(), zone))
	}
	return strings.Join(parts, ", ")
}

// originWords say what a mail is of.
func originWords(d store.Delivery) string {
	if d.Name == "" {
		return kindWords(d.Kind)
	}
	return kindWords(d.Kind) + ", “" + d.Name + "”"
}

// missing is how many recipients did not get the summary.
func (v SendView) missing() int { return len(v.Review.To) - len(v.Review.Got) }

func (v SendView) sendVerb() string {
	if len(v.Review.Got) > 0 {
		return "Send"
	}
	return "Send to " + things(len(v.Review.To), "recipient")
}
