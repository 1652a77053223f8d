package overview

import (
	"context"
	"fmt"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/sums"
)

// Report is the front page: what the programme earned in the range.
type Report struct {
	Query    query.Query
	Coverage coverage.Coverage
	Empty    coverage.EmptyKind // not "" when there is no commission to show
	Cards    []figures.CoinCard
	Volume   figures.Figure       // of all coins together, see [figures.VolumeOf]
	Valued   figures.ValuedFigure // commission of all coins, converted
	Invitees invitees.Cards
	Users    figures.Lines
	Funnel   invitees.Funnel
	Coin     affiliate.Coin // of the chart, the splits and the rankings: the requested coin, otherwise the one that earned on most records
	Daily    figures.DailySeries
	Curve    figures.Lines     // instead of Daily, if the query asks for a figure that is not added up by day
	Splits   []figures.Ranking // by product, by source and, if there are several, by coin; none if Empty
	Rankings []figures.Ranking // of invitees, pairs and invite codes; none if Empty
	Options  snapshot.Options
	// SameHours are the hours of a running day that are complete: its changes, and those of its
	// coins, compare these hours with the same ones of the compared day, to which the references
	// are narrowed as well. They are empty if no hour is complete yet; nil: whole ranges are compared.
	// People are not counted by hour, so theirs are not compared then. Splits and rankings compare
	// whole ranges in any case.
	SameHours *affiliate.Range
	// UnknownCode counts the records of the range whose invitee's code is not known, if the
	// query is for an invite code. They are not part of the answer.
	UnknownCode int64
}

// Accepted are the parameters of the page. It compares with the previous period unless
// another comparison, or none, is asked for.
var Accepted = query.AcceptedParams{By: figures.Splits(), Metrics: figures.ChartMetrics(), UsualCompare: query.ComparePrevious}

// Make answers the query for the front page.
func Make(ctx context.Context, q *snapshot.Snapshot) (view Report, err error) {
	view.Query = q.Query
	if view.Options, err = q.Options(ctx); err != nil {
		return view, err
	}
	list, err := sums.ByDay(ctx, q.Tx, q.Filter())
	if err != nil {
		return view, err
	}
	cover, coverage, err := q.Covered(ctx)
	if err != nil {
		return view, err
	}
	view.Coverage = coverage
	if view.UnknownCode, err = q.UnknownCode(ctx); err != nil {
		return view, err
	}
	ref, err := q.Compared(ctx)
	if err != nil {
		return view, err
	}
	totals := figures.TotalsOf(list)
	view.Coin = figures.MainCoin(q.Coin, totals)
	view.Cards, view.Volume = figures.CoinCards(totals, ref), ref.Volume(totals)
	if view.Valued, err = q.Valued(ctx, list, ref); err != nil {
		return view, err
	}
	view.Daily = q.DailySeries(view.Coin, list, cover)
	ref.Line(&view.Daily)
	if err := q.ByHour(ctx, &view.Daily, cover, ref); err != nil {
		return view, err
	}
	if view.Daily.Annotations, err = q.Annotations(ctx); err != nil {
		return view, err
	}
	brought, before, err := inviteeTotals(ctx, q, ref)
	if err != nil {
		return view, err
	}
	if err := fillPeople(ctx, q, &view, cover, brought, before, ref); err != nil {
		return view, err
	}
	whole := view.Cards
	if err := compareHours(ctx, q, &view, cover, ref); err != nil {
		return view, err
	}
	if view.Curve, err = curve(ctx, q, view, list, ref); err != nil {
		return view, err
	}
	if figures.RecordsOf(totals) == 0 {
		view.Empty, err = q.WhyEmpty(ctx, view.Coverage)
		return view, err
	}
	view.Splits = ref.Splits(view.Coin, list, whole, view.Valued.Valuation)
	if view.Rankings, err = rankings(ctx, q, view.Coin, brought, before, ref); err != nil {
		return view, err
	}
	return view, addTrends(ctx, q, &view, list, cover)
}

