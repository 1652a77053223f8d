package mail

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/store"
)

// Summary is what one message says: finished words and figures, which the text
// part and the HTML part print alike. Every figure comes from package reports,
// all from one state of the store.
type Summary struct {
	Period   Period
	Query    reports.Query // what was asked, as of one state of the store
	Kind     store.SummaryKind
	Subject  string
	Title    string
	Lead     string // the figures in a line, which mail programs show in their lists
	Complete string // how completely the period is known, and when that was
	Missing  []string
	Notes    []string
	Cards    []Card
	Chart    *reports.DailySeries
	Tables   []Table
	Findings []Finding
	Link     string // to the same range in the application; empty: its address is not known
	Reason   string // why one gets the message
	Picture  []byte // PNG of Chart

	Totals []store.SummaryTotal
	Gate   Gate
	Empty  bool // there is no commission record
}

// Card is one figure with its change against the period before.
type Card struct{ Label, Value, Exact, Change, Tone string }

// Table is a small table. Its first column is words, the others are figures.
type Table struct {
	Title string
	Head  []string
	Rows  [][]string
}

// Finding is one thing that needs attention.
type Finding struct{ Word, Text string }

// topLines is how many lines the rankings of a message have.
const topLines = 5

// chartDays is how many days the chart of a daily summary shows.
const chartDays = 14

// author makes summaries.
type author struct {
	store   *store.Store
	reports *reports.Service
	public  string // address of the application, without a slash at its end
}

// question is a summary in the making.
type question struct {
	*author
	about Schedule
	Summary
	query reports.Query
	basis reports.Basis
}

// summary answers what a schedule asks about a period.
func (a *author) summary(ctx context.Context, about Schedule, p Period) (Summary, error) {
	q := &question{author: a, about: about, Summary: Summary{Period: p}}
	if err := q.open(ctx); err != nil {
		return q.Summary, err
	}
	view, err := a.reports.Overview(ctx, q.query)
	if err != nil {
		return q.Summary, err
	}
	q.Gate = gateOf(view.Coverage, p.Range(q.query.Zone).To, q.query.Zone)
	q.figures(view)
	for _, section := range Sections() {
		if len(about.Sections) > 0 && !slices.Contains(about.Sections, section) {
			continue
		}
		if err := q.section(ctx, section, view); err != nil {
			return q.Summary, fmt.Errorf("section %s: %w", section, err)
		}
	}
	return q.Summary, nil
}

