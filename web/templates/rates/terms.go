package rates

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"rebatedesk/affiliate"
	"rebatedesk/reports/agreed"
	"rebatedesk/reports/phrase"
	"rebatedesk/tabular"
	"rebatedesk/terms"
	"rebatedesk/web/templates/ui"
)

// TermsView is the page of the agreed rates.
type TermsView struct {
	agreed.Report
	Links ui.Links
	Token string // empty: the reader may not change them
	Done  string // what was just done
}

// TermsPreview is what an uploaded file would change, or what is wrong with it.
type TermsPreview struct {
	terms.Merging
	Name, Text string // of the file
	Repeats    int
	Seen       affiliate.Millis // the terms it was compared with
	Mistakes   tabular.Mistakes
	Problem    string
	Token      string
}

// Most lines that the page shows; the file has all.
const (
	mostSeries  = 200
	mostChanges = 100
)

// lead answers the question of the page in a few sentences.
func (v TermsView) lead() string {
	if len(v.Series) == 0 {
		return "No agreed rates are stored. Nothing that was paid can be compared with an agreement."
	}
	var parts []string
	if rate := v.General.Rate; rate.Known() {
		parts = append(parts, fmt.Sprintf("The general rate is %s of the fee.", phrase.AgreedRate(rate)))
	} else {
		parts = append(parts, "No single rate holds for everyone.")
	}
	holds := phrase.Things(v.Counts[agreed.TermHolds], "agreed rate") + map[bool]string{true: " holds", false: " hold"}[v.Counts[agreed.TermHolds] == 1] + " on " + dayOf(v.Today)
	if n := v.Counts[agreed.TermLater]; n > 0 {
		holds += fmt.Sprintf(", %s later", countVerb(n, "begins", "begin"))
	}
	if n := v.Counts[agreed.TermEnded]; n > 0 {
		holds += fmt.Sprintf(", %s ended", countVerb(n, "has", "have"))
	}
	return strings.Join(append(parts, holds+"."), " ")
}

func countVerb(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return phrase.Count(n) + " " + several
}

func dayOf(day affiliate.Day) string { return day.Format("2 Jan 2006") }

// daysOf says on which days a term holds.
func daysOf(s terms.Spell) string {
	switch s.Last {
	case 0:
		return "from " + dayOf(s.From)
	case s.From:
		return "on " + dayOf(s.From)
	}
	return dayOf(s.From) + " – " + dayOf(s.Last)
}

// endedWords says why a term ends before its own last day.
func endedWords(s terms.Spell) string {
	if s.EndedBy == nil {
		return ""
	}
	words := "ended by " + s.EndedBy.Where()
	if s.Shortened() {
		words += ", stated until " + dayOf(s.To)
	}
	return words
}

// tierWords says from which figure of the month on a tier applies.
func tierWords(k terms.Key) string {
	switch k.TierBy {
	case terms.TierByVolume:
		return "from volume " + affiliate.Grouped(string(k.TierFrom)) + " a month"
	case terms.TierByActiveTraders:
		return "from " + affiliate.Grouped(string(k.TierFrom)) + " active traders a month"
	}
	return ""
}

// keyWords is all of it in one line.
func keyWords(k terms.Key) string {
	parts := []string{strings.TrimSpace(phrase.TermScope(k) + " " + affiliate.Visible(k.Value))}
	for _, part := range []string{phrase.TermNarrowed(k), tierWords(k)} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}

// termWords says what was agreed, for lists of changes.
func termWords(t terms.Term) string {
	words := keyWords(t.Key()) + ": " + phrase.AgreedRate(t.Rate)
	if t.Coin != "" {
		words += " in " + string(t.Coin)
	}
	return words + ", " + statedDays(t)
}

// statedDays says on which days a term holds by its own words.
func statedDays(t terms.Term) string {
	if t.To == 0 {
		return "from " + dayOf(t.From) + " until further notice"
	}
	return dayOf(t.From) + " – " + dayOf(t.To)
}

// address returns the page that a key is about, "" if there is none.
func (v TermsView) address(k terms.Key) string {
	switch {
	case k.Value == "":
		return ""
	case k.Scope == terms.ScopeCode:
		return v.Links.Coded(k.Value)
	case k.Scope == terms.ScopeUID:
		return v.Links.Invitee(k.Value)
	}
	return v.Links.SubAffiliate(affiliate.UID(k.Value))
}

