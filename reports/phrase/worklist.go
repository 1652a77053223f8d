package phrase

import (
	"fmt"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/worklist"
	acts "rebatedesk/store/worklist"
)

// WorklistAnswer says whom the day has, what they are worth, how many can wait, and what is at risk in
// all: "Today: 10 invitees, for 312.00 USDT a month. 7 more can wait. At risk: 412.30 USDT a month (stopped
// 300.00, slowing 100.00, lower rate 12.30)."
func WorklistAnswer(t worklist.WorkTally, past bool) string {
	words := WorklistDay(t, past)
	if n := t.Later(); n > 0 {
		words += " " + Count(n) + " more can wait."
	}
	return strings.TrimSpace(words + " " + AtRisk(t.Risk))
}

// WorklistDay says whom the day has, and what they are worth.
func WorklistDay(t worklist.WorkTally, past bool) string {
	when, is := "today", "is"
	if past {
		when, is = "on that day", "was"
	}
	var words string
	switch {
	case t.Today == 0 && t.Handled > 0:
		words = Capital(when) + ": all done, " + Things(t.Handled, "invitee") + "."
	case t.Today == 0:
		words = "Nobody " + is + " worth a call " + when + "."
	default:
		words = Capital(when) + ": " + Things(t.Today, "invitee")
		if len(t.TodayWorth.Coins) > 0 {
			words += ", for " + t.TodayWorth.Amount().String() + " a month"
		}
		words += "."
		if t.Handled > 0 {
			words += " " + Count(t.Handled) + " done."
		}
	}
	return words
}

// AtRisk says in a sentence what is at risk, and its parts: "At risk: 412.30 USDT a month (stopped
// 300.00, slowing 100.00, lower rate 12.30)." It is empty if nothing is.
func AtRisk(r worklist.AtRisk) string {
	missing := Unpriced(r.All.Missing)
	if len(r.All.Coins) == 0 {
		return missing
	}
	var parts []string
	for _, part := range []struct {
		name  string
		worth figures.Valuation
	}{{"stopped", r.Stopped}, {"slowing", r.Slowing}, {"lower rate", r.Lower}, {"bring less", r.Less}} {
		if len(part.worth.Coins) > 0 {
			parts = append(parts, part.name+" "+part.worth.Amount().Short())
		}
	}
	return strings.TrimSpace(fmt.Sprintf("At risk: %s a month (%s). %s", r.All.Amount(), strings.Join(parts, ", "), missing))
}

// WorkReason names a reason for a call.
func WorkReason(name worklist.ReasonName) string {
	switch name {
	case worklist.ReasonTie:
		return "Tie ends soon"
	case worklist.ReasonSilent:
		return "Fell silent"
	case worklist.ReasonSlowing:
		return "Slowing"
	case worklist.ReasonLevel:
		return "Brings less"
	case worklist.ReasonRate:
		return "Lower rate"
	case worklist.ReasonPlanned:
		return "Next date"
	case worklist.ReasonNoTrade:
		return "No trade yet"
	case worklist.ReasonMilestone:
		return "Milestone"
	}
	return string(name)
}

// WorkReasonWords says what a reason of a line is about: "silent for 12 days, usually trades every 2
// days".
func WorkReasonWords(l *worklist.Line, r worklist.CallReason) string {
	switch r.Name {
	case worklist.ReasonTie:
		return TieWords(l)
	case worklist.ReasonSilent, worklist.ReasonSlowing:
		return "silent for " + Things(l.SilentDays, "day") + ", usually trades " + Every(l.UsualGap)
	case worklist.ReasonLevel:
		return LevelBriefly(r.Level)
	case worklist.ReasonRate:
		if r.Began == 0 {
			return "brings less of its fees than before"
		}
		return "brings less of its fees since " + r.Began.Format(dayForm)
	case worklist.ReasonPlanned:
		return "the next contact was planned for " + r.Began.Format(dayForm)
	case worklist.ReasonNoTrade:
		return "first deposit on " + r.Began.Format(dayForm) + ", no trade since"
	case worklist.ReasonMilestone:
		if r.Passed.IsZero() {
			return "first trade on " + r.Began.Format(dayForm)
		}
		return "commission passed " + affiliate.Amount{Value: r.Passed, Coin: figures.ValuedIn}.String() + " on " + r.Began.Format(dayForm)
	}
	return ""
}

// TieWords says how many days are left before the exchange ends the tie.
func TieWords(l *worklist.Line) string {
	switch {
	case !l.Tied:
		return ""
	case l.DaysLeft < 0:
		return "the limit passed " + Things(-l.DaysLeft, "day") + " ago"
	case l.DaysLeft == 0:
		return "the exchange ends the tie today"
	}
	return Things(l.DaysLeft, "day") + " left before the exchange ends the tie"
}

