package ui

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/query"
	"rebatedesk/store/records"
)

const (
	Dash  = "—"
	Space = "\u00a0" // does not break
)

// Clock prints an instant in the reporting zone, to the minute.
func Clock(t time.Time, zone *time.Location) string {
	return t.In(zone).Format("2 Jan 2006 15:04 MST")
}

// Count prints a number of things: "12,345".
func Count[N ~int | ~int64](n N) string { return affiliate.Grouped(strconv.FormatInt(int64(n), 10)) }

// Things prints a number with its noun: "1 record", "12,345 records".
func Things[N ~int | ~int64](n N, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(n) + " " + one + "s"
}

// Percent prints a percentage.
func Percent(d decimal.Decimal) string { return figures.Percent(d) }

// RatePercent prints a fraction as a percentage: one decimal, more where the
// rate has more. An empty text stands for unknown.
func RatePercent(rate affiliate.Number) string {
	if !rate.Known() {
		return ""
	}
	d := rate.Decimal().Shift(2)
	if d.Equal(d.Round(1)) {
		return Percent(d)
	}
	return d.Round(4).String() + Space + "%"
}

// Duration prints how long something will take, roughly.
func Duration(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "less than a minute"
	case d < 90*time.Second:
		return "about a minute"
	case d < time.Hour:
		return fmt.Sprintf("about %d minutes", int(d.Round(time.Minute).Minutes()))
	}
	return fmt.Sprintf("about %.1f hours", d.Hours())
}

// CoverageWords says how completely the range is known.
func CoverageWords(c coverage.Coverage, zone *time.Location) string {
	missing := c.Wanted - c.Collected
	switch {
	case c.Wanted == 0:
		return "Nothing of this range is to be read yet"
	case c.Complete():
		return "Complete up to " + Clock(c.Through.Time(), zone)
	case c.Beyond == c.Wanted:
		return "Not all of this range was read while the exchange listed it"
	case c.Collected == 0:
		return fmt.Sprintf("None of %s collected yet", Things(c.Wanted, "day"))
	case missing > 0:
		return fmt.Sprintf("%d of %d days not collected", missing, c.Wanted)
	}
	return fmt.Sprintf("%d of %d days collected, with gaps", c.Collected, c.Wanted)
}

// coverageAt is that in a sentence, with the earlier instant that is asked for.
func coverageAt(c coverage.Coverage, q query.Query) string {
	words := CoverageWords(c, ZoneOf(q))
	if q.Past() {
		return "As known on " + Clock(q.AsOf, ZoneOf(q)) + ": " + Lowered(words)
	}
	return words
}

// GapWords names up to two gaps; the collection page names all.
func GapWords(gaps []coverage.Gap) string {
	const shown = 2
	var parts []string
	for i, gap := range gaps {
		if i == shown {
			parts = append(parts, fmt.Sprintf("and %d more", len(gaps)-shown))
			break
		}
		parts = append(parts, StreamWords(gap.Stream)+" "+DayWords(gap.Days))
	}
	return strings.Join(parts, "; ")
}

// GapSentence says which days are missing, and until when none is.
func GapSentence(c coverage.Coverage, zone *time.Location) string {
	text := ""
	if len(c.Gaps) > 0 {
		text = "Missing: " + GapWords(c.Gaps) + "."
	}
	if c.Through.Known() {
		text += " Complete until " + Clock(c.Through.Time(), zone) + "."
	}
	return strings.TrimSpace(text)
}

// StreamWords names a stream: "Futures commissions".
func StreamWords(s affiliate.Stream) string {
	if s.Product == "" {
		return string(s.Kind)
	}
	return s.Product.Label() + " " + string(s.Kind)
}

// DayWords prints days briefly: "3–5 Nov 2026", "28 Oct – 2 Nov 2026".
func DayWords(ds affiliate.Days) string {
	last := ds.Last.Format("2 Jan 2006")
	switch {
	case ds.First == ds.Last:
		return last
	case ds.First.Format("2006-01") == ds.Last.Format("2006-01"):
		return ds.First.Format("2") + "–" + last
	case ds.First.Format("2006") == ds.Last.Format("2006"):
		return ds.First.Format("2 Jan") + " – " + last
	}
	return ds.First.Format("2 Jan 2006") + " – " + last
}

// badge is how a change is shown: a sign, a text, what it means, and a note
// beside it.
type badge struct{ Sign, Text, Meaning, Class, Note string }

// ChangeBadge says of a change that may still turn that it is one so far, and
// does not alarm by it: a day that has just begun is below every other.
func ChangeBadge(c figures.Change) badge {
	b := wholeBadge(c)
	if !c.Open || c.Kind == figures.ChangeUnknown || c.Kind == figures.ChangeNone {
		return b
	}
	b.Meaning, b.Note = b.Meaning+" so far: the range is not over, and is compared with whole days", "so far"
	if c.Kind == figures.ChangeDown {
		b.Class = "text-muted"
	}
	return b
}

func wholeBadge(c figures.Change) badge {
	switch c.Kind {
	case figures.ChangeUp:
		return badge{Sign: "▲", Text: c.Words(), Meaning: "up", Class: "text-success"}
	case figures.ChangeDown:
		return badge{Sign: "▼", Text: c.Words(), Meaning: "down", Class: "text-error"}
	case figures.ChangeNew:
		return badge{Text: "new", Meaning: "from zero in the compared period", Class: "text-primary"}
	case figures.ChangeSame:
		return badge{Text: "no change", Meaning: "against the compared period", Class: "text-muted"}
	case figures.ChangeUnknown:
		return badge{Text: Dash, Meaning: "cannot be told: the compared period is not collected completely", Class: "text-muted"}
	}
	return badge{}
}

