package reports

import (
	"cmp"
	"context"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// Noticed is what readings found to have changed of records of one coin, whatever
// day the trades are of. What went up and what went down stand apart: their
// difference may be small where much was taken away.
type Noticed struct {
	Coin     affiliate.Coin
	Records  int64
	Up, Down decimal.Decimal  // of the commission, exact; Down is not above 0
	Days     affiliate.Days   // reporting days of the records
	Newest   affiliate.Millis // when the newest was found
}

// Gross is by how much figures changed, whichever way.
func (n Noticed) Gross() decimal.Decimal { return n.Up.Sub(n.Down) }

// noticed answers [Service.Noticed] for the coin.
func noticed(ctx context.Context, q *question, coin affiliate.Coin, since affiliate.Millis) (Noticed, error) {
	list, err := q.noticed(ctx, since)
	if i := slices.IndexFunc(list, func(n Noticed) bool { return n.Coin == coin }); i >= 0 {
		return list[i], err
	}
	return Noticed{Coin: coin}, err
}

// noticed is that of each coin, that of most records first. It is what an alert
// and the list of what needs attention go by, so that they agree.
func (q *question) noticed(ctx context.Context, since affiliate.Millis) ([]Noticed, error) {
	today := affiliate.DayOf(q.now, q.Zone)
	first, err := sums.FirstDay(ctx, q.Tx, today)
	if err != nil {
		return nil, err
	}
	f := q.filter()
	f.Days = affiliate.Days{First: first, Last: today}
	byCoin := map[affiliate.Coin]*Noticed{}
	for found, err := range records.RestatementsSince(ctx, q.Tx, f, since) {
		if err != nil {
			return nil, err
		}
		row := restatementOf(found)
		if byCoin[row.Coin] == nil {
			byCoin[row.Coin] = &Noticed{Coin: row.Coin}
		}
		byCoin[row.Coin].add(row, q.Query)
	}
	list := make([]Noticed, 0, len(byCoin))
	for _, n := range byCoin {
		list = append(list, *n)
	}
	slices.SortFunc(list, func(a, b Noticed) int {
		return cmp.Or(cmp.Compare(b.Records, a.Records), cmp.Compare(a.Coin, b.Coin))
	})
	return list, nil
}

func (n *Noticed) add(row Restatement, q Query) {
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
