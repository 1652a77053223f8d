package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"rebatedesk/affiliate"
)

// Sums are exact totals of commission records of one coin, as plain decimals.
type Sums struct {
	Records     int64
	Fee         affiliate.Number
	Commission  affiliate.Number
	TakerAmount affiliate.Number
	MakerAmount affiliate.Number
}

func (s *Sums) targets() []any {
	return []any{&s.Records, &s.Fee, &s.Commission, &s.TakerAmount, &s.MakerAmount}
}

// DaySums are the sums of one reporting day and one kind of records.
type DaySums struct {
	Day     affiliate.Day
	Account affiliate.Account
	Product affiliate.Product
	Coin    affiliate.Coin
	Source  affiliate.Source
	Sums
}

// DaySums adds up the records of the filter by reporting day, account,
// product, coin and source, in that order. Days without records have no line.
// Where a roll-up can answer, the cost follows the number of days; otherwise
// (a symbol, a text, an earlier state) the records of the range are read.
func (r *Reader) DaySums(ctx context.Context, f CommissionFilter) ([]DaySums, error) {
	table, ok := r.rollup(f)
	read := r.daySumsFromRows
	if ok {
		read = func(ctx context.Context, f CommissionFilter) ([]DaySums, error) {
			return r.daySumsFromRollup(ctx, f, table)
		}
	}
	list, err := read(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("adding up commissions by day: %w", err)
	}
	return list, nil
}

func (r *Reader) daySumsFromRollup(ctx context.Context, f CommissionFilter, table string) ([]DaySums, error) {
	w := f.rollupRows()
	rows, err := r.tx.QueryContext(ctx, `
		SELECT c.day, a.name, c.product, c.coin, c.source, sum(c.records),
			decimal_sum(c.fee), decimal_sum(c.commission), decimal_sum(c.taker_amount), decimal_sum(c.maker_amount)
		FROM `+table+` c JOIN accounts a ON a.id = c.account_id
		WHERE `+w.String()+`
		GROUP BY c.day, a.name, c.product, c.coin, c.source
		ORDER BY c.day, a.name, c.product, c.coin, c.source`, w.args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []DaySums
	for rows.Next() {
		var d DaySums
		var day string
		if err := rows.Scan(append([]any{&day, &d.Account, &d.Product, &d.Coin, &d.Source}, d.targets()...)...); err != nil {
			return nil, err
		}
		if d.Day, err = affiliate.ParseDay(day); err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	return list, rows.Err()
}

func (r *Reader) daySumsFromRows(ctx context.Context, f CommissionFilter) ([]DaySums, error) {
	w := f.rows(f.Days.Range(r.zone))
	rows, err := r.tx.QueryContext(ctx, `
		SELECT a.name, c.product, c.deal_time_ms, c.uid, c.symbol, c.source, c.coin,
			c.taker_amount, c.maker_amount, c.fee, c.rate, c.commission
		FROM commissions c JOIN accounts a ON a.id = c.account_id
		WHERE `+w.String()+` ORDER BY c.deal_time_ms`, w.args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return r.groupByDay(rows)
}

// groupByDay adds records up in the zone of the store; they come in order of
// time.
func (r *Reader) groupByDay(rows *sql.Rows) ([]DaySums, error) {
	groups := map[DaySums]*sums{}
	var span affiliate.Range
	var key DaySums
	var c affiliate.Commission
	targets := append([]any{&key.Account}, commissionTargets(&c)...)
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		if !span.Contains(c.DealTime) {
			key.Day = affiliate.DayOf(c.DealTime.Time(), r.zone)
			span = key.Day.Range(r.zone)
		}
		key.Product, key.Coin, key.Source = c.Product, c.Coin, c.Source
		at(groups, key).add(&c, 1)
	}
	list := make([]DaySums, 0, len(groups))
	for key, s := range groups {
		key.Sums = s.result()
		list = append(list, key)
	}
	slices.SortFunc(list, func(a, b DaySums) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Account, b.Account),
			cmp.Compare(a.Product, b.Product), cmp.Compare(a.Coin, b.Coin), cmp.Compare(a.Source, b.Source))
	})
	return list, rows.Err()
}

