// Package worklist has the page of the worklist.
package worklist

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/people"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/worklist"
	acts "rebatedesk/store/worklist"
	"rebatedesk/web/templates/ui"
)

// WorklistView is one page of the worklist.
type WorklistView struct {
	Report   worklist.Report
	Links    ui.Links
	Token    string // of the forms; empty: the reader may not act
	Reader   string // who looks at the page
	Refused  RefusedWork
	Contacts map[affiliate.UID]people.Contact // of those on the page whose contact is known and may be seen
	Latest   acts.Act                         // what the reader did last; without an ID there is nothing to undo
}

// RefusedWork is a form that was refused, with its entries and what is wrong; without a problem there
// is none.
type RefusedWork struct {
	Account                     affiliate.Account
	UID                         affiliate.UID
	Act, Note, Day, Next, Owner string
	Problem                     string
}

// of returns the refused form if it is about a line.
func (r RefusedWork) of(l *worklist.Line) RefusedWork {
	if r.Problem == "" || r.UID != l.UID || r.Account != l.Account {
		return RefusedWork{}
	}
	return r
}

// lostNote is the note of a refused form whose line is not on the page.
func (v WorklistView) lostNote() string {
	if slices.ContainsFunc(v.Report.Lines, func(l *worklist.Line) bool { return v.Refused.of(l).Problem != "" }) {
		return ""
	}
	return v.Refused.Note
}

func (v WorklistView) zone() *time.Location { return ui.ZoneOf(v.Links.Query) }

// today lists the people of the day on the page, which come first.
func (v WorklistView) today() []*worklist.Line {
	n := 0
	for n < len(v.Report.Lines) && v.Report.Lines[n].Today {
		n++
	}
	return v.Report.Lines[:n]
}

// title names the list.
func (v WorklistView) title() string {
	if len(v.today()) > 0 {
		return "Today"
	}
	return "Whom to call"
}

// columns returns how many columns the table has; the forms of a line take all of them.
func (v WorklistView) columns() string {
	if v.Report.Limit > 0 {
		return "6"
	}
	return "5"
}

// several reports whether lines name their account.
func (v WorklistView) several() bool { return len(v.Report.Options.Accounts) > 1 }

// day is the day of the report.
func (v WorklistView) day() affiliate.Day {
	if v.Links.Query.Past() {
		return affiliate.DayOf(v.Links.Query.AsOf, v.zone())
	}
	return v.Links.Query.Today
}

func (v WorklistView) invitee(l *worklist.Line) string {
	return v.Links.InviteeOf(ui.AccountOf(l.Account, v.several()), l.UID)
}

func workAddress(uid affiliate.UID) string {
	return ui.WorklistPath + "/" + url.PathEscape(string(uid))
}

func undoAddress(a acts.Act) string {
	return workAddress(a.UID) + "/undo/" + strconv.FormatInt(a.ID, 10)
}

// coinsAtRisk are the exact sum and the amounts that it converts.
func coinsAtRisk(l *worklist.Line) string {
	words := l.Worth.Total.String()
	if len(l.AtRisk) == 1 && l.AtRisk[0].Coin == "USDT" {
		return words
	}
	var parts []string
	for _, amount := range l.AtRisk {
		parts = append(parts, amount.Exact()+" "+string(amount.Coin))
	}
	return words + " USDT, of " + strings.Join(parts, ", ")
}

// idOf returns the id of an element of a line.
func idOf(part string, l *worklist.Line) string {
	return part + "-" + string(l.Account) + "-" + string(l.UID)
}

// selects are the filters of the page that other pages do not have.
func (v WorklistView) selects() []ui.Select {
	q := v.Links.Query
	var reasons, states []ui.Pair
	for _, name := range worklist.ReasonNames() {
		label := phrase.WorkReason(name)
		if n := v.Report.Reasons[name]; n > 0 {
			label += " (" + phrase.Count(n) + ")"
		}
		reasons = append(reasons, ui.Pair{Name: string(name), Value: label})
	}
	for _, state := range invitees.States() {
		states = append(states, ui.Pair{Name: string(state), Value: ui.StateLabel(string(state))})
	}
	list := []ui.Select{
		{Name: "reason", Label: "Reason", All: "All reasons", Chosen: q.Own("reason"), Options: reasons},
		{Name: "state", Label: "State", All: "All states", Chosen: q.State, Options: states},
	}
	var owners []ui.Pair
	if v.Reader != "" {
		owners = append(owners, ui.Pair{Name: v.Reader, Value: "Mine"})
	}
	owners = append(owners, ui.Pair{Name: worklist.NobodysOwner, Value: "Nobody’s"})
	for _, name := range v.Report.Owners {
		if !strings.EqualFold(name, v.Reader) {
			owners = append(owners, ui.Pair{Name: name, Value: name})
		}
	}
	return append(list, ui.Select{Name: "owner", Label: "Owner", All: "All owners", Chosen: q.Own("owner"), Options: owners})
}

