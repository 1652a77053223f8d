package sums

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/rollup"
)

// Sums are exact totals of commission records of one coin, as plain decimals.
type Sums struct {
	Records int64
	affiliate.Summed[affiliate.Number]
}

// CommissionOf returns sums of which only the commission is known.
func CommissionOf(records int64, commission affiliate.Number) Sums {
	return Sums{records, affiliate.Summed[affiliate.Number]{Commission: commission}}
}

func (s *Sums) targets() []any { return affiliate.Targets(&s.Summed, &s.Records) }

// DaySums are the sums of one reporting day and one kind of records.
type DaySums struct {
	Day     affiliate.Day
	Account affiliate.Account
	Product affiliate.Product
	Coin    affiliate.Coin
	Source  affiliate.Source
	Sums
}

// ByDay adds up the records of the filter by reporting day, account, product, coin and
// source, in that order. Days without records have no line. If roll-ups can answer, the
// cost grows with the number of days; otherwise (a text, an earlier state, a symbol of one
// invitee) the records of the range are read.
func ByDay(ctx context.Context, r *store.Tx, f records.CommissionFilter) ([]DaySums, error) {
	read := daySumsFromEntries
	if inDays(r, f) {
		read = daySumsFromRollup
	}
	list, err := read(ctx, r, f)
	if err != nil {
		return nil, fmt.Errorf("adding up commissions by day: %w", err)
	}
	return list, nil
}

// EachDay is [ByDay].
var EachDay = Reading[[]DaySums]{Read: ByDay, longest: rollup.OfDay}

// JoinEachDay returns the days of all parts, of which those of an earlier part are older.
func JoinEachDay(parts ...[]DaySums) []DaySums { return slices.Concat(parts...) }

func daySumsFromRollup(ctx context.Context, r *store.Tx, f records.CommissionFilter) ([]DaySums, error) {
	w := inRollup(f)
	rows, err := r.QueryContext(ctx, `
		SELECT c.day, a.name, c.product, c.coin, c.source, c.records, `+affiliate.SummedFields.InStore(`c.%s`)+`
		FROM commission_days c JOIN accounts a ON a.id = c.account_id
		WHERE `+w.String()+`
		ORDER BY c.day, a.name, c.product, c.coin, c.source`, w.Args...)
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

func daySumsFromEntries(ctx context.Context, r *store.Tx, f records.CommissionFilter) ([]DaySums, error) {
	k := rollup.ByUID
	for _, shorter := range []rollup.Grouping{rollup.BySymbol, rollup.ByCode} {
		if inBlocks(r, f, shorter) {
			k = shorter
			break
		}
	}
	names, err := r.AccountNames(ctx)
	if err != nil {
		return nil, err
	}
	groups := map[DaySums]*rollup.LineFigures{}
	err = eachEntry(ctx, r, f, k, rollup.OfDay, func(e *entry) error {
		return e.addTo(rollup.At(groups, DaySums{Day: e.day, Account: names[e.account], Product: e.Product, Coin: e.Coin, Source: e.Source}))
	})
	return sortedDays(groups), err
}

func sortedDays(groups map[DaySums]*rollup.LineFigures) []DaySums {
	list := make([]DaySums, 0, len(groups))
	for key, s := range groups {
		key.Sums = sumsOf(s)
		list = append(list, key)
	}
	slices.SortFunc(list, func(a, b DaySums) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Account, b.Account),
			cmp.Compare(a.Product, b.Product), cmp.Compare(a.Coin, b.Coin), cmp.Compare(a.Source, b.Source))
	})
	return list
}

// DaysOfInvitees is [ByInviteeDay] of the given invitees.
func DaysOfInvitees(asked []InviteeKey) Reading[map[InviteeKey][]DaySums] {
	return Reading[map[InviteeKey][]DaySums]{longest: rollup.OfDay, Read: func(ctx context.Context, r *store.Tx, f records.CommissionFilter) (map[InviteeKey][]DaySums, error) {
		return ByInviteeDay(ctx, r, f, asked)
	}}
}

// JoinDays returns the days of all parts, of which those of an earlier part are older.
func JoinDays(parts ...map[InviteeKey][]DaySums) map[InviteeKey][]DaySums {
	joined := map[InviteeKey][]DaySums{}
	for _, part := range parts {
		for key, days := range part {
			joined[key] = slices.Concat(joined[key], days)
		}
	}
	return joined
}

// ByInviteeDay is [ByDay] for each of some invitees. It reads each day once for all of
// them.
func ByInviteeDay(ctx context.Context, r *store.Tx, f records.CommissionFilter, asked []InviteeKey) (map[InviteeKey][]DaySums, error) {
	of := make(map[InviteeKey][]DaySums, len(asked))
	if len(asked) == 0 {
		return of, nil
	}
	if !inBlocks(r, f, rollup.ByUID) || f.UID != "" {
		for _, key := range asked {
			f.Account, f.UID = key.Account, key.UID
			list, err := ByDay(ctx, r, f)
			if err != nil {
				return nil, err
			}
			of[key] = list
		}
		return of, nil
	}
	if err := daysFromBlocks(ctx, r, f, asked, of); err != nil {
		return nil, fmt.Errorf("adding up commissions by invitee and day: %w", err)
	}
	return of, nil
}

