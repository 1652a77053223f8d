package sums

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
)

// ClockSums are the sums of an hour of a reporting day and one kind of records.
type ClockSums struct {
	Hour    int // of [HoursOfDay]
	DaySums     // without an account
}

// HoursOfDay divides a day of a zone into hours from its beginning on. There are 23 or 25 of them
// if clocks change by an hour; after a change by less the last one is shorter.
func HoursOfDay(day affiliate.Day, zone *time.Location) []affiliate.Range {
	span := day.Range(zone)
	var hours []affiliate.Range
	for from := span.From; from.Before(span.To); from = from.Add(time.Hour) {
		to := from.Add(time.Hour)
		if to.After(span.To) {
			to = span.To
		}
		hours = append(hours, affiliate.Range{From: from.In(zone), To: to.In(zone)})
	}
	return hours
}

// ByHour adds up the records of the first day of the filter by hour, product, coin and source, in
// no order. It reads the records of that day.
func ByHour(ctx context.Context, r *store.Tx, f records.CommissionFilter) ([]ClockSums, error) {
	span := f.Days.First.Range(r.ReportingZone())
	w := f.Rows(span)
	hour := fmt.Sprintf(`(c.deal_time_ms - %d) / %d`, affiliate.MillisOf(span.From), time.Hour.Milliseconds())
	list, err := store.Scanned(ctx, r, func(rows *sql.Rows) (s ClockSums, err error) {
		s.Day = f.Days.First
		err = rows.Scan(append([]any{&s.Hour, &s.Product, &s.Coin, &s.Source}, s.targets()...)...)
		return s, err
	}, `SELECT `+hour+`, c.product, c.coin, c.source, count(*), `+affiliate.SummedFields.InStore(`decimal_sum(c.%s)`)+`
		FROM commissions c WHERE `+w.String()+`
		GROUP BY `+hour+`, c.product, c.coin, c.source`, w.Args...)
	if err != nil {
		return nil, fmt.Errorf("adding up commissions by hour: %w", err)
	}
	return list, nil
}
