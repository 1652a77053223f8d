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
// Where roll-ups can answer, the cost follows the number of days; otherwise (a
// text, an earlier state, a symbol of one invitee) the records of the range
// are read.
func (r *Tx) DaySums(ctx context.Context, f CommissionFilter) ([]DaySums, error) {
	read := r.daySumsFromEntries
	if r.inDays(f) {
		read = r.daySumsFromRollup
	}
	list, err := read(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("adding up commissions by day: %w", err)
	}
	return list, nil
}

func (r *Tx) daySumsFromRollup(ctx context.Context, f CommissionFilter) ([]DaySums, error) {
	w := inRollup(f)
	rows, err := r.QueryContext(ctx, `
		SELECT c.day, a.name, c.product, c.coin, c.source, c.records, c.fee, c.commission, c.taker_amount, c.maker_amount
		FROM commission_days c JOIN accounts a ON a.id = c.account_id
		WHERE `+w.String()+`
		ORDER BY c.day, a.name, c.product, c.coin, c.source`, w.args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var list []DaySums
	var d DaySums
	var day, before string
	targets := append([]any{&day, &d.Account, &d.Product, &d.Coin, &d.Source}, d.targets()...)
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		if day != before {
			if d.Day, err = affiliate.ParseDay(day); err != nil {
				return nil, err
			}
			before = day
		}
		list = append(list, d)
	}
	return list, rows.Err()
}

func (r *Tx) daySumsFromEntries(ctx context.Context, f CommissionFilter) ([]DaySums, error) {
	k := byUID
	if r.inBlocks(f, bySymbol) {
		k = bySymbol
	}
	names, err := r.accountNames(ctx)
	if err != nil {
		return nil, err
	}
	groups := map[DaySums]*sums{}
	err = r.eachEntry(ctx, f, k, ofDay, func(e *entry) error {
		return e.addTo(at(groups, DaySums{Day: e.day, Account: names[e.account], Product: e.product, Coin: e.coin, Source: e.source}))
	})
	list := make([]DaySums, 0, len(groups))
	for key, s := range groups {
		key.Sums = sumsOf(s)
		list = append(list, key)
	}
	slices.SortFunc(list, func(a, b DaySums) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Account, b.Account),
			cmp.Compare(a.Product, b.Product), cmp.Compare(a.Coin, b.Coin), cmp.Compare(a.Source, b.Source))
	})
	return list, err
}

// Coins lists the coins that commission was ever earned in.
func (r *Tx) Coins(ctx context.Context) ([]affiliate.Coin, error) {
	return column[affiliate.Coin](ctx, r, `SELECT DISTINCT coin FROM commission_days ORDER BY coin`)
}

// WantedFrom is the oldest UTC day that was ever to be collected; false when
// none was.
func (r *Tx) WantedFrom(ctx context.Context) (affiliate.Day, bool, error) {
	var wanted sql.NullString
	err := r.QueryRowContext(ctx, `SELECT min(wanted_from) FROM accounts WHERE wanted_from <> ''`).Scan(&wanted)
	if err != nil || !wanted.Valid {
		return 0, false, err
	}
	day, err := affiliate.ParseDay(wanted.String)
	return day, err == nil, err
}

// FirstDay is the oldest reporting day that there is anything to know about,
// stored or still to be collected; today when there is nothing.
func (r *Tx) FirstDay(ctx context.Context, today affiliate.Day) (affiliate.Day, error) {
	first := today
	wanted, ok, err := r.WantedFrom(ctx)
	if err != nil {
		return 0, fmt.Errorf("reading the oldest day: %w", err)
	}
	if ok {
		first = min(first, affiliate.DayOf(wanted.Start(time.UTC), r.ReportingZone()))
	}
	var ms sql.NullInt64
	if err := r.QueryRowContext(ctx, `SELECT min(deal_time_ms) FROM commissions`).Scan(&ms); err != nil {
		return 0, fmt.Errorf("reading the oldest day: %w", err)
	}
	if ms.Valid {
		first = min(first, affiliate.DayOf(affiliate.Millis(ms.Int64).Time(), r.ReportingZone()))
	}
	return first, nil
}

// sumsOf gives figures as plain decimals.
func sumsOf(s *sums) Sums {
	return Sums{
		Records: s.records, Fee: affiliate.Number(s.fee.String()), Commission: affiliate.Number(s.commission.String()),
		TakerAmount: affiliate.Number(s.takerAmount.String()), MakerAmount: affiliate.Number(s.makerAmount.String()),
	}
}
