package records

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// SubAffiliateChange is a sub-affiliate day that a later read found to differ from its
// first whole read.
type SubAffiliateChange struct {
	Noticed affiliate.Millis // stamp of the read that found it
	Account affiliate.Account
	Was     *affiliate.SubAffiliateDay // nil: the row did not exist
	Became  *affiliate.SubAffiliateDay // nil: the row no longer exists
}

// Day returns the day that changed.
func (c SubAffiliateChange) Day() affiliate.SubAffiliateDay {
	if c.Became != nil {
		return *c.Became
	}
	return *c.Was
}

// SubAffiliateChanges lists the changes of the days of the filter since each was first read
// whole (see [Settles]), newest first. With AsOf it stops at that instant.
func SubAffiliateChanges(ctx context.Context, r *store.Tx, f SubAffiliateFilter) ([]SubAffiliateChange, error) {
	reads, err := wholeReads(ctx, r, affiliate.SubAffiliates, f.Account, f.Product, f.Days)
	if err != nil {
		return nil, fmt.Errorf("reading changes of sub-affiliate days: %w", err)
	}
	whole := make(map[subAffiliateRead]affiliate.Millis, len(reads))
	for _, read := range reads {
		whole[subAffiliateRead{read.name, read.product, read.day}] = read.whole
	}
	versions, err := subAffiliateVersions(ctx, r, f)
	if err != nil {
		return nil, fmt.Errorf("reading changes of sub-affiliate days: %w", err)
	}
	until := f.AsOf
	if !until.Known() {
		until = math.MaxInt64
	}
	return pairSubAffiliateDays(versions, whole, until), nil
}

// subAffiliateRead identifies what one read of a day covers.
type subAffiliateRead struct {
	account affiliate.Account
	product affiliate.Product
	day     affiliate.Day
}

// subAffiliateVersion is a row with the time during which it was valid.
type subAffiliateVersion struct {
	SubAffiliateRow
	opened, closed affiliate.Millis // closed is unknown while the row is open
}

func subAffiliateVersions(ctx context.Context, r *store.Tx, f SubAffiliateFilter) ([]subAffiliateVersion, error) {
	w := f.ofRecords()
	return store.Scanned(ctx, r, func(rows *sql.Rows) (v subAffiliateVersion, err error) {
		err = rows.Scan(append([]any{&v.Account, &v.opened, &v.closed}, subAffiliateFields.Targets(&v.SubAffiliateDay)...)...)
		return v, err
	}, `
		SELECT a.name, d.opened_ms, coalesce(d.closed_ms, 0), `+subAffiliateFields.Columns("d.")+`
		FROM sub_affiliate_days d JOIN accounts a ON a.id = d.account_id
		WHERE `+w.String()+` ORDER BY d.id`, w.Args...)
}

// pairSubAffiliateDays builds changes from versions. A row opened by the read that closed
// another row of its day is the new version of that row.
func pairSubAffiliateDays(versions []subAffiliateVersion, whole map[subAffiliateRead]affiliate.Millis, until affiliate.Millis) []SubAffiliateChange {
	type event struct {
		stamp affiliate.Millis
		uid   affiliate.UID
		read  subAffiliateRead
	}
	closed := map[event][]int{} // positions in list, of those not paired yet
	var list []SubAffiliateChange
	counts := func(at affiliate.Millis, of subAffiliateRead) bool {
		since, read := whole[of]
		return read && at > since && at <= until
	}
	for i := range versions {
		v := &versions[i]
		read := subAffiliateRead{v.Account, v.Product, v.Date}
		if v.closed.Known() && counts(v.closed, read) {
			at := event{v.closed, v.UID, read}
			closed[at] = append(closed[at], len(list))
			list = append(list, SubAffiliateChange{Noticed: v.closed, Account: v.Account, Was: &v.SubAffiliateDay})
		}
	}
	for i := range versions {
		v := &versions[i]
		read := subAffiliateRead{v.Account, v.Product, v.Date}
		if !counts(v.opened, read) {
			continue
		}
		at := event{v.opened, v.UID, read}
		if before := closed[at]; len(before) > 0 {
			list[before[0]].Became, closed[at] = &v.SubAffiliateDay, before[1:]
			continue
		}
		list = append(list, SubAffiliateChange{Noticed: v.opened, Account: v.Account, Became: &v.SubAffiliateDay})
	}
	slices.SortStableFunc(list, func(a, b SubAffiliateChange) int {
		return cmp.Or(cmp.Compare(b.Noticed, a.Noticed), cmp.Compare(b.Day().Date, a.Day().Date), cmp.Compare(a.Day().Product, b.Day().Product))
	})
	return list
}
