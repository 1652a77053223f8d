package records

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"iter"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// Restatement is a record that a later read found to differ from the first whole read of
// its UTC day: a row closed, a row opened, or both as two versions of one trade.
type Restatement struct {
	Noticed affiliate.Millis // stamp of the read that found it
	Account affiliate.Account
	Was     *affiliate.Commission // nil: the row did not exist
	Became  *affiliate.Commission // nil: the row no longer exists
	id      int64                 // of the newer row, or else of the older: a stable order
}

// Compare orders restatements by the time they were noticed, newest first; those of one
// instant keep the stored order.
func (r Restatement) Compare(o Restatement) int {
	return cmp.Or(cmp.Compare(o.Noticed, r.Noticed), cmp.Compare(r.id, o.id))
}

// trade is what two versions of a record have in common. Coin and source are part of it: a
// record that leaves one coin and appears in another changes both totals, and no filter may
// separate a pair.
type trade struct {
	stamp  affiliate.Millis
	deal   affiliate.Millis
	uid    affiliate.UID
	symbol string
	source affiliate.Source
	coin   affiliate.Coin
}

// Restatements yields the changes of the records of the filter since the UTC day of each
// was first read whole (see [Settles]), by day of the deal. A row that came and went since
// is two restatements. For each coin, the commission of that first state and all changes
// therefore add up to the current commission. With AsOf they stop at that instant.
//
// It reads the rows of the days that may have changed once, a day at a time. Most days
// never change, and their rows are skipped.
func Restatements(ctx context.Context, r *store.Tx, f CommissionFilter) iter.Seq2[Restatement, error] {
	return RestatementsSince(ctx, r, f, 0)
}

// RestatementsSince yields the [Restatements] that were noticed after an instant. Days that
// were not read since cost nothing, so all days may be requested.
func RestatementsSince(ctx context.Context, r *store.Tx, f CommissionFilter, since affiliate.Millis) iter.Seq2[Restatement, error] {
	return func(yield func(Restatement, error) bool) {
		if err := eachRestatement(ctx, r, f, since, yield); err != nil {
			yield(Restatement{}, fmt.Errorf("reading restatements: %w", err))
		}
	}
}

func eachRestatement(ctx context.Context, r *store.Tx, f CommissionFilter, since affiliate.Millis, yield func(Restatement, error) bool) error {
	reads, err := commissionReads(ctx, r, f)
	if err != nil {
		return err
	}
	reads = slices.DeleteFunc(reads, func(d dayRead) bool { return d.steady || d.last <= since })
	return restatementsOf(ctx, r, reads, f, since, yield)
}

// commissionReads returns the UTC days that overlap the filter.
func commissionReads(ctx context.Context, r *store.Tx, f CommissionFilter) ([]dayRead, error) {
	span := f.Days.Range(r.ReportingZone())
	utc := affiliate.Days{First: affiliate.DayOf(span.From, time.UTC), Last: affiliate.DayOf(span.To.Add(-time.Nanosecond), time.UTC)}
	return wholeReads(ctx, r, affiliate.Commissions, f.Account, f.Product, utc)
}

// restatementsOf reads the rows of the given days, for restatements that were noticed after
// an instant.
func restatementsOf(ctx context.Context, r *store.Tx, reads []dayRead, f CommissionFilter, noticed affiliate.Millis, yield func(Restatement, error) bool) error {
	span := f.Days.Range(r.ReportingZone())
	var w store.Where
	f.OfRecords(&w)
	w.Add(`c.deal_time_ms >= ? AND c.deal_time_ms < ? AND c.account_id = ? AND c.product = ?
		AND (c.opened_ms BETWEEN ? AND ? OR c.closed_ms BETWEEN ? AND ?)`)
	query := `
		SELECT c.id, c.opened_ms, coalesce(c.closed_ms, 0), ` + CommissionColumnList("c.") + `
		FROM commissions c WHERE ` + w.String() + ` ORDER BY c.id`
	until := affiliate.Millis(1<<63 - 1)
	if f.AsOf.Known() {
		until = f.AsOf
	}
	for _, read := range reads {
		day := read.day.Range(time.UTC)
		from, to := max(affiliate.MillisOf(day.From), affiliate.MillisOf(span.From)), min(affiliate.MillisOf(day.To), affiliate.MillisOf(span.To))
		since := max(read.whole, noticed) + 1
		rows, err := r.QueryContext(ctx, query, append(w.Args[:len(w.Args):len(w.Args)],
			from, to, read.account, read.product, since, until, since, until)...)
		if err != nil {
			return err
		}
		list, err := pairRestatements(rows, read.name, since, until)
		if err != nil {
			return err
		}
		for _, one := range list {
			if !yield(one, nil) {
				return nil
			}
		}
	}
	return nil
}

// pairRestatements builds restatements from the rows of one day, account and product, by
// their id. A row opened when another row of its trade was closed is its new version.
func pairRestatements(rows *sql.Rows, account affiliate.Account, since, until affiliate.Millis) ([]Restatement, error) {
	defer rows.Close()
	var list []Restatement
	var opened []int            // positions in list
	closed := map[trade][]int{} // positions in list
	var id int64
	var open, end affiliate.Millis
	var c affiliate.Commission
	targets := append([]any{&id, &open, &end}, CommissionTargets(&c)...)
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		record := c
		if open >= since && open <= until {
			opened = append(opened, len(list))
			list = append(list, Restatement{Noticed: open, Account: account, Became: &record, id: id})
		}
		if end >= since && end <= until {
			of := tradeOf(end, &record)
			closed[of] = append(closed[of], len(list))
			list = append(list, Restatement{Noticed: end, Account: account, Was: &record, id: id})
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	paired := map[int]bool{}
	for _, at := range opened {
		of := tradeOf(list[at].Noticed, list[at].Became)
		if before := closed[of]; len(before) > 0 {
			list[at].Was, paired[before[0]], closed[of] = list[before[0]].Was, true, before[1:]
		}
	}
	kept := list[:0]
	for i, one := range list {
		if !paired[i] {
			kept = append(kept, one)
		}
	}
	return kept, nil
}

func tradeOf(stamp affiliate.Millis, c *affiliate.Commission) trade {
	return trade{stamp, c.DealTime, c.UID, c.Symbol, c.Source, c.Coin}
}