func (v WorklistView) tags() (pairs []ui.Pair) {
	for _, tag := range v.Report.Tags {
		pairs = append(pairs, ui.Pair{Name: tag.Tag, Value: tag.Tag})
	}
	return pairs
}

// shows are the parts of the list to choose from.
func (v WorklistView) shows() []ui.Pair {
	return []ui.Pair{
		{Name: worklist.ShowOpen, Value: "Today " + phrase.Count(v.Report.Open.Today)},
		{Name: worklist.ShowSnoozed, Value: "Snoozed " + phrase.Count(v.Report.Snoozed)},
		{Name: worklist.ShowDone, Value: "Done " + phrase.Count(v.Report.Done)},
		{Name: worklist.ShowAll, Value: "All"},
	}
}

func (v WorklistView) showing(show string) string {
	return v.Links.With(func(q *query.Query) { q.SetOwn("show", show) })
}

// standing says how many lines wait, or were done.
func (v WorklistView) standing() string {
	var parts []string
	if v.Report.Snoozed > 0 {
		parts = append(parts, phrase.Count(v.Report.Snoozed)+" snoozed")
	}
	if v.Report.Done > 0 {
		parts = append(parts, phrase.Count(v.Report.Done)+" done")
	}
	return phrase.Capital(strings.Join(parts, " and "))
}

// worthWords is what is at risk with a line, converted.
func worthWords(l *worklist.Line) string { return l.Worth.Amount().Short() }

// reasonTone colours a reason.
func reasonTone(r worklist.CallReason) string {
	switch {
	case r.Done:
		return "text-muted border-line"
	case r.Name == worklist.ReasonTie, r.Name == worklist.ReasonSilent:
		return "text-error border-error/40"
	case r.Name == worklist.ReasonSlowing, r.Name == worklist.ReasonLevel, r.Name == worklist.ReasonRate:
		return "text-warning border-warning/40"
	}
	return "text-primary border-primary/40"
}

// dayWords says how long ago a day was.
func (v WorklistView) dayWords(l *worklist.Line) string {
	switch {
	case l.LastTradeDay == 0:
		return "never"
	case l.SilentDays == 0:
		return "today"
	}
	return phrase.Things(l.SilentDays, "day") + " ago"
}

// lastTrade says when the invitee traded last, unless a reason says it.
func (v WorklistView) lastTrade(l *worklist.Line) string {
	if told(l, worklist.ReasonSilent, worklist.ReasonSlowing, worklist.ReasonNoTrade) {
		return ""
	}
	return "Last trade " + v.dayWords(l)
}

// tie says when the tie ends, unless a reason says it.
func (v WorklistView) tie(l *worklist.Line) string {
	if !l.Tied || told(l, worklist.ReasonTie) {
		return ""
	}
	return phrase.Capital(phrase.TieWords(l))
}

// told reports whether a line has one of the reasons.
func told(l *worklist.Line, names ...worklist.ReasonName) bool {
	return slices.ContainsFunc(l.Reasons, func(r worklist.CallReason) bool { return slices.Contains(names, r.Name) })
}

// ahead returns a day some days from today.
func (v WorklistView) ahead(days int) string { return (v.day() + affiliate.Day(days)).String() }

// filesNote describes the files of the page.
const filesNote = "All lines of the query, with a row for each coin that is at risk, digit by digit."

// nothing says why a list without filters is empty.
func (v WorklistView) nothing() string {
	if v.Report.Snoozed+v.Report.Done > 0 {
		return v.standing() + "."
	}
	return "Nobody fell silent, slows down, brings less, dropped to a lower rate, or waits for a first trade."
}

// day prints a day.
func day(d affiliate.Day) string { return phrase.Days(affiliate.Days{First: d, Last: d}) }
