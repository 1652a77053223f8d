package mail

import (
	"context"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
)

// section adds one part of the message.
func (q *question) section(ctx context.Context, name string, view reports.Overview) error {
	switch name {
	case SectionChart:
		return q.chart(ctx, view)
	case SectionSplits:
		for _, ranking := range view.Splits {
			if ranking.By != reports.RankCoins { // these stand in the table of coins
				q.add(rankingTable(ranking, splitTitles[ranking.By]))
			}
		}
	case SectionInvitees, SectionCodes:
		by := map[string]reports.RankBy{SectionInvitees: reports.RankInvitees, SectionCodes: reports.RankCodes}[name]
		if i := slices.IndexFunc(view.Rankings, func(r reports.Ranking) bool { return r.By == by }); i >= 0 {
			q.add(rankingTable(view.Rankings[i], splitTitles[by]))
		}
	case SectionMovers:
		return q.movers(ctx)
	case SectionSubAffiliates:
		return q.subAffiliates(ctx)
	case SectionAttention:
		return q.attention(ctx)
	}
	return nil
}

func (q *question) add(t Table) {
	if len(t.Rows) > 0 {
		t.SoFar = !q.Gate.Closed
		q.Tables = append(q.Tables, t)
	}
}

var splitTitles = map[reports.RankBy]string{
	reports.RankProducts: "By product", reports.RankSources: "By source",
	reports.RankInvitees: "Top invitees", reports.RankCodes: "Top invite codes",
}

var splitHeads = map[reports.RankBy]string{
	reports.RankProducts: "Product", reports.RankSources: "Source", reports.RankInvitees: "Invitee", reports.RankCodes: "Invite code",
}

// rankingTable is the top of a ranking.
func rankingTable(r reports.Ranking, title string) Table {
	t := Table{Title: title + ", " + string(r.Coin), Head: []string{splitHeads[r.By], "Commission", "Share", "Change"}}
	for _, l := range r.Lines[:min(topLines, len(r.Lines))] {
		words, _ := changeWords(l.Commission.Change)
		t.Rows = append(t.Rows, []string{rankName(r.By, l), l.Commission.Amount.Short(), shareWords(l.Share), words})
		t.Bars = append(t.Bars, barOf(l.Share))
	}
	return t
}

func shareWords(share reports.Ratio) string {
	if !share.Known {
		return dash
	}
	return percent(share.Percent)
}

// barOf is a share as a length, from 0 to 100.
func barOf(share reports.Ratio) int {
	if !share.Known {
		return 0
	}
	return int(min(max(share.Percent.Ceil().IntPart(), 0), 100))
}

// rankName is what a line of a ranking is called. Some of it are other people's
// words.
func rankName(by reports.RankBy, l reports.RankLine) string {
	switch by {
	case reports.RankProducts:
		return affiliate.Product(l.Name).Label()
	case reports.RankSources:
		return affiliate.Source(l.Name).Label()
	}
	if name := plain(l.Name); name != "" {
		return name
	}
	return "code not known"
}

// chart is commission by day: of the period, or of two weeks up to a single day.
func (q *question) chart(ctx context.Context, view reports.Overview) error {
	if q.Empty {
		return nil
	}
	series := view.Daily
	if q.Period.Every == Daily {
		query, err := q.ask(affiliate.Days{First: q.Period.Last - chartDays + 1, Last: q.Period.Last}, "coin", string(view.Coin))
		if err != nil {
			return err
		}
		wider, err := q.reports.Overview(ctx, query)
		if err != nil {
			return err
		}
		series = wider.Daily
	}
	picture, err := draw(series)
	q.Chart, q.Picture = &series, picture
	return err
}

// movers are the invitees whose commission changed most. Where days are missing,
// everybody would seem to fall.
func (q *question) movers(ctx context.Context) error {
	if !q.Gate.Closed {
		return nil
	}
	for _, order := range []struct{ title, sort string }{{"Movers up", "-change"}, {"Movers down", "change"}} {
		query, err := q.ask(q.Period.Days, "compare", string(q.query.Compare), "sort", order.sort, "per", "5")
		if err != nil {
			return err
		}
		list, err := q.reports.Invitees(ctx, query)
		if err != nil {
			return err
		}
		t := Table{Title: order.title + ", " + string(list.Coin), Head: []string{"Invitee", "Commission", "Change", "In percent"}}
		for _, l := range list.Lines {
			by := l.In(list.Coin).Commission.Sub(totalIn(l.Before, list.Coin).Commission)
			known := l.Change.Kind == reports.ChangeUp || l.Change.Kind == reports.ChangeDown || l.Change.Kind == reports.ChangeNew
			if !known || by.IsPositive() != (order.sort == "-change") {
				continue
			}
			words, _ := changeWords(l.Change)
			t.Rows = append(t.Rows, []string{plain(string(l.UID)), affiliate.Amount{Value: l.In(list.Coin).Commission, Coin: list.Coin}.Short(),
				signed(affiliate.Amount{Value: by, Coin: list.Coin}), words})
		}
		q.add(t)
	}
	return nil
}

func totalIn(totals []reports.Totals, coin affiliate.Coin) reports.Totals {
	if i := slices.IndexFunc(totals, func(t reports.Totals) bool { return t.Coin == coin }); i >= 0 {
		return totals[i]
	}
	return reports.Totals{Coin: coin}
}

// subAffiliates are who was paid most.
func (q *question) subAffiliates(ctx context.Context) error {
	query, err := q.ask(q.Period.Days, "compare", string(q.query.Compare), "sort", "-paid", "per", "5")
	if err != nil {
		return err
	}
	view, err := q.reports.SubAffiliates(ctx, query)
	if err != nil {
		return err
	}
	t := Table{Title: "Sub-affiliates, no unit stated, days in UTC", Head: []string{"Sub-affiliate", "Paid", "Share", "Change"}}
	for _, l := range view.Lines {
		words, _ := changeWords(l.Change.Change)
		t.Rows = append(t.Rows, []string{plain(string(l.UID)), numberWords(l.Paid), shareWords(l.Share), words})
		t.Bars = append(t.Bars, barOf(l.Share))
	}
	if len(t.Rows) > 0 && !view.Coverage.Complete() {
		q.Notes = append(q.Notes, "The figures of sub-affiliates are not collected completely.")
	}
	q.add(t)
	return nil
}

// attention is what needs a look now.
func (q *question) attention(ctx context.Context) error {
	query := q.query
	query.AsOf = time.Time{} // findings are about the present, runs among them
	view, err := q.reports.Attention(ctx, query)
	if err != nil {
		return err
	}
	for _, f := range view.Findings {
		if f.Severity() > reports.SeverityInfo {
			q.Findings = append(q.Findings, findingOf(f, q.query.Zone))
		}
	}
	return nil
}
