package mail

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/mail/mailer"
	"rebatedesk/mail/picture"
	"rebatedesk/reports"
	"rebatedesk/reports/drivers"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/findings"
	"rebatedesk/reports/goals"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/subaffiliates"
	"rebatedesk/store"
)

// section adds one part of the message.
func (q *question) section(ctx context.Context, name string, view overview.Report) error {
	switch name {
	case SectionChart:
		return q.chart(ctx, view)
	case SectionSplits:
		for _, ranking := range view.Splits {
			if ranking.By != figures.RankCoins { // these are in the table of coins
				q.add(q.rankingTable(ranking, splitTitles[ranking.By]))
			}
		}
	case SectionInvitees, SectionCodes:
		by := map[string]figures.RankBy{SectionInvitees: figures.RankInvitees, SectionCodes: figures.RankCodes}[name]
		if i := slices.IndexFunc(view.Rankings, func(r figures.Ranking) bool { return r.By == by }); i >= 0 {
			q.add(q.rankingTable(view.Rankings[i], splitTitles[by]))
		}
	case SectionMovers:
		return q.movers(ctx)
	case SectionSubAffiliates:
		return q.subAffiliates(ctx)
	case SectionGoals:
		return q.goals(ctx)
	case SectionPayments:
		return q.payments()
	case SectionBalance:
		return q.balance(ctx)
	case SectionRates:
		return q.rates(ctx)
	case SectionMonths:
		return q.months(ctx)
	case SectionWorklist:
		return q.worklist(ctx)
	case SectionAttention:
		return q.attention(ctx)
	}
	return nil
}

func (q *question) add(t FigureTable) {
	if len(t.Rows) > 0 {
		if t.SoFar = !q.Gate.Closed; t.Positive {
			t.Title += "; shares of the positive amounts"
		}
		q.Tables = append(q.Tables, t)
	}
}

var splitTitles = map[figures.RankBy]string{
	figures.RankProducts: "By product", figures.RankSources: "By source",
	figures.RankInvitees: "Top invitees", figures.RankCodes: "Top invite codes",
}

var splitHeads = map[figures.RankBy]string{
	figures.RankProducts: "Product", figures.RankSources: "Source", figures.RankInvitees: "Invitee", figures.RankCodes: "Invite code",
}

// rankingTable returns the top of a ranking.
func (q *question) rankingTable(r figures.Ranking, title string) FigureTable {
	t := FigureTable{Title: title + ", " + string(r.Coin), Head: []string{splitHeads[r.By], "Commission", "Share", "Change"}}
	for _, l := range r.Lines[:min(topLines, len(r.Lines))] {
		t.Rows = append(t.Rows, []string{q.rankName(r.By, l), l.Commission.Amount.Short(), phrase.Share(l.Share), phrase.ChangeOf(l.Commission.Change, l.Presence, q.Period.Days).String()})
		t.Bars = append(t.Bars, barOf(l.Share))
		t.Positive = t.Positive || l.Share.OfPositive
	}
	if t.Positive {
		list := r.Lines[:min(topLines, len(r.Lines))]
		t.Bars = signedBars(len(list), func(i int) decimal.Decimal { return list[i].Commission.Amount.Value })
	}
	return t
}

// bar is a line below the name of a row, in percent of its room.
type bar struct {
	Before, Length int
	Negative       bool // drawn to the left of where the others begin
}

func (b bar) style() string {
	style := "width:" + strconv.Itoa(b.Length) + "%;height:3px;border-radius:2px;background:"
	if b.Before > 0 {
		style = "margin-left:" + strconv.Itoa(b.Before) + "%;" + style
	}
	if b.Negative {
		return style + "#b42323;"
	}
	return style + "#4658dd;"
}

// barOf returns the bar of a share.
func barOf(share figures.Ratio) bar {
	if !share.Known {
		return bar{}
	}
	percent := decimal.Max(decimal.Min(share.Percent.Ceil(), decimal.NewFromInt(100)), decimal.Zero)
	return bar{Length: int(percent.IntPart())}
}

