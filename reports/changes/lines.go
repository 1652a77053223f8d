package changes

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/records"
)

// describe fills in the sums.
func (c *comparison) describe(q *snapshot.Snapshot, view *Report) {
	view.All, view.Entered, view.Left = c.count, c.entered, c.left
	coins := map[affiliate.Coin]*UpAndDown{}
	for of, sum := range c.kinds {
		sumAt(coins, of.coin).add(*sum)
		if asks(q.Query, of.kind) {
			view.Count += sum.Records
		}
	}
	for coin, sum := range coins {
		view.Totals = append(view.Totals, CoinMoved{coin, *sum})
	}
	slices.SortFunc(view.Totals, func(a, b CoinMoved) int {
		return cmp.Or(cmp.Compare(b.Records, a.Records), cmp.Compare(a.Coin, b.Coin))
	})
	place := map[affiliate.Coin]int{}
	for i, total := range view.Totals {
		place[total.Coin] = i
	}
	for _, kind := range Kinds() {
		for _, total := range view.Totals {
			if sum := c.kinds[kindKey{kind, total.Coin}]; sum != nil {
				view.Kinds = append(view.Kinds, KindMoved{kind, total.Coin, *sum})
			}
		}
	}
	view.Groups = c.groupsOf(q.Query, place)
}

// asks reports whether the query asks for a kind.
func asks(q query.Query, kind commissions.RestatementKind) bool {
	change := q.Own("change")
	return change == "" || change == string(kind)
}

// groupsOf returns the parts of the split of the query: the newest month first, other parts
// by coin, and within it by what moved most.
func (c *comparison) groupsOf(q query.Query, place map[affiliate.Coin]int) (list []GroupMoved) {
	groups := map[groupKey]*UpAndDown{}
	for of, sum := range c.groups[q.By] {
		if asks(q, of.kind) {
			of.kind = ""
			sumAt(groups, of).add(*sum)
		}
	}
	gross := make(map[groupKey]decimal.Decimal, len(groups))
	for of, sum := range groups {
		list = append(list, GroupMoved{of.account, of.key, of.coin, *sum})
		gross[of] = sum.Up.Decimal().Sub(sum.Down.Decimal())
	}
	keyOf := func(g GroupMoved) groupKey { return groupKey{"", g.Account, g.Key, g.Coin} }
	slices.SortFunc(list, func(a, b GroupMoved) int {
		byCoin, byKey := cmp.Compare(place[a.Coin], place[b.Coin]), cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Account, b.Account))
		if q.By == "month" {
			return cmp.Or(-byKey, byCoin)
		}
		return cmp.Or(byCoin, gross[keyOf(b)].Cmp(gross[keyOf(a)]), byKey)
	})
	return list
}

// page returns the lines of the page of a query. first may have them already.
func (c *comparison) page(ctx context.Context, q *snapshot.Snapshot, first *best) ([]*records.Difference, error) {
	if !first.filled {
		for one, err := range c.all(ctx, q) {
			if err != nil {
				return nil, err
			}
			if asks(q.Query, KindOf(one)) {
				first.add(one)
			}
		}
	}
	return first.page((q.Page - 1) * q.Per), nil
}

// all yields the lines of all kinds: those in memory, or else those of the store.
func (c *comparison) all(ctx context.Context, q *snapshot.Snapshot) iter.Seq2[*records.Difference, error] {
	if c.lines == nil {
		return differences(ctx, q)
	}
	return func(yield func(*records.Difference, error) bool) {
		for _, one := range c.lines {
			if !yield(one, nil) {
				return
			}
		}
	}
}

// best keeps the first lines of an order, up to a limit.
type best struct {
	compare func(a, b *records.Difference) int
	limit   int
	kept    []*records.Difference
	filled  bool // with all lines
}

func (b *best) add(d *records.Difference) {
	b.kept = append(b.kept, d)
	if len(b.kept) >= 2*b.limit {
		b.cut()
	}
}

func (b *best) cut() {
	slices.SortFunc(b.kept, b.compare)
	most := min(len(b.kept), b.limit)
	clear(b.kept[most:])
	b.kept = b.kept[:most]
}

// page returns the kept lines from offset on, in order.
func (b *best) page(offset int) []*records.Difference {
	b.cut()
	return b.kept[min(offset, len(b.kept)):]
}

// coinSorts are the columns that are sorted within each coin.
var coinSorts = []string{"before", "after", "difference"}

// orderOf returns an order of lines. Equal ones are in order of deal time, or in the reverse
// order if the sort is descending.
func orderOf(by query.Sort) func(a, b *records.Difference) int {
	compare := compareBy(by.Field)
	return func(a, b *records.Difference) int {
		coins := 0
		if slices.Contains(coinSorts, by.Field) {
			coins = figures.CompareCoins(a.Record().Coin, b.Record().Coin)
		}
		if by.Descending {
			a, b = b, a
		}
		return cmp.Or(coins, compare(a, b), a.Compare(b))
	}
}

func compareBy(column string) func(a, b *records.Difference) int {
	kinds := Kinds()
	text := func(of func(*records.Difference) string) func(a, b *records.Difference) int {
		return func(a, b *records.Difference) int { return cmp.Compare(of(a), of(b)) }
	}
	switch column {
	case "noticed":
		return func(a, b *records.Difference) int { return cmp.Compare(a.Noticed, b.Noticed) }
	case "change":
		return func(a, b *records.Difference) int {
			return cmp.Compare(slices.Index(kinds, KindOf(a)), slices.Index(kinds, KindOf(b)))
		}
	case "account":
		return text(func(d *records.Difference) string { return string(d.Account) })
	case "uid":
		return text(func(d *records.Difference) string { return string(d.Record().UID) })
	case "code":
		return text(func(d *records.Difference) string { return d.InviteCode })
	case "product":
		return text(func(d *records.Difference) string { return string(d.Record().Product) })
	case "symbol":
		return text(func(d *records.Difference) string { return d.Record().Symbol })
	case "source":
		return text(func(d *records.Difference) string { return string(d.Record().Source) })
	case "coin":
		return text(func(d *records.Difference) string { return string(d.Record().Coin) })
	case "before":
		return func(a, b *records.Difference) int { return compareNumbers(Before(a), Before(b)) }
	case "after":
		return func(a, b *records.Difference) int { return compareNumbers(After(a), After(b)) }
	case "difference":
		return func(a, b *records.Difference) int {
			x, y := DifferenceOf(a), DifferenceOf(b)
			return x.Cmp(&y)
		}
	}
	return (*records.Difference).Compare
}

// compareNumbers compares by value; unknown comes first.
func compareNumbers(a, b affiliate.Number) int {
	if !a.Known() || !b.Known() {
		return cmp.Compare(min(len(a), 1), min(len(b), 1))
	}
	return a.Cmp(b)
}

// Before returns the commission before; empty if the record was not there.
func Before(d *records.Difference) affiliate.Number {
	if d.Was == nil {
		return ""
	}
	return d.Was.Commission
}

// After returns the commission after; empty if the record is gone.
func After(d *records.Difference) affiliate.Number {
	if d.Became == nil {
		return ""
	}
	return d.Became.Commission
}
