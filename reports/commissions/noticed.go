package commissions

import (
	"cmp"
	"context"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/query"
	"rebatedesk/reports/question"
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

// MakeNoticed adds up what was found after an instant to have changed of a coin.
func MakeNoticed(ctx context.Context, q *question.Question, coin affiliate.Coin, since affiliate.Millis) (Noticed, error) {
	list, err := NoticedByCoin(ctx, q, since)
	if i := slices.IndexFunc(list, func(n Noticed) bool { return n.Coin == coin }); i >= 0 {
		return list[i], err
	}
	return Noticed{Coin: coin}, err
}

// NoticedByCoin is that of each coin, that of most records first. It is what an alert
// and the list of what needs attention go by, so that they agree.
func NoticedByCoin(ctx context.Context, q *question.Question, since affiliate.Millis) ([]Noticed, error) {
	today := affiliate.DayOf(q.Now, q.Zone)
	first, err := sums.FirstDay(ctx, q.Tx, today)
	if err != nil {
		return nil, err
	}
	f := q.Filter()
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

func (n *Noticed) add(row Restatement, q query.Query) {
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