// signedBars returns the bars of amounts of both signs: negative ones go to the left.
func signedBars(n int, of func(i int) decimal.Decimal) []bar {
	least, most := decimal.Zero, decimal.Zero
	for i := range n {
		least, most = decimal.Min(least, of(i)), decimal.Max(most, of(i))
	}
	percent := func(d decimal.Decimal) int {
		if least.Equal(most) {
			return 0
		}
		return int(d.Shift(2).DivRound(most.Sub(least), 0).IntPart())
	}
	bars := make([]bar, n)
	for i := range bars {
		amount := of(i)
		from, to := percent(decimal.Min(amount, decimal.Zero).Sub(least)), percent(decimal.Max(amount, decimal.Zero).Sub(least))
		bars[i] = bar{Before: from, Length: to - from, Negative: amount.IsNegative()}
	}
	return bars
}

// rankName returns the name of a line of a ranking. Other people chose some of these
// names.
func (q *question) rankName(by figures.RankBy, l figures.RankLine) string {
	switch by {
	case figures.RankProducts:
		return affiliate.Product(l.Name).Label()
	case figures.RankSources:
		return affiliate.Source(l.Name).Label()
	case figures.RankInvitees:
		return q.names.Beside(affiliate.UID(l.Name))
	}
	if name := affiliate.OneLine(l.Name); name != "" {
		return name
	}
	return "code not known"
}

// chart adds commission by day: of the period, or of the two weeks up to a single day.
func (q *question) chart(ctx context.Context, view overview.Report) error {
	if q.Empty {
		return nil
	}
	series := view.Daily
	if q.Period.Every == dispatch.Daily {
		query, err := q.ask(affiliate.Days{First: q.Period.Last - chartDays + 1, Last: q.Period.Last}, "coin", string(view.Coin))
		if err != nil {
			return err
		}
		wider, err := reports.Ask(ctx, q.reports, query, overview.Make)
		if err != nil {
			return err
		}
		series = wider.Daily
	}
	picture, err := picture.Draw(series)
	q.Chart, q.Picture = &series, picture
	return err
}

// movers says what moved the commission, and adds the invitees whose commission changed most.
// If days were missing, every invitee would seem to fall.
func (q *question) movers(ctx context.Context) error {
	if !q.Gate.Closed {
		return nil
	}
	report, err := reports.Ask(ctx, q.reports, q.query, drivers.Make)
	if err != nil {
		return err
	}
	if report.Known() {
		q.Moved = phrase.Drivers(report, q.names)
	}
	for _, order := range []struct{ title, sort string }{{"Movers up", "-change"}, {"Movers down", "change"}} {
		query, err := q.ask(q.Period.Days, "compare", string(q.query.Compare), "sort", order.sort, "per", "5")
		if err != nil {
			return err
		}
		list, err := reports.Ask(ctx, q.reports, query, invitees.MakeList)
		if err != nil {
			return err
		}
		t := FigureTable{Title: order.title + ", " + string(list.Coin), Head: []string{"Invitee", "Commission", "Change", "In percent"}}
		for _, l := range list.Lines {
			by := l.In(list.Coin).Commission.Sub(totalIn(l.Before, list.Coin).Commission)
			known := l.Change.Kind == figures.ChangeUp || l.Change.Kind == figures.ChangeDown
			if !known || by.IsPositive() != (order.sort == "-change") {
				continue
			}
			t.Rows = append(t.Rows, []string{q.names.Beside(l.UID), affiliate.Amount{Value: l.In(list.Coin).Commission, Coin: list.Coin}.Short(),
				phrase.WithSign(by, affiliate.Amount{Value: by, Coin: list.Coin}.Short()), inPercent(l, q.Period.Days)})
		}
		q.add(t)
	}
	return nil
}

// inPercent is the change of an invitee in percent, or what it means that there is none.
func inPercent(l invitees.ListLine, days affiliate.Days) string {
	if words := phrase.ChangeOf(l.Change, l.Presence, days); words == phrase.PresenceIn(l.Presence, days) || l.Change.Relative() {
		return words.String()
	}
	return phrase.Dash
}

