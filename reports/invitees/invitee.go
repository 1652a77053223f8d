package invitees

import (
	"context"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/people"
	"rebatedesk/store/sums"
)

// Detail is the report of one invitee of one account. The same UID in another account is a
// separate client, whose commission is never added.
type Detail struct {
	Query query.Query // with the UID
	// Known has a line for each account that knows the UID, whichever account is requested.
	// It is empty if none does. If several do and none is requested, nothing else is
	// answered.
	Known   []ListLine
	Chosen  bool // the account is determined, and the following fields are about it
	Options snapshot.Options

	Line              ListLine
	History           History
	Coverage          coverage.Coverage
	Listed            coverage.Coverage
	Lifetime          coverage.Coverage
	Since             affiliate.Day      // when these begin
	Empty             coverage.EmptyKind // not "" when there is no record in the range
	Cards             []figures.CoinCard
	Volume            figures.Figure // of all coins together, see [figures.VolumeOf]
	Valued            figures.ValuedFigure
	Coin              affiliate.Coin // for the following fields: the requested coin, otherwise that of most records
	Rank              Rank
	Daily             figures.DailySeries
	Products          []ProductTotals
	Pairs             sums.Ranked[sums.SymbolSums]
	pairs, otherPairs figures.Portions // all of these, and the others among them
	Rates             figures.Lines    // effective rate per month in percent, a line for each coin
}

// Rank is the rank of an invitee in its account, in the range.
type Rank struct {
	Coin  affiliate.Coin
	Place int // from 1; 0: no commission in the coin
	Of    int // invitees with records in the coin
	Share figures.Ratio
}

// ProductTotals are the totals of one product in one coin.
type ProductTotals struct {
	Product affiliate.Product
	figures.Totals
	Share figures.Ratio // share of the commission in the coin
}

// pairsShown is the number of pairs that a page ranks.
const pairsShown = 10

