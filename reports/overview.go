package reports

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store/sums"
)

// Overview is the front page: what the programme earned in the range.
type Overview struct {
	Query    Query
	Coverage Coverage
	Empty    EmptyKind // not "" when there is no commission to show
	Cards    []CoinCard
	Volume   Figure       // of all coins together, see [volumeOf]
	Valued   ValuedFigure // commission of all coins, converted
	Invitees InviteeCards
	Users    Lines
	Funnel   Funnel
	Coin     affiliate.Coin // that the chart, the splits and the rankings are about: asked for, else the one that earned on most records
	Daily    DailySeries
	Splits   []Ranking // by product, by source and, where there are several, by coin; none where Empty
	Rankings []Ranking // of invitees, pairs and invite codes; none where Empty
	Options  Options
	// UnknownCode counts, where the query is for an invite code, the records
	// of the range whose invitee's code is not known. They are not part of
	// the answer.
	UnknownCode int64
}

// makeOverview makes the report of [Service.Overview].
func makeOverview(ctx context.Context, q *question) (view Overview, err error) {
	view.Query = q.Query
	if view.Options, err = q.options(ctx); err != nil {
		return view, err
	}
	list, err := sums.ByDay(ctx, q.Tx, q.filter())
	if err != nil {
		return view, err
	}
	cover, coverage, err := q.covered(ctx)
	if err != nil {
		return view, err
	}
	view.Coverage = coverage
	if view.UnknownCode, err = q.unknownCode(ctx); err != nil {
		return view, err
	}
	ref, err := q.compared(ctx)
	if err != nil {
		return view, err
	}
	totals := totalsOf(list)
	view.Coin = mainCoin(q.Coin, totals)
	view.Cards, view.Volume = coinCards(totals, ref), ref.volume(totals)
	if view.Valued, err = q.valued(ctx, list, ref); err != nil {
		return view, err
	}
	view.Daily = q.dailySeries(view.Coin, list, cover)
	ref.line(&view.Daily)
	invitees, before, err := q.inviteeSums(ctx, ref)
	if err != nil {
		return view, err
	}
	if err := q.fillPeople(ctx, &view, cover, invitees, before, ref); err != nil {
		return view, err
	}
	if recordsOf(totals) == 0 {
		view.Empty, err = q.empty(ctx, view.Coverage)
		return view, err
	}
	view.Splits = ref.splits(view.Coin, list, view.Cards, view.Valued.Valuation)
	view.Rankings, err = q.rankings(ctx, view.Coin, invitees, before, ref)
	return view, err
}

// inviteeSums are what each invitee brought, and in the compared period where
// that is known.
func (q *question) inviteeSums(ctx context.Context, ref reference) (now, before []sums.InviteeSums, err error) {
	if now, err = sums.ByInvitee(ctx, q.Tx, q.filter()); err != nil || !ref.known {
		return now, nil, err
	}
	f := q.filter()
	f.Days = ref.days
	if before, err = sums.ByInvitee(ctx, q.Tx, f); err != nil {
		err = fmt.Errorf("the compared period: %w", err)
	}
	return now, before, err
}

// fillPeople adds what is said of people.
func (q *question) fillPeople(ctx context.Context, view *Overview, cover *coverer, invitees, before []sums.InviteeSums, ref reference) error {
	known, err := q.people(ctx, q.Days, activeTraders(invitees))
	if err != nil {
		return err
	}
	if view.Invitees, err = q.inviteeCards(ctx, known, before, ref); err != nil {
		return err
	}
	steps, err := sums.StepsOfInvitees(ctx, q.Tx, q.inviteeFilter(), q.Days.Range(q.Zone))
	if err != nil {
		return err
	}
	view.Funnel = q.funnel(known, steps)
	view.Users, err = q.users(ctx, known, steps, cover)
	return err
}