// isURL reports whether a reference can be followed.
func isURL(reference string) bool {
	u, err := url.Parse(reference)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
}

var stateLabels = map[agreed.TermState]struct{ label, class string }{
	agreed.TermHolds: {"holds", "text-success"},
	agreed.TermLater: {"later", "text-link"},
	agreed.TermEnded: {"ended", "text-muted"},
}

// shownSeries are the series that the page shows.
func (v TermsView) shownSeries() []terms.Series { return v.Series[:min(len(v.Series), mostSeries)] }

func (v TermsView) shownChanges() []agreed.TermChange {
	return v.Changes[:min(len(v.Changes), mostChanges)]
}

// hiddenWords says how many lines a list leaves out; "" if it shows all.
func hiddenWords(all, most int, one string) string {
	if all <= most {
		return ""
	}
	return phrase.Things(all-most, one) + " more: the file has all."
}

// bar is a spell on the timeline, in percent of its width.
type bar struct {
	x, width, middle string
	label            string // empty: no room for it
	title            string
	class            string
}

// axis is the range of days that a timeline shows.
type axis struct{ affiliate.Days }

// timeAxis covers all days on which a rate begins or ends, and a while after today.
func (v TermsView) timeAxis() axis {
	a := axis{affiliate.Days{First: v.Today - 90, Last: v.Today + 60}}
	for _, s := range v.shownSeries() {
		for _, spell := range s.Spells {
			a.First = min(a.First, spell.From)
			a.Last = max(a.Last, spell.From+60, spell.Last+30)
		}
	}
	// A slip such as the year 2062 would squeeze everything else.
	a.First, a.Last = max(a.First, v.Today-5*366), min(a.Last, v.Today+2*366)
	year, month, _ := a.First.Date()
	a.First = affiliate.NewDay(year, month, 1)
	return a
}

// percent places the beginning of a day on the axis, in hundredths of a percent.
func (a axis) at(day affiliate.Day) int {
	day = max(a.First, min(day, a.Last+1))
	return int(day-a.First) * 10_000 / a.Len()
}

func hundredths(n int) string { return fmt.Sprintf("%d.%02d%%", n/100, n%100) }

// bars draws the spells of a series.
func (v TermsView) bars(a axis, s terms.Series) (bars []bar) {
	for i, spell := range s.Spells {
		end := a.Last + 1
		if spell.Last != 0 {
			end = spell.Last + 1
		}
		from, to := a.at(spell.From), a.at(end)
		if from == to {
			continue // outside
		}
		b := bar{x: hundredths(from), width: hundredths(max(to-from-10, 10)), middle: hundredths((from + to) / 2), title: phrase.AgreedRate(spell.Rate) + ", " + daysOf(spell), class: "fill-primary/55"}
		if i%2 == 1 {
			b.class = "fill-primary/30"
		}
		if label := phrase.AgreedRate(spell.Rate); to-from >= 130*len([]rune(label)) {
			b.label = label
		}
		bars = append(bars, b)
	}
	return bars
}

// barsLabel describes the bars to those who do not see them.
func barsLabel(s terms.Series) string {
	var parts []string
	for _, spell := range s.Spells {
		parts = append(parts, phrase.AgreedRate(spell.Rate)+" "+daysOf(spell))
	}
	return keyWords(s.Key) + ": " + strings.Join(parts, "; ")
}

// tick is a mark on the axis.
type tick struct{ x, label string }

// ticks marks the beginnings of months, quarters or years: at most five, for which a phone has room.
func (a axis) ticks() (ticks []tick) {
	year, month, _ := a.First.Date()
	for _, step := range []int{1, 2, 3, 6, 12, 24} {
		ticks = nil
		for i := 0; ; i++ {
			day := affiliate.NewDay(year, month+time.Month(i), 1)
			if day > a.Last {
				break
			}
			if _, m, _ := day.Date(); (int(m)-1)%min(step, 12) != 0 || step == 24 && i%24 != 0 {
				continue
			}
			// A label at the right edge would be cut off.
			if x := a.at(day); x < 9_300 {
				ticks = append(ticks, tick{hundredths(x), day.Format("Jan 2006")})
			}
		}
		if len(ticks) <= 5 {
			break
		}
	}
	return ticks
}

