package reports

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/store/people"
	"rebatedesk/store/sums"
)

// InviteeReport is one invitee of one account. The same UID in another account
// is somebody else's client, whose commission is never added to this.
type InviteeReport struct {
	Query Query // with the UID
	// Known has a line for each account that knows the UID, whichever account
	// is asked for; none: nobody does. Where several do and none is asked for,
	// nothing else is answered.
	Known   []InviteeLine
	Chosen  bool // an account is settled, and what follows is about it
	Options Options

	Line     InviteeLine
	History  InviteeHistory
	Coverage Coverage
	Listed   Coverage
	Lifetime Coverage
	Since    affiliate.Day // where these begin
	Empty    EmptyKind     // not "" when there is no record in the range
	Cards    []CoinCard
	Volume   Figure // of all coins together, see [volumeOf]
	Valued   ValuedFigure
	Coin     affiliate.Coin // of what follows: asked for, else that of most records
	Standing Standing
	Daily    DailySeries
	Products []ProductTotals
	Pairs    sums.Ranking[sums.SymbolSums]
	Rates    Lines // effective rate per month in percent, a line for each coin
}

// Standing is the place of an invitee among all of its account in the range.
type Standing struct {
	Coin  affiliate.Coin
	Rank  int // from 1; 0: it brought nothing in the coin
	Of    int // invitees with records in the coin
	Share Ratio
}

// ProductTotals are the totals of one product in one coin.
type ProductTotals struct {
	Product affiliate.Product
	Totals
	Share Ratio // of the commission in the coin
}

// pairsShown is how many pairs a page ranks.
const pairsShown = 10

// makeInvitee makes the report of [Service.Invitee].
func makeInvitee(ctx context.Context, q *question) (view InviteeReport, err error) {
	view.Query = q.Query
	if view.Options, err = q.options(ctx); err != nil {
		return view, err
	}
	roster, err := q.everywhere().rosterOf(ctx)
	if err != nil {
		return view, err
	}
	view.Since = roster.first
	if view.Known, err = q.everywhere().inviteeLines(ctx, roster); err != nil {
		return view, err
	}
	if err := orderInvitees(view.Known, Sort{Field: "account"}, ""); err != nil {
		return view, err
	}
	for _, line := range view.Known {
		if q.Account == line.Account || q.Account == "" && len(view.Known) == 1 {
			view.Line, view.Chosen = line, true
		}
	}
	if !view.Chosen {
		return view, nil
	}
	return view, q.of(view.Line.Account).invitee(ctx, &view)
}

func (q *question) invitee(ctx context.Context, view *InviteeReport) (err error) {
	key := sums.InviteeKey{Account: view.Line.Account, UID: q.UID}
	if view.History, err = q.inviteeHistory(ctx, key); err != nil {
		return err
	}
	if view.Line.Tags, err = people.TagsOf(ctx, q.Tx, key.Account, key.UID); err != nil {
		return err
	}
	cover, coverage, err := q.covered(ctx)
	if err != nil {
		return err
	}
	view.Coverage = coverage
	ever := affiliate.Days{First: view.Since, Last: q.Today}
	whole, err := q.coverage(ctx, affiliate.Commissions, ever)
	if err != nil {
		return err
	}
	view.Lifetime = whole.summary(ever)
	if view.Listed, err = q.listed(ctx); err != nil {
		return err
	}
	return q.inviteeBusiness(ctx, view, cover)
}

// inviteeBusiness is what the invitee brought in the range, and its rates.
func (q *question) inviteeBusiness(ctx context.Context, view *InviteeReport, cover *coverer) error {
	list, err := sums.ByDay(ctx, q.Tx, q.filter())
	if err != nil {
		return err
	}
	ref, err := q.compared(ctx)
	if err != nil {
		return err
	}
	totals := totalsOf(list)
	if view.Coin = mainCoin(q.Coin, totals); view.Coin == "" {
		view.Coin = mainCoin(q.Coin, view.Line.Lifetime)
	}
	view.Cards, view.Products = coinCards(totals, ref), productTotals(list)
	view.Volume = ref.volume(totals)
	if view.Valued, err = q.valued(ctx, list, ref); err != nil {
		return err
	}
	view.Daily = q.dailySeries(view.Coin, list, cover)
	ref.line(&view.Daily)
	if view.Rates, err = q.rateLines(ctx, view.Line.Lifetime); err != nil {
		return err
	}
	if recordsOf(totals) == 0 {
		view.Empty, err = q.emptyInvitee(ctx, view.Coverage)
		return err
	}
	if view.Standing, err = q.standing(ctx, view.Coin); err != nil {
		return err
	}
	rankings, err := sums.TopSymbols(ctx, q.Tx, q.filter(), pairsShown)
	for _, r := range rankings {
		if r.Coin == view.Coin {
			view.Pairs = r
		}
	}
	return err
}

// standing ranks the invitee of the question among all of the account.
func (q *question) standing(ctx context.Context, coin affiliate.Coin) (Standing, error) {
	f := q.filter()
	f.UID, f.Coin = "", coin
	totals, err := sums.ByInvitee(ctx, q.Tx, f)
	if err != nil {
		return Standing{}, err
	}
	s := Standing{Coin: coin, Of: len(totals)}
	var own *decimal.Decimal
	var total affiliate.Sum
	for _, sum := range totals {
		total.Add(sum.Commission)
		if sum.UID == q.UID {
			value := sum.Commission.Decimal()
			own = &value
		}
	}
	if own == nil {
		return s, nil
	}
	s.Rank = 1
	for _, sum := range totals {
		if sum.Commission.Decimal().GreaterThan(*own) {
			s.Rank++
		}
	}
	s.Share = shareOf(*own, total.Decimal())
	return s, nil
}

// PairShare is the part of a pair in the commission of the invitee.
func (r InviteeReport) PairShare(pair sums.Sums) Ratio {
	return shareOf(pair.Commission.Decimal(), r.Pairs.Total.Commission.Decimal())
}

// emptyInvitee tells why a known invitee has no record in the range.
func (q *question) emptyInvitee(ctx context.Context, coverage Coverage) (EmptyKind, error) {
	bare := filterOf(q.WithoutFilters())
	bare.Account, bare.UID = q.Account, q.UID
	sumsList, err := sums.ByDay(ctx, q.Tx, bare)
	if err != nil {
		return "", fmt.Errorf("looking without filters: %w", err)
	}
	if len(sumsList) > 0 {
		return EmptyFiltered, nil
	}
	return q.nothing(ctx, coverage)
}