// compareHours compares a running day with the same hours of the day before, if they are known.
func compareHours(ctx context.Context, q *snapshot.Snapshot, view *Report, cover *coverage.Map, ref figures.Reference) error {
	now, same, hours, ok, err := q.SameHours(ctx, cover, ref)
	if err != nil || !ok {
		return err
	}
	view.SameHours = &hours
	view.Invitees.CompareNone()
	if hours.Empty() {
		same = figures.Reference{}
	}
	totals := figures.TotalsOf(now)
	view.Cards = slices.Clone(view.Cards)
	for i := range view.Cards {
		card := &view.Cards[i]
		part := figures.CoinCards([]figures.Totals{figures.TotalIn(totals, card.Coin)}, same)[0]
		figures := part.All()
		for n, figure := range card.All() {
			figure.Change, figure.Reference = figures[n].Change, figures[n].Reference
		}
		card.RateChange = part.RateChange
	}
	volume := same.Volume(totals)
	view.Volume.Change, view.Volume.Reference = volume.Change, volume.Reference
	valued, err := q.Valued(ctx, now, same)
	if err != nil {
		return err
	}
	view.Valued.Change, view.Valued.Reference = valued.Change, valued.Reference
	return nil
}

// inviteeTotals returns the totals of each invitee in the range and, if it is collected, in
// the compared period.
func inviteeTotals(ctx context.Context, q *snapshot.Snapshot, ref figures.Reference) (now, before invitees.TotalsByInvitee, err error) {
	if now, err = invitees.ReadTotals(ctx, q, q.Filter()); err != nil || !ref.Known {
		return now, nil, err
	}
	f := q.Filter()
	f.Days = ref.Days
	if before, err = invitees.ReadTotals(ctx, q, f); err != nil {
		err = fmt.Errorf("the compared period: %w", err)
	}
	return now, before, err
}

// fillPeople adds the counts of people, the funnel and the users over time.
func fillPeople(ctx context.Context, q *snapshot.Snapshot, view *Report, cover *coverage.Map, brought, before invitees.TotalsByInvitee, ref figures.Reference) error {
	known, err := invitees.CountPeople(ctx, q, q.Days, int64(len(brought)))
	if err != nil {
		return err
	}
	if view.Invitees, err = invitees.MakeCards(ctx, q, known, before, ref); err != nil {
		return err
	}
	steps, err := sums.StepsOfInvitees(ctx, q.Tx, q.InviteeFilter(), q.Days.Range(q.Zone))
	if err != nil {
		return err
	}
	view.Funnel = invitees.MakeFunnel(q, known, steps)
	view.Users, err = invitees.MakeUsers(ctx, q, known, steps, cover)
	return err
}

// curve returns the figure that the query asks for if it is a line, beside that of the compared
// period.
func curve(ctx context.Context, q *snapshot.Snapshot, view Report, list []sums.DaySums, ref figures.Reference) (lines figures.Lines, err error) {
	at := map[string]int{figures.ShowActive: 0, figures.ShowRegistered: 1, figures.ShowDeposits: 2, figures.ShowTrades: 3}
	switch i, people := at[q.Metric]; {
	case q.Metric == figures.ShowShareOfFees:
		lines = figures.ShareLine(q.Days, view.Users.Steps, view.Coin, list, ref)
	case people:
		part := view.Users.Parts[i]
		part.Bars = false
		lines = figures.Lines{Of: part.Name, Steps: view.Users.Steps, Parts: []figures.Curve{part}}
		if ref.Asked {
			if err = invitees.CompareUsers(ctx, q, &lines, i, ref); err != nil {
				err = fmt.Errorf("the compared period: %w", err)
			}
		}
	default:
		return lines, nil
	}
	lines.Open = view.Users.Open
	return lines, err
}
