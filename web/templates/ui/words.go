package ui

import (
	"fmt"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/books"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/store/records"
)

// coverageAt describes the coverage in a sentence. The banner says which earlier state it is of.
func coverageAt(c coverage.Coverage, q query.Query) string {
	words := phrase.Coverage(c, ZoneOf(q))
	if q.Past() {
		return "Then: " + phrase.Lowered(words)
	}
	return words
}

// badge is a change with its colour and a note next to it.
type badge struct {
	phrase.Comparison
	Class, Note string
}

// ChangeBadge marks a change that may still reverse as provisional, and gives it no
// alarming colour: a day that has just begun is below every other.
func ChangeBadge(c figures.Change) badge {
	b := badge{phrase.Change(c), changeClasses[c.Kind], ""}
	if !c.Open || c.Kind == figures.ChangeUnknown || c.Kind == figures.ChangeNone {
		return b
	}
	b.Meaning, b.Note = b.Meaning+" so far: the range is not over, and is compared with whole days", "so far"
	if c.Kind == figures.ChangeDown {
		b.Class = "text-muted"
	}
	return b
}

// Against adds to a change what it refers to, if the words are not empty.
func (b badge) Against(words string) badge {
	if words == "" {
		return b
	}
	head, open, running := strings.Cut(b.Meaning, " so far: ")
	if head == "against the compared period" {
		b.Meaning = words
	} else {
		b.Meaning = head + ", " + words
	}
	if running {
		b.Meaning += ". " + phrase.Capital(open)
	}
	return b
}

// PointBadge marks a change in percentage points as [ChangeBadge] marks others.
func PointBadge(c figures.PointChange) badge {
	b := ChangeBadge(figures.Change{Kind: c.Kind, Percent: c.Points, Open: c.Open})
	words := phrase.Points(c)
	b.Text = words.Text
	if !c.Open {
		b.Meaning = words.Meaning
	}
	return b
}

var changeClasses = map[figures.ChangeKind]string{
	figures.ChangeUp: "text-success", figures.ChangeDown: "text-error",
	figures.ChangeSame: "text-muted", figures.ChangeUnknown: "text-muted",
}

// LineBadge is [ChangeBadge] for a line of invitees or codes: who had no commission in the compared
// period is named by what that means in a range.
func LineBadge(c figures.Change, p figures.Presence, days affiliate.Days) badge {
	b := ChangeBadge(c)
	if words := phrase.ChangeOf(c, p, days); words == phrase.PresenceIn(p, days) {
		return badge{words, "text-primary", ""}
	}
	return b
}

// Bar is a bar of a list: positive amounts go to the right, negative ones to the left of where all
// begin.
type Bar struct {
	X, Width string // in percent of the list
	Class    string
	Opacity  string // of the fill; empty: that of the class
}

// BarOf returns the bar of an amount in a list with these least and greatest ones.
func BarOf(of, least, most decimal.Decimal) Bar {
	least, most = decimal.Min(least, decimal.Zero), decimal.Max(most, decimal.Zero)
	bar := Bar{X: "0%", Width: BarLength(of.Abs(), most.Sub(least)), Class: "fill-primary/10"}
	if least.IsNegative() {
		bar.X = BarLength(decimal.Min(of, decimal.Zero).Sub(least), most.Sub(least))
	}
	if of.IsNegative() {
		bar.Class, bar.Opacity = "text-error fill-current", "0.15"
	}
	return bar
}

// BarLength returns a bar's length in percent of the longest one.
func BarLength(of, longest decimal.Decimal) string {
	if !longest.IsPositive() || !of.IsPositive() {
		return "0%"
	}
	return decimal.Min(of.Shift(2).DivRound(longest, 2), decimal.NewFromInt(100)).String() + "%"
}

// Pages returns how many pages some rows fill: at least one.
func Pages(rows int64, per int) int {
	return max(1, int((rows+int64(per)-1)/int64(per)))
}

