package figures

import (
	"cmp"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/store/sums"
)

// RankBy is what a ranking is of.
type RankBy string

// The rankings of the overview.
const (
	RankInvitees RankBy = "invitee"
	RankPairs    RankBy = "pair"
	RankCodes    RankBy = "code"
	RankProducts RankBy = "product"
	RankSources  RankBy = "source"
	RankCoins    RankBy = "coin"
)

// Ranking lists who or what brought most commission in one coin. Its lines and
// Others, which sums all that have no line, add up to Total.
type Ranking struct {
	By      RankBy
	Coin    affiliate.Coin // empty in a ranking of coins
	Lines   []RankLine     // most commission first; equal ones by name
	Others  RankLine       // all that have no line of their own, without a name
	OthersN int            // how many they are
	Total   affiliate.Amount
}

// RankLine is one of those that are ranked.
type RankLine struct {
	Name       string            // a UID, pair, invite code, product, source or coin; empty = not known
	Account    affiliate.Account // of an invitee
	Code       string            // invite code of an invitee; empty = not known
	Records    int64
	Commission Figure
	Fee        affiliate.Amount
	// Share is of the coin's commission in the range, in a ranking of coins of
	// the converted total. It is not known where the whole is not positive.
	Share Ratio
}

// RankLength is how many lines a ranking of many has.
const RankLength = 10

// RankKey names a line: the same UID may be one of several accounts.
type RankKey struct {
	Name    string
	Account affiliate.Account
}

// RankSums are the sums of one coin that a ranking is made of.
type RankSums map[RankKey]*coinSums

// Add adds the sums to the part of a key.
func (p RankSums) Add(key RankKey, s sums.Sums) {
	if p[key] == nil {
		p[key] = new(coinSums)
	}
	p[key].add(s)
}

// Rank orders parts beside those of the compared period, which may be nil, and
// keeps as many lines as asked for.
func (ref Reference) Rank(by RankBy, coin affiliate.Coin, now, before RankSums, length int) Ranking {
	keys := make([]RankKey, 0, len(now))
	for key := range now {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b RankKey) int {
		return cmp.Or(now[b].commission.Cmp(&now[a].commission), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Account, b.Account))
	})
	var total, others, othersBefore coinSums
	for _, sums := range now {
		total.merge(sums)
	}
	whole := total.commission.Decimal()
	ranking := Ranking{By: by, Coin: coin, Total: affiliate.Amount{Value: whole, Coin: coin}, OthersN: max(0, len(keys)-length)}
	top := keys[:min(length, len(keys))]
	for _, key := range top {
		was := before[key]
		if was == nil {
			was = new(coinSums)
		}
		line := ref.rankLine(coin, now[key], was, whole)
		line.Name, line.Account = key.Name, key.Account
		ranking.Lines = append(ranking.Lines, line)
	}
	for _, key := range keys[len(top):] {
		others.merge(now[key])
	}
	for key, sums := range before {
		if !slices.Contains(top, key) {
			othersBefore.merge(sums)
		}
	}
	ranking.Others = ref.rankLine(coin, &others, &othersBefore, whole)
	return ranking
}

func (ref Reference) rankLine(coin affiliate.Coin, now, before *coinSums, whole decimal.Decimal) RankLine {
	return RankLine{
		Records:    now.records,
		Commission: ref.beside(coin, now.commission.Decimal(), before.commission.Decimal()),
		Fee:        affiliate.Amount{Value: now.fee.Decimal(), Coin: coin},
		Share:      ShareOf(now.commission.Decimal(), whole),
	}
}
