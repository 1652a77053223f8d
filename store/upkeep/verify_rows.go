package upkeep

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/rollup"
)

// clocksDiffer is how far the clock of the exchange, which dates coverage, may be ahead of
// ours, which stamps writes.
const clocksDiffer = 24 * time.Hour

// readCoverage checks coverage on its own and stores it for the check of the rows.
func (v *verification) readCoverage(ctx context.Context, r *store.Tx) error {
	var err error
	if v.names, err = r.AccountNames(ctx); err != nil {
		return err
	}
	rows, err := r.QueryContext(ctx, `
		SELECT account_id, stream, product, day, through_ms, first_read_ms, last_read_ms FROM coverage
		ORDER BY day, account_id, stream, product`)
	if err != nil {
		return err
	}
	defer rows.Close()
	v.covered = map[coveredDay]affiliate.Millis{}
	if v.together, err = readAccounts(ctx, r); err != nil {
		return err
	}
	horizon := affiliate.MillisOf(v.lastWrite.Time().Add(clocksDiffer))
	for rows.Next() {
		var of coveredDay
		var day string
		var through, first, last affiliate.Millis
		if err := rows.Scan(&of.account, &of.stream.Kind, &of.stream.Product, &day, &through, &first, &last); err != nil {
			return err
		}
		what := fmt.Sprintf("%s of %s on %s", of.stream, v.names[of.account], day)
		if of.day, err = affiliate.ParseDay(day); err != nil {
			v.coverage.Fault("%s: that is no day", what)
			continue
		}
		v.covered[of] = through
		if of.stream == (affiliate.Stream{Kind: affiliate.Commissions}) {
			v.together[of.account] = true
		}
		span := of.day.Range(time.UTC)
		switch {
		case through > affiliate.MillisOf(span.To):
			v.coverage.Fault("%s is read up to %s, beyond its end", what, through)
		case through.Known() && through <= affiliate.MillisOf(span.From):
			v.coverage.Fault("%s is read up to %s, before its beginning", what, through)
		case max(through, last) > horizon:
			v.coverage.Fault("%s is read up to %s, last at %s: that is in the future, the last write was at %s", what, through, last, v.lastWrite)
		case through.Known() != first.Known() || first.Known() != last.Known():
			v.coverage.Fault("%s is read up to %q, first at %q and last at %q: one of them is missing", what, through, first, last)
		}
	}
	return rows.Err()
}

// readAccounts returns the accounts whose commissions are what readings added: one that broke off has
// records, and covers nothing.
func readAccounts(ctx context.Context, r *store.Tx) (map[int64]bool, error) {
	ids, err := store.Scanned(ctx, r, func(rows *sql.Rows) (id int64, err error) { return id, rows.Scan(&id) }, `SELECT DISTINCT account_id FROM readings`)
	of := make(map[int64]bool, len(ids))
	for _, id := range ids {
		of[id] = true
	}
	return of, err
}

// readRows reads all commission records once, by time, and compares the roll-ups of each
// reporting day when its rows are complete.
func (v *verification) readRows(ctx context.Context, r *store.Tx) error {
	rows, err := r.QueryContext(ctx, `
		SELECT id, account_id, opened_ms, coalesce(closed_ms, 0), closed_ms IS NULL,
			`+records.CommissionColumnList("")+`
		FROM commissions ORDER BY deal_time_ms`)
	if err != nil {
		return err
	}
	defer rows.Close()
	var id, account int64
	var opened, closed affiliate.Millis
	var open bool
	var c affiliate.Commission
	targets := append([]any{&id, &account, &opened, &closed, &open}, records.CommissionTargets(&c)...)
	amounts := records.CommissionAmounts(&c)
	what := func() string { return fmt.Sprintf("commission record %d of %s", id, v.names[account]) }
	day := rollupDay{rolls: map[int64]*rollup.Delta{}}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		v.records++
		v.checkStamps(what, opened, closed)
		for _, amount := range amounts {
			v.checkAmount(what, strings.ReplaceAll(amount.Column, "_", " "), *amount.Value)
		}
		if !open {
			continue
		}
		if !v.together[account] {
			v.checkCovered(what, coveredDay{account, affiliate.Stream{Kind: affiliate.Commissions, Product: c.Product},
				affiliate.DayOf(c.DealTime.Time(), time.UTC)}, c.DealTime)
		}
		if err := v.addHour(ctx, r, account, &c); err != nil {
			return err
		}
		if v.zone == nil {
			continue
		}
		if !day.span.Contains(c.DealTime) {
			if err := v.compareDay(ctx, r, &day); err != nil {
				return err
			}
			day.begin(affiliate.DayOf(c.DealTime.Time(), v.zone), v.zone)
		}
		day.of(account, v.zone).Add(&c, 1)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return v.compareDay(ctx, r, &day)
}

// checkCovered checks that a record lies in a time range of its stream that was read. A
// record of the exact instant at which a read began may be part of it.
func (v *verification) checkCovered(what func() string, of coveredDay, at affiliate.Millis) {
	through, tried := v.covered[of]
	switch {
	case !tried || !through.Known():
		v.coverage.Fault("%s is of %s, and %s was never read on that day", what(), at, of.stream)
	case at > through:
		v.coverage.Fault("%s is of %s, and %s was read up to %s only", what(), at, of.stream, through)
	}
}

// readSubAffiliates checks the sub-affiliate days, including closed ones.
func (v *verification) readSubAffiliates(ctx context.Context, r *store.Tx) error {
	rows, err := r.QueryContext(ctx, `
		SELECT id, account_id, opened_ms, coalesce(closed_ms, 0), closed_ms IS NULL, product, date, trading_volume, net_trading_fee, paid_commission
		FROM sub_affiliate_days ORDER BY id`)
	if err != nil {
		return err
	}
	defer rows.Close()
	var id, account int64
	what := func() string { return fmt.Sprintf("sub-affiliate day %d of %s", id, v.names[account]) }
	for rows.Next() {
		var opened, closed affiliate.Millis
		var open bool
		var date string
		var d affiliate.SubAffiliateDay
		if err := rows.Scan(&id, &account, &opened, &closed, &open, &d.Product, &date, &d.TradingVolume, &d.NetTradingFee, &d.PaidCommission); err != nil {
			return err
		}
		v.subDays++
		v.checkStamps(what, opened, closed)
		v.checkAmount(what, "trading volume", d.TradingVolume)
		v.checkAmount(what, "net trading fee", d.NetTradingFee)
		v.checkAmount(what, "paid commission", d.PaidCommission)
		day, err := affiliate.ParseDay(date)
		if err != nil {
			v.coverage.Fault("%s is of %.20q, which is no day", what(), date)
			continue
		}
		if open {
			v.checkCovered(what, coveredDay{account, affiliate.Stream{Kind: affiliate.SubAffiliates, Product: d.Product}, day}, affiliate.MillisOf(day.Start(time.UTC)))
		}
	}
	return rows.Err()
}
