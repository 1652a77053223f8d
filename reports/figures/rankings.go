package figures

import (
	"cmp"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/store/sums"
)

// RankBy is the subject of a ranking.
type RankBy string

// Rankings of the overview.
const (
	RankInvitees RankBy = "invitee"
	RankPairs    RankBy = "pair"
	RankCodes    RankBy = "code"
	RankProducts RankBy = "product"
	RankSources  RankBy = "source"
	RankCoins    RankBy = "coin"
)

// Ranking lists the largest sources of commission in one coin. Its lines and Others, which
// sums all entries without a line, add up to Total.
type Ranking struct {
	By      RankBy
	Coin    affiliate.Coin // empty in a ranking of coins
	Lines   []RankLine     // most commission first; equal ones by name
	Others  RankLine       // all entries without a line, without a name
	OthersN int            // number of entries in Others
	Total   affiliate.Amount
}

// RankLine is one entry of a ranking.
type RankLine struct {
	Name       string            // a UID, pair, invite code, product, source or coin; empty = not known
	Account    affiliate.Account // of an invitee
	Code       string            // invite code of an invitee; empty = not known
	OurCode    bool              // the code of the invitee, or the code that is ranked, is ours: the exchange tells it of nobody
	Records    int64
	Commission Figure
	Fee        affiliate.Amount
	// Share is the share of the coin's commission in the range, or of the converted total
	// in a ranking of coins, see [Portions.Share].
	Share Ratio
	// Presence says of an invitee or a code in which periods it had commission. It is empty if that
	// is not known, and of other lines.
	Presence Presence
	// Trend is the commission per day of the range, in the coin of the line. It has no days if the
	// range is a single day, or if no reading of the report tells them.
	Trend Trend
}

// RankLength is the number of lines in a long ranking.
const RankLength = 10

// RankKey identifies a line: several accounts may have the same UID.
type RankKey struct {
	Name    string
	Account affiliate.Account
}

// RankSums are the sums of one coin from which a ranking is made.
type RankSums map[RankKey]*coinSums

// Add adds the sums to the part of a key.
func (p RankSums) Add(key RankKey, s sums.Sums) {
	if p[key] == nil {
		p[key] = new(coinSums)
	}
	p[key].add(s)
}

// AddTotals adds totals of the coin.
func (p RankSums) AddTotals(key RankKey, t Totals) {
	if p[key] == nil {
		p[key] = new(coinSums)
	}
	p[key].addTotals(t)
}

// Rank orders parts together with those of the compared period, which may be nil, and keeps
// the requested number of lines.
func (ref Reference) Rank(by RankBy, coin affiliate.Coin, now, before RankSums, length int) Ranking {
	order := func(a, b RankKey) int {
		return cmp.Or(now[b].Commission.Cmp(&now[a].Commission), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Account, b.Account))
	}
	var total, others, othersBefore coinSums
	var whole, rest Portions
	top := make([]RankKey, 0, length+1) // sorting all keys would cost more
	for key, sums := range now {
		total.merge(sums)
		whole.addSum(sums.Commission)
		if len(top) < length || length > 0 && order(key, top[length-1]) < 0 {
			at, _ := slices.BinarySearchFunc(top, key, order)
			top = slices.Insert(top, at, key)
		} else {
			others.merge(sums)
		}
		if len(top) > length {
			others.merge(now[top[length]])
			top = top[:length]
		}
	}
	for key, sums := range now {
		if !slices.Contains(top, key) {
			rest.addSum(sums.Commission)
		}
	}
	ranking := Ranking{By: by, Coin: coin, Total: affiliate.Amount{Value: total.Commission.Decimal(), Coin: coin}, OthersN: len(now) - len(top)}
	for _, key := range top {
		was := before[key]
		if was == nil {
			was = new(coinSums)
		}
		line := ref.rankLine(coin, now[key], was)
		line.Share = whole.Share(line.Commission.Amount.Value)
		line.Name, line.Account = key.Name, key.Account
		ranking.Lines = append(ranking.Lines, line)
	}
	for key, sums := range before {
		if !slices.Contains(top, key) {
			othersBefore.merge(sums)
		}
	}
	ranking.Others = ref.rankLine(coin, &others, &othersBefore)
	ranking.Others.Share = whole.ShareOfRest(rest)
	return ranking
}

func (ref Reference) rankLine(coin affiliate.Coin, now, before *coinSums) RankLine {
	return RankLine{
		Records:    now.records,
		Commission: ref.beside(coin, now.Commission.Decimal(), before.Commission.Decimal()),
		Fee:        affiliate.Amount{Value: now.Fee.Decimal(), Coin: coin},
	}
}
