package mail

import (
	"context"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/changes"
	"rebatedesk/reports/months"
	"rebatedesk/reports/phrase"
	"rebatedesk/store/outbox"
)

// months adds what became known of closed months since a message of the schedule told it, or else
// since their close. A message that is queued notes up to when it tells, so that each change is told
// once.
func (q *question) months(ctx context.Context) error {
	closed, err := reports.NewMonthDesk(q.reports).InForce(ctx)
	if err != nil || len(closed) == 0 {
		return err
	}
	r, err := q.store.Read(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	told, err := outbox.MonthsTold(ctx, r, q.about.ID)
	if err != nil {
		return err
	}
	t := FigureTable{Title: "Changes after close, of closed months", Head: []string{"Month", "Coin", "Change", "Records"}, Spare: 3}
	for i := range closed {
		since, until := closed[i].Known, q.query.AsOfMillis()
		if at, ok := told[closed[i].Month]; ok {
			since = at
		}
		if since >= until {
			continue
		}
		asked, err := q.ask(months.DaysOf(closed[i].Month))
		if err != nil {
			return err
		}
		asked.AsOf, asked.Since, asked.Until = time.Time{}, since.Time(), until.Time()
		asked.Sort, asked.By, asked.Per = changes.AcceptedOfChanges.Order, changes.ChangeSplits()[0], 1
		view, err := q.reports.Changes(ctx, asked)
		if err != nil {
			return err
		}
		for _, moved := range view.Totals {
			net := moved.Net()
			amount := affiliate.Amount{Value: net.Decimal(), Coin: moved.Coin}
			t.Rows = append(t.Rows, []string{phrase.MonthName(closed[i].Month), affiliate.OneLine(string(moved.Coin)),
				phrase.WithSign(amount.Value, amount.Value.String()), phrase.Count(moved.Records)})
		}
		q.MonthsTold = append(q.MonthsTold, outbox.MonthTold{Month: closed[i].Month, Until: until})
	}
	q.add(t)
	return nil
}