// Overtaken says what others did about an invitee since a manager opened the page: "ann got in touch
// (fell silent) on 7 Oct 2026, 10:02, after you opened this page."
func Overtaken(list []acts.Act, zone *time.Location) string {
	var parts []string
	for _, a := range list {
		if a.Undone.Known() {
			parts = append(parts, fmt.Sprintf("%s took back that %s %s, %s", affiliate.OneLine(a.UndoneBy), affiliate.OneLine(a.Actor), WorkAct(a), Clock(a.Undone.Time(), zone)))
		} else {
			parts = append(parts, fmt.Sprintf("%s %s, %s", affiliate.OneLine(a.Actor), WorkAct(a), Clock(a.Created.Time(), zone)))
		}
	}
	return "Nothing was saved, since somebody acted on this invitee after you opened the page: " + strings.Join(parts, "; ") +
		". Look at the line as it stands now, and send your entries again if they are still needed."
}

// WorkAct says what a manager did: "snoozed it until 7 Oct 2026".
func WorkAct(a acts.Act) string {
	switch a.Kind {
	case acts.ActDone:
		return "got in touch" + forReasons(a.Reasons)
	case acts.ActDismissed:
		return "saw no need for a contact" + forReasons(a.Reasons)
	case acts.ActSnoozed:
		return "snoozed it until " + a.Day.Format(dayForm)
	case acts.ActPlanned:
		return "planned the next contact for " + a.Day.Format(dayForm)
	case acts.ActAssigned:
		if a.Owner == "" {
			return "removed the owner"
		}
		return "made " + affiliate.OneLine(a.Owner) + " the owner"
	}
	return string(a.Kind)
}

func forReasons(list []acts.Covered) string {
	var names []string
	for _, c := range list {
		names = append(names, Lowered(WorkReason(worklist.ReasonName(c.Reason))))
	}
	if len(names) == 0 {
		return ""
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// ContactOutcome says what came after a contact: "traded again 3 days later, 41.20 USDT since".
func ContactOutcome(c *worklist.Contact) string {
	switch {
	case c.Traded == 0 && c.Unknown:
		return "whether it traded since is not known: days are not collected"
	case c.Traded == 0 && c.Until == c.Day:
		return "trades count from the next day on"
	case c.Traded == 0:
		return "no trade since"
	}
	again := "traded "
	if c.Away() {
		again = "traded again "
	}
	words := again + Things(c.Days(), "day") + " later"
	if len(c.Worth.Coins) > 0 {
		words += ", " + c.Worth.Amount().String() + " since"
	}
	for _, amount := range c.Worth.Missing {
		words += ", " + amount.String() + " since"
	}
	return words
}

// WorklistOutcome sums up what came after contacts. It claims no cause. Without contacts it is empty.
func WorklistOutcome(o worklist.ContactResults) string {
	if o.Contacts == 0 {
		return ""
	}
	var parts []string
	if o.Away > 0 {
		words := fmt.Sprintf("Of %s in the last %d days with invitees who had stopped or slowed down, %s traded again", Things(o.Away, "contact"), worklist.ContactDays, numeral(o.Back))
		if o.Back > 0 {
			words += ", " + medianWords(o.Median) + " later at the median"
		}
		if o.Unknown > 0 {
			words += fmt.Sprintf("; of %s it is not known yet", Count(o.Unknown))
		}
		parts = append(parts, words+".")
	}
	switch {
	case len(o.Since.Coins) > 0 && !o.Since.Total.IsZero():
		parts = append(parts, fmt.Sprintf("After %s came %s.", allContacts(o.Contacts), o.Since.Amount()))
	case len(o.Since.Missing) == 0:
		parts = append(parts, fmt.Sprintf("After %s no commission has come yet.", allContacts(o.Contacts)))
	}
	if len(o.Since.Missing) > 0 {
		parts = append(parts, Unpriced(o.Since.Missing))
	}
	return strings.Join(append(parts, "That is what followed, not what the contacts caused."), " ")
}

func allContacts(n int) string {
	if n == 1 {
		return "the one contact"
	}
	return "all " + Count(n) + " contacts"
}

func numeral(n int) string {
	if n == 0 {
		return "none"
	}
	return Count(n)
}

func medianWords(gap figures.HalfDays) string { return gap.Words() }

// Every says how often an invitee trades, by the usual gap.
func Every(gap figures.HalfDays) string {
	if gap == figures.WholeDays(1) {
		return "every day"
	}
	return "every " + gap.Words()
}