// MakeOne answers the query, which names a UID, for its page.
func MakeOne(ctx context.Context, q *snapshot.Snapshot) (view Detail, err error) {
	view.Query = q.Query
	if view.Options, err = q.Options(ctx); err != nil {
		return view, err
	}
	snapshot, err := ReadSnapshot(ctx, q.Everywhere())
	if err != nil {
		return view, err
	}
	view.Since = snapshot.first
	if view.Known, err = inviteeLines(ctx, q.Everywhere(), snapshot); err != nil {
		return view, err
	}
	if err := orderInvitees(view.Known, query.Sort{Field: "account"}, ""); err != nil {
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
	return view, invitee(ctx, q.OfAccount(view.Line.Account), &view)
}

func invitee(ctx context.Context, q *snapshot.Snapshot, view *Detail) (err error) {
	key := sums.InviteeKey{Account: view.Line.Account, UID: q.UID}
	if view.History, err = inviteeHistory(ctx, q, key); err != nil {
		return err
	}
	if view.Line.Tags, err = people.TagsOf(ctx, q.Tx, key.UID); err != nil {
		return err
	}
	cover, coverage, err := q.Covered(ctx)
	if err != nil {
		return err
	}
	view.Coverage = coverage
	ever := affiliate.Days{First: view.Since, Last: q.Today}
	whole, err := q.ReadCoverage(ctx, affiliate.Commissions, ever)
	if err != nil {
		return err
	}
	view.Lifetime = whole.Summary(ever)
	if view.Listed, err = q.ListedCoverage(ctx); err != nil {
		return err
	}
	return inviteeBusiness(ctx, q, view, cover)
}

// inviteeBusiness returns the invitee's results in the range, and its rates.
func inviteeBusiness(ctx context.Context, q *snapshot.Snapshot, view *Detail, cover *coverage.Map) error {
	list, err := sums.ByDay(ctx, q.Tx, q.Filter())
	if err != nil {
		return err
	}
	ref, err := q.Compared(ctx)
	if err != nil {
		return err
	}
	totals := figures.TotalsOf(list)
	if view.Coin = figures.MainCoin(q.Coin, totals); view.Coin == "" {
		view.Coin = figures.MainCoin(q.Coin, view.Line.Lifetime)
	}
	view.Cards, view.Products = figures.CoinCards(totals, ref), productTotals(list)
	view.Volume = ref.Volume(totals)
	if view.Valued, err = q.Valued(ctx, list, ref); err != nil {
		return err
	}
	view.Daily = q.DailySeries(view.Coin, list, cover)
	ref.Line(&view.Daily)
	if err := q.ByHour(ctx, &view.Daily, cover, ref); err != nil {
		return err
	}
	named := *q // the annotations about its code, too
	if named.Code == "" {
		named.Code = view.Line.InviteCode
	}
	if view.Daily.Annotations, err = named.Annotations(ctx); err != nil {
		return err
	}
	if view.Rates, err = rateLines(ctx, q, view.Line.Lifetime); err != nil {
		return err
	}
	if figures.RecordsOf(totals) == 0 {
		view.Empty, err = emptyInvitee(ctx, q, view.Coverage)
		return err
	}
	if view.Rank, err = rankOf(ctx, q, view.Coin); err != nil {
		return err
	}
	pairs, err := snapshot.OfDays(ctx, q, "sums by pair", q.Filter(), sums.FiguresOfSymbols, sums.JoinSymbols)
	for _, r := range pairs.Top(pairsShown) {
		if r.Coin == view.Coin {
			view.Pairs = r
		}
	}
	for _, pair := range pairs.Sums() {
		if commission := pair.Commission.Decimal(); pair.Coin == view.Coin {
			view.pairs.Add(commission)
			if !slices.ContainsFunc(view.Pairs.Top, func(top sums.SymbolSums) bool { return top.Symbol == pair.Symbol }) {
				view.otherPairs.Add(commission)
			}
		}
	}
	return err
}

// rankOf ranks the invitee of the query among all invitees of the account.
func rankOf(ctx context.Context, q *snapshot.Snapshot, coin affiliate.Coin) (Rank, error) {
	f := q.Filter()
	f.UID, f.Coin = "", ""
	totals, err := ReadTotals(ctx, q, f)
	if err != nil {
		return Rank{}, err
	}
	s := Rank{Coin: coin}
	var own *decimal.Decimal
	var whole figures.Portions
	for key, list := range totals {
		brought := figures.TotalIn(list, coin)
		if brought.Records == 0 {
			continue
		}
		s.Of++
		whole.Add(brought.Commission)
		if key.UID == q.UID {
			own = &brought.Commission
		}
	}
	if own == nil {
		return s, nil
	}
	s.Place = 1
	for _, list := range totals {
		if t := figures.TotalIn(list, coin); t.Records > 0 && t.Commission.GreaterThan(*own) {
			s.Place++
		}
	}
	s.Share = whole.Share(*own)
	return s, nil
}

// PairShare returns the share of a pair in the commission of the invitee.
func (r Detail) PairShare(pair sums.SymbolSums) figures.Ratio {
	return r.pairs.Share(pair.Commission.Decimal())
}

// OtherPairsShare is [Detail.PairShare] for the pairs that are not among the top.
func (r Detail) OtherPairsShare() figures.Ratio { return r.pairs.ShareOfRest(r.otherPairs) }

// emptyInvitee returns why a known invitee has no record in the range.
func emptyInvitee(ctx context.Context, q *snapshot.Snapshot, covered coverage.Coverage) (coverage.EmptyKind, error) {
	bare := snapshot.FilterOf(q.Unfiltered())
	bare.Account, bare.UID = q.Account, q.UID
	sumsList, err := sums.ByDay(ctx, q.Tx, bare)
	if err != nil {
		return "", fmt.Errorf("looking without filters: %w", err)
	}
	if len(sumsList) > 0 {
		return coverage.EmptyFiltered, nil
	}
	return q.WhyNothing(ctx, covered)
}