// Share is a bar's length in percent of the longest one.
func Share(of, longest decimal.Decimal) string {
	if !longest.IsPositive() || !of.IsPositive() {
		return "0%"
	}
	return decimal.Min(of.Shift(2).DivRound(longest, 2), decimal.NewFromInt(100)).String() + "%"
}

// Sentence begins a text with a capital and closes it with a full stop.
func Sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + strings.TrimSuffix(text[size:], ".") + "."
}

// Minute is an instant in a column that names its zone.
func Minute(at time.Time, zone *time.Location) string {
	if at.IsZero() {
		return "never"
	}
	return at.In(zone).Format("2 Jan 2006 15:04")
}

// Size prints a number of bytes as people say it.
func Size(bytes int64) string {
	const unit = 1000
	if bytes < unit {
		return Things(bytes, "byte")
	}
	value, names := float64(bytes), []string{"kB", "MB", "GB", "TB"}
	name := ""
	for _, name = range names {
		if value /= unit; value < unit {
			break
		}
	}
	return fmt.Sprintf("%.1f", value) + Space + name
}

// Capital begins a text with a capital letter.
func Capital(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// Pages is how many pages some rows fill: at least one.
func Pages(rows int64, per int) int {
	return max(1, int((rows+int64(per)-1)/int64(per)))
}

// RowsWords says which rows of how many stand on a page.
func RowsWords(q query.Query, shown int, all int64, one string) string {
	first := int64(q.Page-1)*int64(q.Per) + 1
	if shown == 0 || all <= int64(shown) {
		return Things(all, one)
	}
	return Count(first) + "–" + Count(first+int64(shown)-1) + " of " + Things(all, one)
}

// Took prints how long something took, with as much detail as its length
// deserves: "850 ms", "12.4 s", "3 min 12 s", "2 h 5 min".
func Took(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d%sms", d.Milliseconds(), Space)
	case d < 59950*time.Millisecond: // what rounds to 60.0 s is a minute
		return fmt.Sprintf("%.1f%ss", d.Seconds(), Space)
	case d < time.Hour-time.Second/2:
		d = d.Round(time.Second)
		return fmt.Sprintf("%d%smin %d%ss", d/time.Minute, Space, d%time.Minute/time.Second, Space)
	}
	d = d.Round(time.Minute)
	return fmt.Sprintf("%d%sh %d%smin", d/time.Hour, Space, d%time.Hour/time.Minute, Space)
}

// Span is the time between two instants. A clock that was set back in between
// leaves none.
func Span(from, to affiliate.Millis) time.Duration {
	return max(0, to.Time().Sub(from.Time()))
}

const NotGiven = "the exchange did not say"

// Lowered is a sentence that goes on after a colon.
func Lowered(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToLower(first)) + text[size:]
}

// StateWords are how states and statuses are shown.
var StateWords = map[string]struct{ Label, Meaning, Class string }{
	string(invitees.StateNew):             {"New", "registered, or traded for the first time, in the last 30 days", "text-primary border-primary/40"},
	string(invitees.StateActive):          {"Active", "trades in its usual rhythm", "text-success border-success/40"},
	string(invitees.StateSlowing):         {"Slowing", "silent for longer than its usual gap", "text-warning border-warning/40"},
	string(invitees.StateSilent):          {"Silent", "no trade for more than 30 days, or for more than three of its usual gaps", "text-error border-error/40"},
	string(invitees.StateNeverTraded):     {"Never traded", "no trade is known", "text-muted border-line"},
	invitees.ChoiceAtRisk:                 {"At risk", "used to bring 10 USDT or more in 30 days, and is silent by its own rhythm", "text-error border-error/40"},
	string(records.InviteeListed):         {"Listed", "the exchange lists it", "text-muted border-line"},
	string(records.InviteeVanished):       {"Vanished", "the exchange could list it and does not any more", "text-error border-error/40"},
	string(records.InviteeBeyondReach):    {"Beyond reach", "registered more than 365 days ago: the exchange lists it no more, and what is known stays as it was", "text-muted border-line"},
	string(records.InviteeCommissionOnly): {"Older than 365 days", "not in the list of the exchange; known from commission only", "text-muted border-line"},
}

func StateLabel(name string) string { return StateWords[name].Label }

// KycLabel is the name of a choice of the filter by KYC.
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

// AccountOf is the account that a link has to name: none where there is one.
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

// Signed prints an exact difference with its sign.
func Signed(d decimal.Decimal) string {
	if d.IsPositive() {
		return "+" + affiliate.Grouped(d.String())
	}
	return affiliate.Grouped(d.String())
}

// AsLong says how long a password has to be.
func AsLong(least int) string { return fmt.Sprintf("At least %d characters", least) }

// Wait says how long something takes: "4 seconds", "2 minutes".
func Wait(d time.Duration) string {
	seconds := max(1, int64((d+time.Second-1)/time.Second))
	if seconds < 120 {
		return Things(seconds, "second")
	}
	return Things((seconds+59)/60, "minute")
}
