package mail

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/mail/picture"
	"rebatedesk/people"
	"rebatedesk/reports"
	"rebatedesk/reports/drivers"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/findings"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/reports/subaffiliates"
	"rebatedesk/store"
	"rebatedesk/store/outbox"
	"rebatedesk/store/sums"
)

// Summary is the content of one message: finished words and figures, which the text
// part and the HTML part both print. Every figure comes from package reports, all from
// one state of the store.
type Summary struct {
	Period   dispatch.Period
	Query    query.Query // the query, as of one state of the store
	Kind     outbox.SummaryKind
	Subject  string
	Title    string
	Over     string // above the heading: the kind of message, and the account
	Heading  string // the period
	Lead     string // the figures in a line, which mail programs show in their lists
	Complete string // how completely the period is known, and as of when
	Missing  []string
	Notes    []string
	Corrects []string // of a correction: the sent and the current figures
	CaughtUp bool     // the period was skipped as too small, and has grown since
	Cards    []Card
	Said     string // what was earned, how that compares and why, and what of it is not paid; may be empty
	Moved    string // what moved the commission, in a sentence; empty if it is not told
	Chart    *figures.DailySeries
	Tables   []FigureTable
	Findings []findings.Statement

	MoreFindings int    // which the message does not tell
	Attention    string // to them; empty if there are none, or the address is unknown

	Link    string // to the same range in the application; empty if its address is unknown
	Changes string // to what became known of the range since; empty if the address is unknown
	Reason  string // why the recipient gets the message
	Picture []byte // PNG of Chart

	Totals     []outbox.SummaryTotal
	MonthsTold []outbox.MonthTold // closed months of which it tells changes
	Gate       Gate
	Empty      bool // no commission record exists
}

// topLines is the number of lines in each ranking of a message.
const topLines = 5

// chartDays is the number of days in the chart of a daily summary.
const chartDays = 14

// author makes summaries.
type author struct {
	store   *store.Store
	reports *reports.Service
	public  string // address of the application, without a trailing slash
}

// question is a summary being made.
type question struct {
	*author
	reports *reports.Service // as the user sees them whom the schedule names
	about   Schedule
	Summary
	query query.Query
	basis query.Basis
	since affiliate.Millis   // the instant of the last change of a commission, or else that of the state
	facts phrase.EarnedFacts // of the period, for the figures and the sentence above all else
	names *people.NameBook   // beside UIDs; nil if they are hidden from viewers
	whose string             // the account, or a note that all accounts are included; empty if there is no account yet
}

// summary makes the summary of a schedule for a period.
func (a *author) summary(ctx context.Context, about Schedule, p dispatch.Period) (Summary, error) {
	q := &question{author: a, about: about, Summary: Summary{Period: p}}
	var err error
	if q.Gate, err = a.gate(ctx, about, p); err != nil {
		return q.Summary, err
	}
	if err := q.open(ctx); err != nil {
		return q.Summary, err
	}
	// Who reads the mail is not known: it has names only if everybody may see them.
	if q.names, err = reports.NamesFor(ctx, q.reports, false); err != nil {
		return q.Summary, err
	}
	view, err := reports.Ask(ctx, q.reports, q.query, overview.Make)
	if err != nil {
		return q.Summary, err
	}
	if q.facts, err = q.earned(ctx, view); err != nil {
		return q.Summary, err
	}
	if err := q.compare(ctx, view); err != nil {
		return q.Summary, fmt.Errorf("comparing: %w", err)
	}
	q.figures(view)
	for _, section := range Sections() {
		if !about.tells(section) {
			continue
		}
		failed, err := q.reports.Guard.Part("the section "+section+" of a summary", func() error { return q.section(ctx, section, view) })
		if err != nil {
			return q.Summary, fmt.Errorf("section %s: %w", section, err)
		}
		if failed {
			q.Notes = append(q.Notes, "The section “"+section+"” is missing. "+phrase.NotMade)
		}
	}
	return q.Summary, nil
}