func daysFromBlocks(ctx context.Context, r *store.Tx, f records.CommissionFilter, asked []InviteeKey, of map[InviteeKey][]DaySums) error {
	names, err := r.AccountNames(ctx)
	if err != nil {
		return err
	}
	q, err := askBlocks(ctx, r, f, rollup.ByUID)
	if err != nil {
		return err
	}
	groups := map[InviteeKey]map[DaySums]*rollup.LineFigures{}
	for _, key := range asked {
		groups[key] = map[DaySums]*rollup.LineFigures{}
		if uid := string(key.UID); !slices.Contains(q.uids, uid) {
			q.uids = append(q.uids, uid)
		}
	}
	err = q.eachEntry(ctx, rollup.Stretch{Span: rollup.OfDay, First: f.Days.First, Last: f.Days.Last}, func(e *entry) error {
		own := groups[InviteeKey{names[e.account], affiliate.UID(e.Name)}]
		if own == nil {
			return nil // the same UID of another account
		}
		return e.addTo(rollup.At(own, DaySums{Day: e.day, Account: names[e.account], Product: e.Product, Coin: e.Coin, Source: e.Source}))
	})
	for key, days := range groups {
		of[key] = sortedDays(days)
	}
	return err
}

// Coins lists the coins in which commission of the invitees of a set was ever earned.
func Coins(ctx context.Context, r *store.Tx, of affiliate.Members) ([]affiliate.Coin, error) {
	if of.Limited() {
		return coinsOf(ctx, r, of)
	}
	return store.ReadColumn[affiliate.Coin](ctx, r, `SELECT DISTINCT coin FROM commission_days ORDER BY coin`)
}

func coinsOf(ctx context.Context, r *store.Tx, of affiliate.Members) ([]affiliate.Coin, error) {
	list, err := ByMonth(ctx, r, records.CommissionFilter{Days: EveryDay, Members: of})
	if err != nil {
		return nil, fmt.Errorf("reading the coins of invitees: %w", err)
	}
	var coins []affiliate.Coin
	for _, month := range list {
		coins = append(coins, month.Coin)
	}
	slices.Sort(coins)
	return slices.Compact(coins), nil
}

// WantedFrom returns the oldest UTC day that was ever to be collected, or false if there is
// none.
func WantedFrom(ctx context.Context, r *store.Tx) (affiliate.Day, bool, error) {
	var wanted sql.NullString
	err := r.QueryRowContext(ctx, `SELECT min(wanted_from) FROM accounts`).Scan(&wanted)
	if err != nil || !wanted.Valid {
		return 0, false, err
	}
	day, err := affiliate.ParseDay(wanted.String)
	return day, err == nil, err
}

// FirstDay returns the oldest reporting day with data, stored or still to be collected, or
// today if there is none.
func FirstDay(ctx context.Context, r *store.Tx, today affiliate.Day) (affiliate.Day, error) {
	return FirstDayIn(ctx, r, r.ReportingZone(), today)
}

// FirstDayIn returns the oldest day of a zone with data, stored or still to be collected, or
// today if there is none.
func FirstDayIn(ctx context.Context, r *store.Tx, zone *time.Location, today affiliate.Day) (affiliate.Day, error) {
	first := today
	wanted, ok, err := WantedFrom(ctx, r)
	if err != nil {
		return 0, fmt.Errorf("reading the oldest day: %w", err)
	}
	if ok {
		first = min(first, affiliate.DayOf(wanted.Start(time.UTC), zone))
	}
	ms, err := oldestDeal(ctx, r)
	if err != nil {
		return 0, fmt.Errorf("reading the oldest day: %w", err)
	}
	if ms.Valid {
		first = min(first, affiliate.DayOf(affiliate.Millis(ms.Int64).Time(), zone))
	}
	return first, nil
}

// oldestDeal returns the oldest deal time of all rows. If rows are spread over workers, the
// bounds of rows give it, which are known without the workers.
func oldestDeal(ctx context.Context, r *store.Tx) (ms sql.NullInt64, err error) {
	// The beginning of all time is the same for everybody, whomever a query is limited to.
	query := store.ForMembers(`SELECT min(deal_time_ms) FROM commissions`)
	if r.Store().Distributed() {
		var bounded bool
		if err := r.QueryRowContext(ctx, `SELECT bounded FROM meta`).Scan(&bounded); err != nil {
			return ms, err
		}
		if bounded {
			query = `SELECT min(first_deal_ms) FROM commission_bounds`
		}
	}
	err = r.QueryRowContext(ctx, query).Scan(&ms)
	return ms, err
}

// sumsOf returns figures as plain decimals.
func sumsOf(s *rollup.LineFigures) Sums {
	return Sums{s.Records, affiliate.MapSummed(&s.Summed, func(sum *affiliate.Sum) affiliate.Number { return affiliate.Number(sum.String()) })}
}