func (s *sums) result() Sums {
	return Sums{
		Records: s.records, Fee: affiliate.Number(s.fee.String()), Commission: affiliate.Number(s.commission.String()),
		TakerAmount: affiliate.Number(s.takerAmount.String()), MakerAmount: affiliate.Number(s.makerAmount.String()),
	}
}

// inviteeSource is where sums by invitee are taken from.
type inviteeSource struct{ table, records string }

func (f CommissionFilter) byInvitee(r *Reader) (inviteeSource, where) {
	if _, ok := r.rollup(f); ok {
		return inviteeSource{"commission_invitee_days", "c.records"}, f.rollupRows()
	}
	return inviteeSource{"commissions", "1"}, f.rows(f.Days.Range(r.zone))
}

// ActiveTraders counts the invitees with at least one record of the filter.
func (r *Reader) ActiveTraders(ctx context.Context, f CommissionFilter) (int64, error) {
	from, w := f.byInvitee(r)
	var n int64
	err := r.tx.QueryRowContext(ctx, `
		SELECT count(*) FROM (SELECT DISTINCT c.account_id, c.uid FROM `+from.table+` c WHERE `+w.String()+`)`,
		w.args...).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("counting active traders: %w", err)
	}
	return n, nil
}

// UnknownCodes counts the records of the filter whose invitee's code is not
// known.
func (r *Reader) UnknownCodes(ctx context.Context, f CommissionFilter) (int64, error) {
	from, w := f.byInvitee(r)
	var n int64
	err := r.tx.QueryRowContext(ctx, `
		SELECT coalesce(sum(`+from.records+`), 0) FROM `+from.table+` c
		WHERE `+w.String()+` AND NOT EXISTS (
			SELECT 1 FROM invitees i WHERE i.account_id = c.account_id AND i.uid = c.uid AND i.invite_code <> '')`,
		w.args...).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("counting records without a code: %w", err)
	}
	return n, nil
}

// Coins lists the coins that commission was ever earned in.
func (r *Reader) Coins(ctx context.Context) ([]affiliate.Coin, error) {
	return column[affiliate.Coin](ctx, r.tx, `SELECT DISTINCT coin FROM commission_days ORDER BY coin`)
}

// WantedFrom is the oldest UTC day that was ever to be collected; false when
// none was.
func (r *Reader) WantedFrom(ctx context.Context) (affiliate.Day, bool, error) {
	var wanted sql.NullString
	err := r.tx.QueryRowContext(ctx, `SELECT min(wanted_from) FROM accounts WHERE wanted_from <> ''`).Scan(&wanted)
	if err != nil || !wanted.Valid {
		return 0, false, err
	}
	day, err := affiliate.ParseDay(wanted.String)
	return day, err == nil, err
}

// FirstDay is the oldest reporting day that there is anything to know about,
// stored or still to be collected; today when there is nothing.
func (r *Reader) FirstDay(ctx context.Context, today affiliate.Day) (affiliate.Day, error) {
	first := today
	wanted, ok, err := r.WantedFrom(ctx)
	if err != nil {
		return 0, fmt.Errorf("reading the oldest day: %w", err)
	}
	if ok {
		first = min(first, affiliate.DayOf(wanted.Start(time.UTC), r.zone))
	}
	var ms sql.NullInt64
	if err := r.tx.QueryRowContext(ctx, `SELECT min(deal_time_ms) FROM commissions`).Scan(&ms); err != nil {
		return 0, fmt.Errorf("reading the oldest day: %w", err)
	}
	if ms.Valid {
		first = min(first, affiliate.DayOf(affiliate.Millis(ms.Int64).Time(), r.zone))
	}
	return first, nil
}