func totalIn(totals []figures.Totals, coin affiliate.Coin) figures.Totals {
	if i := slices.IndexFunc(totals, func(t figures.Totals) bool { return t.Coin == coin }); i >= 0 {
		return totals[i]
	}
	return figures.Totals{Coin: coin}
}

// subAffiliates adds the sub-affiliates who were paid most.
func (q *question) subAffiliates(ctx context.Context) error {
	query, err := q.ask(q.Period.Days, "compare", string(q.query.Compare), "sort", "-paid", "per", "5")
	if err != nil {
		return err
	}
	view, err := reports.Ask(ctx, q.reports, query, subaffiliates.Make)
	if err != nil {
		return err
	}
	t := FigureTable{Title: "Sub-affiliates, no unit stated, days in UTC", Head: []string{"Sub-affiliate", "Paid", "Share", "Change"}}
	for _, l := range view.Lines {
		t.Rows = append(t.Rows, []string{q.names.Beside(l.UID), phrase.Number(l.Paid), phrase.Share(l.Share), phrase.Change(l.Change.Change).String()})
		t.Bars = append(t.Bars, barOf(l.Share))
		t.Positive = t.Positive || l.Share.OfPositive
	}
	if t.Positive {
		t.Bars = signedBars(len(view.Lines), func(i int) decimal.Decimal {
			if !view.Lines[i].Paid.Known() {
				return decimal.Zero
			}
			return view.Lines[i].Paid.Decimal()
		})
	}
	if len(t.Rows) > 0 && !view.Coverage.Complete() {
		q.Notes = append(q.Notes, "The figures of sub-affiliates are not collected completely.")
	}
	q.add(t)
	return nil
}

// mostFindings is how many findings a message tells.
const mostFindings = 3

// attention adds the findings that need attention now.
func (q *question) attention(ctx context.Context) error {
	query := q.query
	query.AsOf = time.Time{} // findings are about the present, including running collections
	view, err := q.reports.Attention(ctx, query)
	if err != nil {
		return err
	}
	about := findings.About{Query: query, Zone: query.Zone, Today: view.Days.Last, Names: q.names}
	list := view.Pressing()
	for _, f := range list[:min(mostFindings, len(list))] {
		q.Findings = append(q.Findings, about.Finding(f))
	}
	if q.MoreFindings = len(list) - len(q.Findings); q.MoreFindings > 0 && q.public != "" {
		q.Attention = q.public + "/attention"
	}
	return nil
}

// goals adds how the goals of the month stand in which the period ends. Estimates are about the
// present, so the goals are too.
func (q *question) goals(ctx context.Context) error {
	query, err := q.ask(affiliate.Days{First: q.Period.Last, Last: q.Period.Last})
	if err != nil {
		return err
	}
	query.AsOf = time.Time{}
	view, err := reports.Ask(ctx, q.reports, query, goals.Make)
	if err != nil {
		return err
	}
	q.add(goalTable(view))
	return nil
}

// goalTable has a line for each goal.
func goalTable(view goals.Report) FigureTable {
	t := FigureTable{Title: "Goals for " + view.Days.First.Format("January 2006"), Head: []string{"Goal", "Earned", "How it stands"}}
	estimated := false
	for _, g := range view.Goals {
		earned := phrase.Dash
		if g.State != goals.Ahead {
			earned = g.In(g.Earned).Short() + phrase.GoalShare(g)
		}
		t.Rows = append(t.Rows, []string{phrase.Goal(g.Key), earned, phrase.GoalStands(g)})
		t.Bars = append(t.Bars, barOf(g.Share))
		estimated = estimated || slices.Contains([]goals.State{goals.OnPace, goals.Open, goals.Behind}, g.State)
	}
	if estimated {
		t.Title += "; what is expected is an estimate"
	}
	return t
}

// FigureTable is a small table. Its first column holds words, the others figures.
type FigureTable struct {
	Title string
	Head  []string
	Rows  [][]string
	Bars  []bar // of each row, drawn under its name; empty: no bars
	Spare int   // column that narrow screens omit; 0: none
	SoFar bool  // the figures are provisional: a change of them is neither good nor bad
	// Positive says that shares are of the positive rows only: negative ones have none.
	Positive bool
}

