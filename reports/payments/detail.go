package payments

import (
	"context"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/books"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store"
	"rebatedesk/store/payments"
)

// MakeOne makes the report about one line. If there is no such line, the error is a
// *[store.RuleError] with Missing.
func MakeOne(ctx context.Context, q *snapshot.Snapshot, key payments.LineKey) (Detail, error) {
	view := Detail{Zone: q.Zone, Now: affiliate.MillisOf(q.Now)}
	zone := q.Zone
	q, err := q.InUTC(ctx)
	if err != nil {
		return view, err
	}
	view.Query = q.Query
	ledger, err := openLedger(ctx, q)
	if err != nil {
		return view, err
	}
	line, ok := ledger.find(key)
	if !ok {
		return view, &store.RuleError{Problem: "There is no such line: the payout rule may have changed, or the exchange changed its records.", Missing: true}
	}
	view.Coins = affiliate.Choose(ledger.spelled(line.Coin))
	view.Line, view.Rule = line, ledger.ruleAt(line.Account, line.From)
	if view.Refused, err = refused(ctx, q.OfAccount(line.Account)); err != nil {
		return view, err
	}
	if line.To > line.From {
		view.Records = affiliate.Days{First: affiliate.DayOf(line.From.Time(), zone), Last: affiliate.DayOf((line.To - 1).Time(), zone)}
		records := view.Records.Range(zone)
		view.Exact = affiliate.MillisOf(records.From) == line.From && affiliate.MillisOf(records.To) == line.To
		if err := readEarned(ctx, q, &view, ledger.spelled(line.Coin)); err != nil {
			return view, err
		}
	}
	if len(line.Bills) > 0 {
		days := affiliate.Days{First: affiliate.DayOf(line.FirstPaid().Time(), time.UTC), Last: affiliate.DayOf(line.LastPaid().Time(), time.UTC) + 1}
		for row, err := range payments.Transfers(ctx, q.Tx, payments.TransferFilter{Days: days, Account: line.Account, Coin: line.Coin, AsOf: q.AsOfMillis()}) {
			if err != nil {
				return view, err
			}
			if row.Time >= line.FirstPaid() {
				view.Transfers = append(view.Transfers, row)
			}
		}
	}
	return view, nil
}

// readEarned reads the hours of a line, and what the exchange changed in them.
func readEarned(ctx context.Context, q *snapshot.Snapshot, view *Detail, coins []affiliate.Coin) error {
	line := &view.Line
	of := func(account affiliate.Account, coin affiliate.Coin, source affiliate.Source, at affiliate.Millis) bool {
		return account == line.Account && slices.Contains(coins, coin) && at >= line.From && at < line.To &&
			(line.Kind == books.All || (source == affiliate.SubAgent) == (line.Kind == books.Sub))
	}
	days := affiliate.Days{First: affiliate.DayOf(line.From.Time(), time.UTC), Last: affiliate.DayOf((line.To - 1).Time(), time.UTC)}
	var rows []payments.HourRow
	for _, coin := range coins {
		more, err := payments.Hours(ctx, q.Tx, payments.HourFilter{Days: days, Account: line.Account, Coin: coin, AsOf: q.AsOfMillis()})
		if err != nil {
			return err
		}
		rows = append(rows, more...)
	}
	for _, hour := range hourSums(rows) {
		if of(hour.Account, hour.Coin, hour.Source, hour.Start) {
			view.Hours = append(view.Hours, HourEarned{hour.Start, hour.Source, hour.Commission})
		}
	}
	changes, err := readChanges(ctx, q, days, line.Account)
	if err != nil {
		return err
	}
	view.Changes = slices.DeleteFunc(changes, func(c books.Change) bool { return !of(c.Account, c.Coin, c.Source, c.Deal) })
	slices.SortStableFunc(view.Changes, func(a, b books.Change) int { return int(a.Noticed - b.Noticed) })
	return nil
}