// today is the place of today's beginning.
func (v TermsView) todayAt(a axis) string { return hundredths(a.at(v.Today)) }

func idOf(t terms.Term) string { return strconv.FormatInt(t.ID, 10) }

// removable says whether a term can be removed on the page.
func (v TermsView) removable() bool { return v.Token != "" }

var changeLabels = map[agreed.TermChangeKind]string{agreed.TermAdded: "Added", agreed.TermReplaced: "Changed", agreed.TermRemoved: "Removed"}

// changeWords says what changed.
func changeWords(c agreed.TermChange) string {
	words := termWords(c.Term)
	if c.Kind == agreed.TermReplaced {
		var was []string
		if c.Before.To != c.Term.To {
			was = append(was, statedDays(c.Before))
		}
		switch {
		case c.Before.Coin == c.Term.Coin:
		case c.Before.Coin == "":
			was = append(was, "no coin")
		default:
			was = append(was, "in "+string(c.Before.Coin))
		}
		if c.Before.Note != c.Term.Note {
			was = append(was, "note "+strconv.Quote(affiliate.VisibleLines(c.Before.Note)))
		}
		if c.Before.Reference != c.Term.Reference {
			was = append(was, "reference "+strconv.Quote(affiliate.Visible(c.Before.Reference)))
		}
		words += "; before: " + strings.Join(was, ", ")
	}
	return words
}

// columnName is the place of a mistake in its line.
func columnName(m tabular.Mistake) string {
	if m.Column == 0 {
		return ""
	}
	return strings.TrimSpace(strconv.Itoa(m.Column) + " " + m.Name)
}

// mostPasted is how long a text is that the page offers to correct in place.
const mostPasted = 50_000

// editable is the text that can be corrected in place; empty: the file is too long for that.
func (p TermsPreview) editable() string {
	if len(p.Text) > mostPasted {
		return ""
	}
	return p.Text
}

// title says what the preview is about.
func (p TermsPreview) title() string {
	if p.Name == "" {
		return "Import terms"
	}
	return "Import " + p.Name
}

// summary says what the file would change.
func (p TermsPreview) summary() string {
	if !p.Any() {
		return "The file says what is stored already: an import would change nothing."
	}
	var does []string
	for _, part := range []struct {
		n    int
		verb string
	}{{len(p.Added), "add"}, {len(p.Changed), "change"}, {len(p.Ended), "end"}} {
		if part.n > 0 {
			does = append(does, part.verb+" "+phrase.Things(part.n, "term"))
		}
	}
	words := "The import would " + phrase.Listed(does)
	if len(p.Ended) > 0 {
		words += " earlier than now"
	}
	if n := len(p.Unchanged); n > 0 {
		words += "; " + phrase.Things(n, "term") + map[bool]string{true: " stays as it is", false: " stay as they are"}[n == 1]
	}
	return words + ". Nothing is stored yet."
}

// lines are what the preview lists, in order.
type previewLine struct{ Kind, Where, Words, Detail string }

func (p TermsPreview) lines() (lines []previewLine) {
	for _, t := range p.Added {
		lines = append(lines, previewLine{"Added", t.Where(), termWords(t), t.Note})
	}
	for _, c := range p.Changed {
		lines = append(lines, previewLine{"Changed", c.After.Where(), changeWords(agreed.TermChange{Kind: agreed.TermReplaced, Term: c.After, Before: c.Before}), ""})
	}
	for _, s := range p.Ended {
		lines = append(lines, previewLine{"Ended", s.Where(), termWords(s.Term), "last day now " + dayOf(s.Last) + ", by " + s.EndedBy.Where()})
	}
	for _, t := range p.Unchanged {
		lines = append(lines, previewLine{"Unchanged", t.Where(), termWords(t), ""})
	}
	return slices.Clip(lines)
}

func (p TermsPreview) shownLines() []previewLine {
	lines := p.lines()
	return lines[:min(len(lines), mostSeries)]
}