// earned returns what the first sentence is about. What cannot be known of the period, or is no matter of
// the recipients, is left out.
func (q *question) earned(ctx context.Context, view overview.Report) (e phrase.EarnedFacts, err error) {
	e.Report, e.Names = view, q.names
	e.Query.AsOf = time.Time{} // a mail is read as of when it was sent
	if q.about.paid() {
		asked, err := q.ask(q.Period.Days)
		if err != nil {
			return e, err
		}
		if e.Payments, err = answered(ctx, q, SectionPayments, asked, payments.MakeOverview); err != nil {
			return e, err
		}
	}
	if q.Gate.Closed {
		moved := q.query
		moved.By = string(drivers.ByInvitee)
		if e.Drivers, err = answered(ctx, q, SectionMovers, moved, drivers.Make); err != nil {
			return e, err
		}
	}
	return e, nil
}

// answered answers a question. One that a fault of this program prevents is nil, and the message says so.
func answered[T any](ctx context.Context, q *question, name string, asked query.Query, make func(context.Context, *snapshot.Snapshot) (T, error)) (answer *T, err error) {
	failed, err := q.reports.Guard.Part("the part "+name+" of a summary", func() error {
		made, err := reports.Ask(ctx, q.reports, asked, make)
		answer = &made
		return err
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("part %s: %w", name, err)
	case failed:
		q.Notes = append(q.Notes, "The part “"+name+"” is missing. "+phrase.NotMade)
		return nil, nil
	}
	return answer, nil
}

// open makes the query of the period, as of now: all queries derived from it read one
// state, whatever is collected meanwhile. Every later write has a later timestamp than
// the newest one, and than the millisecond that has ended.
func (q *question) open(ctx context.Context) (err error) {
	if q.reports, err = q.as(ctx, q.about.AsUser); err != nil {
		return err
	}
	if q.basis, err = q.reports.Basis(ctx); err != nil {
		return err
	}
	q.basis.By, q.basis.Sorts = figures.Splits(), slices.Concat(invitees.Sorts, subaffiliates.Sorts)
	r, err := q.store.Read(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	stamp, err := r.LastWrite(ctx)
	if err != nil {
		return err
	}
	if q.whose, err = whose(ctx, r, q.about); err != nil {
		return err
	}
	changed, known, err := sums.LastChange(ctx, r)
	if err != nil {
		return err
	}
	q.since = max(stamp, affiliate.MillisOf(q.basis.Now)-1)
	q.query, err = q.ask(q.Period.Days, "compare", string(compares(q.Period.Every)[0]))
	q.query.AsOf = q.since.Time()
	q.Query = q.query
	if known && changed.Known() {
		q.since = min(q.since, changed)
	}
	return err
}

// whose names the selected account, the user whose invitees a summary is about, or the only
// existing account.
func whose(ctx context.Context, r *store.Tx, about Schedule) (string, error) {
	switch {
	case about.Account != "":
		return affiliate.OneLine(string(about.Account)), nil
	case about.AsUser != "":
		return "invitees of " + affiliate.OneLine(about.AsUser), nil
	}
	known, err := r.Accounts(ctx)
	switch {
	case err != nil || len(known) == 0:
		return "", err
	case len(known) == 1:
		return affiliate.OneLine(string(known[0])), nil
	}
	return "all accounts", nil
}

// ask parses a query of the schedule in the same way as a page does.
func (q *question) ask(days affiliate.Days, more ...string) (query.Query, error) {
	values := url.Values{"from": {days.First.String()}, "to": {days.Last.String()}}
	for name, value := range map[string]string{"account": string(q.about.Account), "product": string(q.about.Product), "coin": string(q.about.Coin), "code": q.about.Code, "segment": q.about.Segment} {
		if value != "" {
			values.Set(name, value)
		}
	}
	for i := 0; i+1 < len(more); i += 2 {
		values.Set(more[i], more[i+1]) // a part of the schedule's query
	}
	query, err := query.Parse(values, q.basis)
	query.AsOf = q.query.AsOf
	return query, err
}

// figures fills in the part that every summary contains.
func (q *question) figures(view overview.Report) {
	zone := q.query.Zone
	q.Empty = view.Empty != ""
	q.Title = "Affiliate report – " + q.Period.Label(zone)
	q.Subject = q.Title
	q.Over, q.Heading = "Affiliate report", q.Period.Heading(zone)
	if q.whose != "" {
		q.Subject += " – " + q.whose
		q.Over += " · " + q.whose
	}
	q.Complete, q.Missing = q.Gate.Words, q.Gate.Missing
	q.Lead, q.Said = leadOf(q.facts), phrase.Plain(phrase.Earned(q.facts))
	for _, c := range view.Cards {
		q.Totals = append(q.Totals, outbox.SummaryTotal{Coin: c.Coin, Commission: affiliate.Number(c.Commission.Amount.Value.String())})
	}
	if filter := filterWords(q.about); filter != "" {
		q.Notes = append(q.Notes, "Only "+filter+".")
	}
	if view.UnknownCode > 0 {
		q.Notes = append(q.Notes, "Not among them: "+phrase.Things(view.UnknownCode, "record")+" of invitees whose invite code is not known.")
	}
	q.add(coinTable(view))
	q.Link, q.Changes = q.linkTo(q.query), q.changesSince(q.query)
}

// linkTo returns the address of the overview with a query, on the present state.
func (q *question) linkTo(query query.Query) string {
	if q.public == "" {
		return ""
	}
	query.AsOf, query.By = time.Time{}, ""
	return q.public + "/?" + query.Values().Encode()
}

// changesSince returns the address of what became known of a query's range since its state. It
// names the last change before the state, so that the same records give the same mail.
func (q *question) changesSince(query query.Query) string {
	if q.public == "" {
		return ""
	}
	query.AsOf, query.Since, query.By, query.Compare = time.Time{}, q.since.Time(), "", ""
	return q.public + "/changes?" + query.Values().Encode()
}

// coinTable shows the exact sums of each coin, in the form of the export.
func coinTable(view overview.Report) FigureTable {
	t := FigureTable{Title: "By coin, exact", Head: []string{"Coin", "Commission", "Change"}}
	for _, m := range affiliate.BesideCommission {
		t.Head = append(t.Head, strings.TrimSuffix(m.Title, " by invitees"))
	}
	t.Head, t.Spare = append(t.Head, "Records"), len(t.Head)
	for _, c := range view.Cards {
		row := []string{string(c.Coin), c.Commission.Amount.Value.String(), phrase.Change(c.Commission.Change).String()}
		for _, m := range affiliate.BesideCommission {
			row = append(row, c.Of(m).Amount.Value.String())
		}
		t.Rows = append(t.Rows, append(row, phrase.Count(c.Records)))
	}
	return t
}

// mostNoted is the maximum number of annotations below a chart.
const mostNoted = 20

// notedDays tells the annotations on days of the chart, a line each. Of many it tells the latest.
func (s Summary) notedDays() (lines []string) {
	earlier := max(0, len(s.Chart.Annotations)-mostNoted)
	if earlier > 0 {
		lines = append(lines, phrase.Things(earlier, "earlier annotation")+" not shown.")
	}
	for _, a := range s.Chart.Annotations[earlier:] {
		lines = append(lines, affiliate.OneLine(phrase.Days(a.Days)+": "+a.String()+" – "+a.By()))
	}
	return lines
}

// Legend explains the colours of the chart.
func (s Summary) Legend() []picture.LegendEntry {
	return picture.Legend(*s.Chart, "the "+map[dispatch.Every]string{dispatch.Weekly: "week", dispatch.Monthly: "month"}[s.Period.Every]+" before")
}
