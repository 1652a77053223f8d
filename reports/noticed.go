package reports

import (
	"context"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// Noticed is what readings found to have changed of records of the past, of one
// coin, after an instant.
type Noticed struct {
	Records  int64
	Up, Down decimal.Decimal  // of the commission; Down is not above 0
	Days     affiliate.Days   // reporting days of the records
	Newest   affiliate.Millis // when the newest was found
}

// Gross is by how much figures changed, whichever way.
func (n Noticed) Gross() decimal.Decimal { return n.Up.Sub(n.Down) }

// Noticed adds up what was found after the instant since to have changed of the
// records of the query, see [Service.Restatements]. Of the query it takes the
// account, the coin and the days.
func (s *Service) Noticed(ctx context.Context, query Query, since affiliate.Millis) (n Noticed, err error) {
	q, err := s.ask(ctx, Query{Account: query.Account, Coin: query.Coin, Zone: query.Zone, Today: query.Today, Days: query.Days})
	if err != nil {
		return n, err
	}
	defer q.Close()
	for found, err := range q.Reader.Restatements(ctx, q.filter()) {
		if err != nil {
			return n, err
		}
		if found.Noticed > since {
			n.add(restatementOf(found), q.Query)
		}
	}
	return n, nil
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