// width returns the width of a column: the same in all tables of four columns, so that
// they are aligned. Other columns are as wide as their figures, and have none.
func (t FigureTable) width(column int) templ.Attributes {
	if len(t.Head) != 4 {
		return nil
	}
	return templ.Attributes{"width": strconv.Itoa([]int{34, 26, 18, 22}[column]) + "%"}
}

// tone returns the tone of a cell that holds a change.
func (t FigureTable) tone(cell string) string {
	switch {
	case t.SoFar:
		return ""
	case strings.HasPrefix(cell, "▲"):
		return "up"
	case strings.HasPrefix(cell, "▼"):
		return "down"
	}
	return ""
}

// colour returns the style of that tone in light mode.
func (t FigureTable) colour(cell string) string {
	return map[string]string{"up": "color:#12703a;", "down": "color:#b42323;"}[t.tone(cell)]
}

// The optional sections of a summary, in addition to its cards.
const (
	SectionChart         = "chart"
	SectionSplits        = "splits"
	SectionInvitees      = "invitees"
	SectionCodes         = "codes"
	SectionMovers        = "movers"
	SectionSubAffiliates = "sub-affiliates"
	SectionPayments      = "payments"
	SectionBalance       = "balance"
	SectionGoals         = "goals"
	SectionRates         = "rates"
	SectionMonths        = "months" // changes of closed months, in monthly summaries
	SectionWorklist      = "worklist"
	SectionAttention     = "attention"

	// SectionNone alone selects a message with only its cards.
	SectionNone = "none"
)

// shortly returns a finding in one or two sentences: a message has little room, and its link leads to the rest.
func shortly(f findings.Statement) string {
	words := affiliate.OneLine(f.Title)
	if first, _, more := strings.Cut(affiliate.OneLine(phrase.Plain(f.Text)), ". "); more {
		return words + ". " + first + "."
	}
	return f.String()
}

// Sections lists them in the order of the message.
func Sections() []string {
	return []string{SectionAttention, SectionChart, SectionPayments, SectionBalance, SectionGoals, SectionInvitees, SectionWorklist, SectionSplits, SectionCodes, SectionMovers, SectionSubAffiliates, SectionRates, SectionMonths}
}

// DefaultSections are those of a summary whose sections nobody has chosen, besides the table of coins.
func DefaultSections() []string {
	return []string{SectionAttention, SectionChart, SectionPayments, SectionWorklist}
}

// checkSections refuses unknown sections. An empty list means [DefaultSections].
func checkSections(sections []string) error {
	if slices.Equal(sections, []string{SectionNone}) {
		return nil
	}
	for _, name := range sections {
		if !slices.Contains(Sections(), name) {
			return &store.RuleError{Problem: fmt.Sprintf("There is no section %q; the sections are %s, or %s alone for the cards only.", mailer.Cut(name, 40), strings.Join(Sections(), ", "), SectionNone), Field: "sections"}
		}
	}
	return nil
}

// tells reports whether a summary has a section.
func (s Schedule) tells(section string) bool {
	some := s.Segment != "" || s.AsUser != "" // of the invitees
	switch {
	case s.AsUser != "" && (section == SectionGoals || section == SectionRates):
		return false // they are a matter of the whole programme
	case section == SectionSubAffiliates && (s.Coin != "" || s.Code != "" || some):
		return false // their records know no coin and no invite code
	case section == SectionMonths && (dispatch.Every(s.Every) != dispatch.Monthly || some):
		return false
	case section == SectionWorklist && s.Product != "":
		return false // an invitee is worth a call whatever it trades
	case section == SectionGoals && s.Product != "":
		return false // goals are about all products
	case (section == SectionPayments || section == SectionBalance) && !s.paid():
		return false
	case len(s.Sections) == 0:
		return slices.Contains(DefaultSections(), section)
	}
	return slices.Contains(s.Sections, section)
}

// paid reports whether payments can be told of what the summary is about: the exchange pays all products
// and invitees in one sum.
func (s Schedule) paid() bool {
	return s.Product == "" && s.Code == "" && s.Segment == "" && s.AsUser == ""
}