func (p TermsPreview) shownMistakes() tabular.Mistakes {
	return p.Mistakes[:min(len(p.Mistakes), mostChanges)]
}

func (p TermsPreview) shownRemarks() []string { return p.Remarks[:min(len(p.Remarks), mostChanges)] }

// shownSpells are the terms that the page shows.
func (v TermsView) shownSpells() (list []terms.Spell) {
	for _, s := range v.shownSeries() {
		list = append(list, s.Spells...)
	}
	return list
}

func termColumns(v TermsView) []ui.Column[terms.Spell] {
	type term = terms.Spell
	return []ui.Column[term]{
		ui.TextColumn("Number", func(s term) string { return idOf(s.Term) }, ui.Classed("tabular-nums")),
		ui.CellColumn("About", func(s term) templ.Component { return about(v, s.Key()) }, ui.Names("text-base-content min-w-36 text-xs font-normal whitespace-normal")),
		ui.TextColumn("Rate", func(s term) string { return phrase.AgreedRate(s.Rate) }, ui.Nums, ui.Classed("font-medium")),
		ui.ForeignColumn("Coin", func(s term) affiliate.Coin { return s.Coin }, ui.Hinted("In which a share of a sub-affiliate is settled"), ui.If(slices.ContainsFunc(v.shownSpells(), func(s term) bool { return s.Coin != "" }))),
		ui.CellColumn("Days", termDays),
		ui.CellColumn("State", func(s term) templ.Component {
			state := stateLabels[v.StateOf(s)]
			return ui.Span("text-xs font-medium "+state.class, "", state.label)
		}),
		ui.CellColumn("Note", func(s term) templ.Component { return ui.ForeignStyled("whitespace-pre-wrap", s.Note) }, ui.Classed("max-w-72 min-w-32 whitespace-normal wrap-anywhere")),
		ui.CellColumn("Reference", func(s term) templ.Component { return reference(s.Reference) }, ui.Classed("max-w-60 whitespace-normal wrap-anywhere")),
		ui.CellColumn("Remove", func(s term) templ.Component { return removeTerm(v, s) }, ui.Silent, ui.Styled("no-print"), ui.Classed("text-right"), ui.If(v.removable())),
	}
}

func termChangeColumns(v TermsView) []ui.Column[agreed.TermChange] {
	return []ui.Column[agreed.TermChange]{
		ui.TextColumn("When", func(c agreed.TermChange) string { return phrase.Clock(c.At.Time(), v.Query.Zone) }, ui.Classed("whitespace-nowrap")),
		ui.ForeignColumn("Who", func(c agreed.TermChange) string { return c.Actor }),
		ui.TextColumn("Change", func(c agreed.TermChange) string { return changeLabels[c.Kind] }),
		ui.TextColumn("Number", func(c agreed.TermChange) string { return idOf(c.Term) }, ui.Classed("tabular-nums")),
		ui.ForeignColumn("Term", func(c agreed.TermChange) string { return changeWords(c) }, ui.Classed("min-w-72 whitespace-normal wrap-anywhere")),
	}
}

func mistakeColumns() []ui.Column[tabular.Mistake] {
	return []ui.Column[tabular.Mistake]{
		ui.CellColumn("Line", func(m tabular.Mistake) templ.Component {
			if m.Line > 0 {
				return ui.Text(ui.Itoa(m.Line))
			}
			return nil
		}, ui.Nums),
		ui.ForeignColumn("Column", func(m tabular.Mistake) string { return columnName(m) }),
		ui.ForeignColumn("What is wrong", func(m tabular.Mistake) string { return m.Text }, ui.Classed("min-w-64 whitespace-normal wrap-anywhere")),
	}
}

func termLineColumns() []ui.Column[previewLine] {
	return []ui.Column[previewLine]{
		ui.TextColumn("Change", func(line previewLine) string { return line.Kind }),
		ui.TextColumn("Where", func(line previewLine) string { return line.Where }, ui.Classed("whitespace-nowrap")),
		ui.CellColumn("Term", func(line previewLine) templ.Component { return termLineTerm(line) }, ui.Classed("min-w-64 whitespace-normal wrap-anywhere")),
	}
}
