package commissions

import (
	"cmp"
	"context"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// Restated sums the restatements of one coin over all days. Increases and decreases are
// separate: their difference can be small although much was taken away.
type Restated struct {
	Coin     affiliate.Coin
	Records  int64
	Up, Down decimal.Decimal  // of the commission, exact; Down is at most 0
	Days     affiliate.Days   // reporting days of the records
	Newest   affiliate.Millis // when the newest was found
}

// Gross returns the sum of all changes without their sign.
func (n Restated) Gross() decimal.Decimal { return n.Up.Sub(n.Down) }

// RestatedSince sums the restatements of a coin noticed after an instant.
func RestatedSince(ctx context.Context, q *snapshot.Snapshot, coin affiliate.Coin, since affiliate.Millis) (Restated, error) {
	list, err := RestatedByCoin(ctx, q, since)
	if i := slices.IndexFunc(list, func(n Restated) bool { return n.Coin == coin }); i >= 0 {
		return list[i], err
	}
	return Restated{Coin: coin}, err
}

// RestatedByCoin is [RestatedSince] for each coin, the coin with most records first.
// Alerts and findings both use it, so that they agree.
func RestatedByCoin(ctx context.Context, q *snapshot.Snapshot, since affiliate.Millis) ([]Restated, error) {
	today := affiliate.DayOf(q.Now, q.Zone)
	first, err := sums.FirstDay(ctx, q.Tx, today)
	if err != nil {
		return nil, err
	}
	f := q.Filter()
	f.Days = affiliate.Days{First: first, Last: today}
	byCoin := map[affiliate.Coin]*Restated{}
	for found, err := range records.RestatementsSince(ctx, q.Tx, f, since) {
		if err != nil {
			return nil, err
		}
		row := restatementOf(found)
		if byCoin[row.Coin] == nil {
			byCoin[row.Coin] = &Restated{Coin: row.Coin}
		}
		byCoin[row.Coin].add(row, q.Query)
	}
	list := make([]Restated, 0, len(byCoin))
	for _, n := range byCoin {
		list = append(list, *n)
	}
	slices.SortFunc(list, func(a, b Restated) int {
		return cmp.Or(cmp.Compare(b.Records, a.Records), cmp.Compare(a.Coin, b.Coin))
	})
	return list, nil
}

func (n *Restated) add(row RestatementLine, q query.Query) {
	day := affiliate.DayOf(row.DealTime.Time(), q.Zone)
	if n.Records == 0 {
		n.Days = affiliate.Days{First: day, Last: day}
	}
	n.Records++
	n.Days = affiliate.Days{First: min(n.Days.First, day), Last: max(n.Days.Last, day)}
	n.Newest = max(n.Newest, row.Noticed)
	var change affiliate.Sum
	change.Add(row.Became)
	change.Sub(row.Was)
	if by := change.Decimal(); by.IsPositive() {
		n.Up = n.Up.Add(by)
	} else {
		n.Down = n.Down.Add(by)
	}
}