// open makes the query of the period, as of now: all that is asked with it is of
// one state, whatever is collected meanwhile. Every later write has a later
// stamp than the newest one, and than the millisecond that is over.
func (q *question) open(ctx context.Context) (err error) {
	if q.basis, err = q.reports.Basis(ctx); err != nil {
		return err
	}
	q.basis.By, q.basis.Sorts = reports.Splits(), slices.Concat(reports.InviteeSorts, reports.SubAffiliateSorts)
	r, err := q.store.Read(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	stamp, err := r.LastWrite(ctx)
	if err != nil {
		return err
	}
	q.query, err = q.ask(q.Period.Days, "compare", string(reports.ComparePrevious))
	q.query.AsOf = max(stamp, affiliate.MillisOf(q.basis.Now)-1).Time()
	q.Query = q.query
	return err
}

// ask reads a question of the schedule as a page reads it.
func (q *question) ask(days affiliate.Days, more ...string) (reports.Query, error) {
	values := url.Values{"from": {days.First.String()}, "to": {days.Last.String()}}
	for i := 0; i+1 < len(more); i += 2 {
		values.Set(more[i], more[i+1])
	}
	for name, value := range map[string]string{"account": string(q.about.Account), "product": string(q.about.Product), "coin": string(q.about.Coin), "code": q.about.Code} {
		if value != "" {
			values.Set(name, value)
		}
	}
	query, err := reports.ParseQuery(values, q.basis)
	query.AsOf = q.query.AsOf
	return query, err
}

// figures are what every summary says.
func (q *question) figures(view reports.Overview) {
	zone := q.query.Zone
	q.Empty = view.Empty != ""
	q.Title = "Affiliate report – " + q.Period.Label(zone)
	q.Subject = q.Title
	if name := plain(string(q.about.Account)); name != "" {
		q.Subject += " – " + name
	}
	q.Complete, q.Missing = q.Gate.Words, q.Gate.Missing
	q.Cards = cardsOf(view)
	q.Lead = leadOf(view)
	for _, c := range view.Cards {
		q.Totals = append(q.Totals, store.SummaryTotal{Coin: c.Coin, Commission: affiliate.Number(c.Commission.Amount.Value.String())})
	}
	if filter := filterWords(q.about); filter != "" {
		q.Notes = append(q.Notes, "Only "+filter+".")
	}
	q.Notes = append(q.Notes, "Changes are against "+reports.Words(before(q.Period.Days), zone)+".")
	if len(view.Cards) > 0 {
		q.Tables = append(q.Tables, coinTable(view))
	}
	q.Link = q.linkTo(q.query)
}

// before are the days that figures are compared with: as many, right before.
func before(days affiliate.Days) affiliate.Days {
	n := affiliate.Day(days.Len())
	return affiliate.Days{First: days.First - n, Last: days.First - 1}
}

// linkTo is the address of the overview with a question, of the present state.
func (q *question) linkTo(query reports.Query) string {
	if q.public == "" {
		return ""
	}
	query.AsOf, query.By = time.Time{}, ""
	return q.public + "/?" + query.Values().Encode()
}

func cardsOf(view reports.Overview) []Card {
	cards := []Card{{Label: "Commission", Value: "0"}, {Label: "Net fees", Value: "0"}}
	if view.Empty != "" && view.Empty != reports.EmptyTruly && view.Empty != reports.EmptyFiltered {
		cards[0].Value, cards[1].Value = dash, dash
	}
	if len(view.Cards) > 0 {
		main := view.Cards[0]
		cards[0], cards[1] = amountCard("Commission", main.Commission), amountCard("Net fees", main.Fee)
	}
	return append(cards, countCard("New invitees", view.Invitees.Registered), countCard("Active traders", view.Invitees.ActiveTraders))
}

func amountCard(label string, f reports.Figure) Card {
	words, tone := changeWords(f.Change)
	return Card{label, f.Amount.String(), f.Amount.Exact(), words, tone}
}

func countCard(label string, c reports.Count) Card {
	if !c.Known {
		return Card{Label: label, Value: dash, Exact: c.Reason}
	}
	words, tone := changeWords(c.Change)
	card := Card{Label: label, Value: countWords(c.N), Change: words, Tone: tone}
	if c.AtLeast {
		card.Value, card.Exact = "≥ "+card.Value, c.Reason
	}
	return card
}

// leadOf is the line that mail programs show beside the subject.
func leadOf(view reports.Overview) string {
	var parts []string
	for i, c := range view.Cards {
		if i == 3 {
			break
		}
		words, _ := changeWords(c.Commission.Change)
		parts = append(parts, strings.TrimSpace(c.Commission.Amount.String()+" "+words))
	}
	if len(parts) == 0 {
		parts = append(parts, emptyWords(view.Empty))
	}
	if n := view.Invitees.Registered; n.Known {
		parts = append(parts, things(n.N, "new invitee"))
	}
	if n := view.Invitees.ActiveTraders; n.Known {
		parts = append(parts, things(n.N, "active trader"))
	}
	return strings.Join(parts, " · ")
}

// coinTable has the exact sums of each coin, as they stand in the export.
func coinTable(view reports.Overview) Table {
	t := Table{Title: "By coin, exact", Head: []string{"Coin", "Commission", "Change", "Net fees", "Records"}}
	for _, c := range view.Cards {
		words, _ := changeWords(c.Commission.Change)
		t.Rows = append(t.Rows, []string{string(c.Coin), c.Commission.Amount.Value.String(), words, c.Fee.Amount.Value.String(), countWords(c.Records)})
	}
	return t
}
