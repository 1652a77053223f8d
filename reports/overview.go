package reports

import (
	"cmp"
	"context"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// Overview is the front page: what the programme earned in the range.
type Overview struct {
	Query    Query
	Coverage Coverage
	Empty    EmptyKind // not "" when there is no commission to show
	Cards    []CoinCard
	Invitees InviteeCards
	Coin     affiliate.Coin // the coin of Daily and Top: asked for, else the one that earned on most records
	Daily    DailySeries
	Top      []InviteeRank
	Options  Options
	// UnknownCode counts, where the query is for an invite code, the records
	// of the range whose invitee's code is not known. They are not part of
	// the answer.
	UnknownCode int64
}

// CoinCard are the figures of one coin.
type CoinCard struct {
	Coin       affiliate.Coin
	Records    int64
	Commission Figure
	Fee        Figure
	Volume     Figure
}

// InviteeCards count people, over all coins.
type InviteeCards struct {
	Registered      Count // registered in the range
	FirstDepositors Count // first deposit in the range
	FirstTraders    Count // first trade in the range
	ActiveTraders   Count // with at least one commission record in the range
}

// DailySeries is commission per reporting day in one coin, split into parts
// that stack: by product.
type DailySeries struct {
	Coin      affiliate.Coin
	Days      []affiliate.Day
	Parts     []SeriesPart
	Total     []decimal.Decimal
	State     []DayState        // per day, how far it is collected
	Reference []decimal.Decimal // the compared period day by day; nil without comparison
	RefDays   []affiliate.Day
	RefKnown  []bool // per day of Reference: collected completely
}

// SeriesPart is one layer of the stack.
type SeriesPart struct {
	Name   string
	Values []decimal.Decimal // one per day
}

// InviteeRank is one line of a ranking of invitees.
type InviteeRank struct {
	UID        affiliate.UID
	InviteCode string // empty = unknown
	Records    int64
	Commission affiliate.Amount
	Fee        affiliate.Amount
	Share      decimal.Decimal // percent of the coin's commission in the range, one decimal; zero when the total is not positive
}

// Options are the values that the filters offer, as far as they occur.
type Options struct {
	Accounts []affiliate.Account
	Coins    []affiliate.Coin
	Codes    []string
}

// rankLength is how many lines the ranking of the overview has.
const rankLength = 10

// Overview answers the query for the front page.
func (s *Service) Overview(ctx context.Context, query Query) (Overview, error) {
	q, err := s.ask(ctx, query)
	if err != nil {
		return Overview{}, err
	}
	defer q.Close()
	view := Overview{Query: query}
	if view.Options, err = q.options(ctx); err != nil {
		return view, err
	}
	sums, err := q.DaySums(ctx, q.filter())
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
	totals := totalsOf(sums)
	view.Coin = q.mainCoin(totals)
	view.Cards = coinCards(totals, ref)
	view.Daily = q.dailySeries(view.Coin, sums, cover)
	ref.line(&view.Daily)
	invitees, err := q.InviteeSums(ctx, q.filter())
	if err != nil {
		return view, err
	}
	if view.Invitees, err = q.inviteeCards(ctx, invitees, ref); err != nil {
		return view, err
	}
	if recordsOf(totals) == 0 {
		view.Empty, err = q.empty(ctx, view.Coverage)
		return view, err
	}
	view.Top, err = q.topInvitees(ctx, invitees, view.Coin, totals)
	return view, err
}

func coinCards(totals []Totals, ref reference) []CoinCard {
	cards := make([]CoinCard, 0, len(totals))
	for _, t := range totals {
		cards = append(cards, CoinCard{
			Coin: t.Coin, Records: t.Records,
			Commission: ref.figure(t.Coin, t.Commission, func(t Totals) decimal.Decimal { return t.Commission }),
			Fee:        ref.figure(t.Coin, t.Fee, func(t Totals) decimal.Decimal { return t.Fee }),
			Volume:     ref.figure(t.Coin, t.Volume(), Totals.Volume),
		})
	}
	return cards
}

// topInvitees ranks invitees by commission in the given coin.
func (q *question) topInvitees(ctx context.Context, invitees []store.InviteeSums, coin affiliate.Coin, totals []Totals) ([]InviteeRank, error) {
	sums := slices.DeleteFunc(slices.Clone(invitees), func(s store.InviteeSums) bool { return s.Coin != coin })
	slices.SortFunc(sums, func(a, b store.InviteeSums) int {
		return cmp.Or(b.Commission.Cmp(a.Commission), cmp.Compare(a.UID, b.UID), cmp.Compare(a.Account, b.Account))
	})
	var whole decimal.Decimal
	for _, t := range totals {
		if t.Coin == coin {
			whole = t.Commission
		}
	}
	var ranks []InviteeRank
	for _, s := range sums[:min(len(sums), rankLength)] {
		code, err := q.InviteCode(ctx, s.Account, s.UID)
		if err != nil {
			return nil, err
		}
		rank := InviteeRank{
			UID: s.UID, InviteCode: code, Records: s.Records,
			Commission: affiliate.Amount{Value: s.Commission.Decimal(), Coin: coin},
			Fee:        affiliate.Amount{Value: s.Fee.Decimal(), Coin: coin},
		}
		if whole.IsPositive() {
			rank.Share = rank.Commission.Value.Mul(decimal.NewFromInt(100)).DivRound(whole, 1)
		}
		ranks = append(ranks, rank)
	}
	return ranks, nil
}