// RowsWords says which rows of how many are on a page.
func RowsWords(q query.Query, shown int, all int64, one string) string {
	first := int64(q.Page-1)*int64(q.Per) + 1
	if shown == 0 || all <= int64(shown) {
		return phrase.Things(all, one)
	}
	return phrase.Count(first) + "–" + phrase.Count(first+int64(shown)-1) + " of " + phrase.Things(all, one)
}

// Elapsed returns the time between two instants, and zero if a clock was set back in
// between.
func Elapsed(from, to affiliate.Millis) time.Duration {
	return max(0, to.Time().Sub(from.Time()))
}

const NotGiven = "the exchange did not say"

// StateWords are the displayed names of states and statuses.
var StateWords = map[string]struct{ Label, Meaning, Class string }{
	string(invitees.StateNew):             {"New", "registered, or traded for the first time, in the last 30 days", "text-primary border-primary/40"},
	string(invitees.StateActive):          {"Active", "trades in its usual rhythm", "text-success border-success/40"},
	string(invitees.StateSlowing):         {"Slowing", "silent for longer than its usual gap", "text-warning border-warning/40"},
	string(invitees.StateSilent):          {"Silent", "no trade for more than 30 days, or for more than three of its usual gaps", "text-error border-error/40"},
	string(invitees.StateNeverTraded):     {"Never traded", "no trade is known", "text-muted border-line"},
	invitees.ChoiceTraded:                 {"Traded in range", "with at least one commission record in the range, whatever the state", "text-success border-success/40"},
	invitees.ChoiceAtRisk:                 {"At risk, stopped", "used to bring 10 USDT or more in 30 days, and stopped by its own rhythm", "text-error border-error/40"},
	string(records.InviteeListed):         {"Listed", "the exchange lists it", "text-muted border-line"},
	string(records.InviteeVanished):       {"Vanished", "the exchange could list it and does not any more", "text-error border-error/40"},
	string(records.InviteeBeyondReach):    {"Beyond reach", "registered more than 365 days ago: the exchange lists it no more, and what is known stays as it was", "text-muted border-line"},
	string(records.InviteeCommissionOnly): {"Older than 365 days", "not in the list of the exchange; known from commission only", "text-muted border-line"},

	string(books.Matched):     {"Matched", "paid in full and on time", "text-success border-success/40"},
	string(books.Short):       {"Short", "less was paid than is earned by now; the line says if it was raised after it was paid", "text-error border-error/40"},
	string(books.Over):        {"Over", "more was paid than earned", "text-info border-info/40"},
	string(books.Missing):     {"Missing", "due, and nothing was paid", "text-error border-error/40"},
	string(books.Twice):       {"Twice", "the same amount was paid more than once", "text-info border-info/40"},
	string(books.Late):        {"Late", "paid in full, but after the usual time", "text-warning border-warning/40"},
	string(books.Pending):     {"Pending", "not due yet, or not collected on both sides", "text-muted border-line"},
	string(books.Unexplained): {"Unexplained", "a payment that belongs to no period", "text-warning border-warning/40"},
}

// KindLabel names whose commissions a payment is for.
func KindLabel(kind books.Kind) string {
	switch kind {
	case books.Direct:
		return "Direct"
	case books.Sub:
		return "Sub-agents"
	}
	return "In one sum"
}

func StateLabel(name string) string { return StateWords[name].Label }

// KycLabel returns the name of a choice of the filter by KYC.
func KycLabel(choice string) string {
	switch choice {
	case "":
		return ""
	case "true":
		return "Passed"
	case "false":
		return "Not passed"
	}
	return "Not known"
}

// AccountOf returns the account that a link has to name: none if only one exists.
func AccountOf(account affiliate.Account, several bool) affiliate.Account {
	if several {
		return account
	}
	return ""
}

func DayForm(q query.Query) string {
	first, _, _ := q.Days.First.Date()
	last, _, _ := q.Days.Last.Date()
	if this, _, _ := q.Today.Date(); first != last || first != this {
		return "2 Jan 2006"
	}
	return "2 Jan"
}

// AsLong says how long a password has to be.
func AsLong(least int) string { return fmt.Sprintf("At least %d characters", least) }
