package summaries

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/mail"
	"rebatedesk/reports/phrase"
	"rebatedesk/store/outbox"
	"rebatedesk/web/templates/ui"
)

// whatWords describes the content that a schedule sends.
func whatWords(s outbox.Subscription) string {
	parts := []string{phrase.Capital(s.Every) + " summary"}
	parts = append(parts, accountWords(s.Account))
	if s.Product != "" {
		parts = append(parts, ui.ProductWords(s.Product))
	}
	if s.Coin != "" {
		parts = append(parts, ui.ListWords(s.Coin))
	}
	if s.Code != "" {
		parts = append(parts, "code "+ui.ListWords(s.Code))
	}
	if s.Segment != "" {
		parts = append(parts, "segment "+s.Segment)
	}
	if s.AsUser != "" {
		parts = append(parts, "invitees of "+s.AsUser)
	}
	return strings.Join(parts, " · ")
}

func accountWords(a affiliate.Account) string {
	if a == "" {
		return "all accounts"
	}
	return string(a)
}

// whenWords says when a schedule is due.
func whenWords(s outbox.Subscription) string {
	at := fmt.Sprintf("at %02d:%02d", s.Hour, s.Minute)
	switch s.Every {
	case "weekly":
		return s.Weekday.String() + "s " + at
	case "monthly":
		return "Day " + strconv.Itoa(s.MonthDay) + " of each month " + at
	}
	return "Every day " + at
}

// attachedWords names the attachments of a schedule.
func attachedWords(s outbox.Subscription) string {
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

// kindWords says why a message was made.
func kindWords(kind outbox.SummaryKind) string {
	switch kind {
	case outbox.SummaryWhole:
		return "on schedule"
	case outbox.SummaryPartial:
		return "partial, at the deadline"
	case outbox.SummarySkipped:
		return "skipped, nothing to report"
	case outbox.SummaryCorrected:
		return "corrected"
	case outbox.SummaryManual:
		return "sent by hand"
	}
	return string(kind)
}

// deliveryWords returns the state of a mail and its severity.
func deliveryWords(d outbox.Attempt) (words, class string) {
	switch {
	case d.State == outbox.Sent:
		return "sent", "text-success"
	case d.State == outbox.Dead && d.Fine():
		return "withdrawn", "text-muted"
	case d.State == outbox.Dead:
		return "given up", "text-error"
	case d.Answer != "":
		return "retrying", "text-warning"
	case d.Tries > 0:
		return "being sent", "text-primary"
	}
	return "in the outbox", "text-primary"
}

// lastWords returns the state of the newest message of a schedule and its severity.
func lastWords(s outbox.SentSummary) (words, class string) {
	copies := s.Sent + s.Waiting + s.Dead
	switch {
	case s.Kind == outbox.SummarySkipped:
		return "nothing to report, not sent", "text-muted"
	case s.Dead > 0:
		return fmt.Sprintf("%d of %d given up", s.Dead, copies), "text-error"
	case s.Waiting > 0:
		return fmt.Sprintf("%d of %d on the way", s.Waiting, copies), "text-warning"
	case copies == 0:
		return "not sent: no recipients", "text-muted"
	}
	return "sent to " + phrase.Things(s.Sent, "recipient"), "text-success"
}

// scheduleWords describes the state of a schedule.
func scheduleWords(s mail.Standing) (words, class string) {
	switch {
	case s.Problem != "":
		return "not working", "text-error"
	case s.Paused.Known():
		return "paused", "text-warning"
	case s.Waits != nil && !s.Waits.Gate.Closed:
		return "waiting for data", "text-warning"
	}
	return "active", "text-success"
}

// outboxWords describes the state of the outbox.
func outboxWords(o outbox.MailHealth) string {
	if o.Waiting == 0 {
		return "Nothing is waiting."
	}
	return phrase.Things(o.Waiting, "mail") + " in the outbox."
}

// sickWords describes the mail that cannot be sent.
func sickWords(o outbox.MailHealth, zone *time.Location) string {
	var parts []string
	if o.Failing > 0 {
		parts = append(parts, phrase.Things(o.Failing, "mail")+" failed so far, retried for up to a day")
	}
	if o.Dead > 0 {
		parts = append(parts, phrase.Things(o.Dead, "mail")+" given up in the last day")
	}
	return phrase.Capital(strings.Join(parts, "; ")) + ", the oldest from " + phrase.Clock(o.Since.Time(), zone) + "."
}

// sectionWords describe each section of a summary.
var sectionWords = map[string]string{
	"chart":          "Chart of commission by day",
	"goals":          "Goals of the month",
	"splits":         "Split by product and by direct or sub-agent",
	"invitees":       "Top invitees",
	"codes":          "Top invite codes",
	"movers":         "Biggest movers, up and down",
	"sub-affiliates": "Top sub-affiliates",
	"payments":       "Earned, paid and outstanding",
	"balance":        "What is owed on balance",
	"rates":          "Rates, agreed and paid",
	"months":         "Changes of closed months (monthly summaries)",
	"worklist":       "Whom to call",
	"attention":      "What needs attention",
}

// deliveryStates are the states by which the log can be filtered.
var deliveryStates = ui.Pairs("All", "", "In the outbox", string(outbox.Waiting), "Sent", string(outbox.Sent), "Given up", string(outbox.Dead))

func triesWords(tries int) string {
	switch tries {
	case 0:
		return "not yet"
	case 1:
		return "1 try"
	}
	return phrase.Count(tries) + " tries"
}

// gotWords describes a recipient who already has the summary, or is about to get it.
func gotWords(state outbox.State) string {
	if state == outbox.Sent {
		return "already got it"
	}
	return "already in the outbox"
}

func endedLabel(d outbox.Attempt) string {
	switch {
	case d.State == outbox.Sent:
		return "Accepted by the mail server"
	case d.Fine():
		return "Withdrawn"
	}
	return "Given up"
}

func answerLabel(d outbox.Attempt) string {
	if d.Fine() && d.State == outbox.Dead {
		return "Why"
	}
	return "Answer of the mail server"
}

// triedWords says how often a mail was tried, if that is worth mentioning, and when it
// is tried next.
func triedWords(d outbox.Attempt, zone *time.Location) string {
	var parts []string
	if d.Tries > 1 || d.Tries == 1 && d.State == outbox.Dead && !d.Fine() {
		parts = append(parts, "after "+triesWords(d.Tries))
	}
	if d.State == outbox.Waiting && d.Answer != "" {
		parts = append(parts, "next try "+phrase.Minute(d.Next.Time(), zone))
	}
	return strings.Join(parts, ", ")
}

// originWords says what caused a mail.
func originWords(d outbox.Attempt) string {
	if d.Name == "" {
		return kindWords(d.Kind)
	}
	return kindWords(d.Kind) + ", “" + d.Name + "”"
}
