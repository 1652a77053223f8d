package sums

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/rollup"
)

// InviteeDay is what one invitee brought on a reporting day from one product, source and coin.
type InviteeDay struct {
	InviteeKey
	Product             affiliate.Product
	Source              affiliate.Source
	Coin                affiliate.Coin
	Day                 affiliate.Day
	*rollup.LineFigures // only records, fee and commission; valid until the next day is seen
}

// EachInviteeDay passes on the sums of the filter by invitee, product, source, coin and day.
// The days of an invitee come in order. begin is called once, or once for each of two halves of
// the invitees, which are read at the same time, never twice at once; the function that it
// returns sees the days of its half. Its cost is that of the lines of these days; an earlier state, a text and a pair are
// answered by the rows.
func EachInviteeDay(ctx context.Context, r *store.Tx, f records.CommissionFilter, begin func() func(*InviteeDay) error) error {
	names, err := r.AccountNames(ctx)
	if err == nil {
		var beginning sync.Mutex
		_, err = inHalves(ctx, r, f, func(r *store.Tx, part half) (struct{}, error) {
			beginning.Lock()
			see := begin()
			beginning.Unlock()
			if inBlocks(r, f, rollup.ByUID) {
				return struct{}{}, eachInviteeDay(ctx, r, f, part, names, see)
			}
			return struct{}{}, eachInviteeDayOfRows(ctx, r, f, names, see)
		})
	}
	if err != nil {
		return fmt.Errorf("adding up commissions by invitee and day: %w", err)
	}
	return nil
}

// DaysReading is a reading of values that are made of [EachInviteeDay] and of records.
func DaysReading[P any](read func(context.Context, *store.Tx, records.CommissionFilter) (P, error)) Reading[P] {
	return Reading[P]{Read: read, longest: rollup.OfDay}
}

func eachInviteeDay(ctx context.Context, r *store.Tx, f records.CommissionFilter, part half, names map[int64]affiliate.Account, see func(*InviteeDay) error) error {
	people := newPeople()
	var who person
	var figures rollup.LineFigures
	line := InviteeDay{LineFigures: &figures}
	return eachLineOf(ctx, r, f, part, rollup.ByUID, rollup.OfDay, func(e *entry) error {
		if e.another {
			who = people.list[people.of(e)]
			line.InviteeKey = InviteeKey{names[who.account], who.uid}
		}
		line.Product, line.Source, line.Coin, line.Day = e.Product, e.Source, e.Coin, e.day
		figures = rollup.LineFigures{}
		if err := e.addFeeAndCommissionTo(&figures); err != nil {
			return err
		}
		return see(&line)
	})
}

func eachInviteeDayOfRows(ctx context.Context, r *store.Tx, f records.CommissionFilter, names map[int64]affiliate.Account, see func(*InviteeDay) error) error {
	groups := map[InviteeDay]*rollup.LineFigures{}
	err := eachRecord(ctx, r, f, rollup.ByUID, func(e *entry) error {
		key := InviteeDay{InviteeKey: InviteeKey{names[e.account], affiliate.UID(e.Name)}, Product: e.Product, Source: e.Source, Coin: e.Coin, Day: e.day}
		return e.addFeeAndCommissionTo(rollup.At(groups, key))
	})
	if err != nil {
		return err
	}
	list := make([]InviteeDay, 0, len(groups))
	for key, figures := range groups {
		key.LineFigures = figures
		list = append(list, key)
	}
	slices.SortFunc(list, func(a, b InviteeDay) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), a.InviteeKey.compare(b.InviteeKey),
			cmp.Compare(a.Product, b.Product), cmp.Compare(a.Coin, b.Coin), cmp.Compare(a.Source, b.Source))
	})
	for i := range list {
		if err := see(&list[i]); err != nil {
			return err
		}
	}
	return nil
}

func (k InviteeKey) compare(o InviteeKey) int {
	return cmp.Or(cmp.Compare(k.Account, o.Account), cmp.Compare(k.UID, o.UID))
}

// InviteeDate names the records of an invitee on a reporting day.
type InviteeDate struct {
	InviteeKey
	Day affiliate.Day
}

// InviteeRecord is a record with its account.
type InviteeRecord struct {
	Account affiliate.Account
	affiliate.Commission
}

// datesAtOnce is how many days one statement asks for: its text grows with them.
const datesAtOnce = 100

// RecordsOfDates returns the records of the filter that belong to the given invitees and days,
// by deal time; records of one time are in the order in which they were stored. The index by
// UID answers, so the cost depends on these days alone. The days of the filter do not count.
func RecordsOfDates(ctx context.Context, r *store.Tx, f records.CommissionFilter, asked []InviteeDate) ([]InviteeRecord, error) {
	ids, err := accountIDs(ctx, r)
	if err != nil {
		return nil, err
	}
	names, err := r.AccountNames(ctx)
	if err != nil {
		return nil, err
	}
	asked = slices.Clone(asked)
	slices.SortFunc(asked, func(a, b InviteeDate) int {
		return cmp.Or(a.InviteeKey.compare(b.InviteeKey), cmp.Compare(a.Day, b.Day))
	})
	type stored struct {
		id int64
		InviteeRecord
	}
	var list []stored
	for some := range slices.Chunk(slices.Compact(asked), datesAtOnce) {
		var args []any
		parts := make([]string, len(some))
		for i, date := range some {
			span := date.Day.Range(r.ReportingZone())
			parts[i] = `c.uid = ? AND c.deal_time_ms >= ? AND c.deal_time_ms < ? AND c.account_id = ?`
			args = append(args, date.UID, int64(affiliate.MillisOf(span.From)), int64(affiliate.MillisOf(span.To)), ids[date.Account])
		}
		var w store.Where
		w.Add(`(`+strings.Join(parts, ` OR `)+`)`, args...)
		records.OpenRows(&w, f.AsOf)
		f.OfRecords(&w)
		err := eachStored(ctx, r, w, func(id, account int64, c affiliate.Commission) {
			list = append(list, stored{id, InviteeRecord{names[account], c}})
		})
		if err != nil {
			return nil, fmt.Errorf("reading records of invitees: %w", err)
		}
	}
	slices.SortFunc(list, func(a, b stored) int { return cmp.Or(cmp.Compare(a.DealTime, b.DealTime), cmp.Compare(a.id, b.id)) })
	records := make([]InviteeRecord, len(list))
	for i := range list {
		records[i] = list[i].InviteeRecord
	}
	return records, nil
}

func eachStored(ctx context.Context, r *store.Tx, w store.Where, see func(id, account int64, c affiliate.Commission)) error {
	rows, err := r.QueryContext(ctx, `SELECT c.id, c.account_id, `+records.CommissionColumnList("c.")+` FROM commissions c WHERE `+w.String(), w.Args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	var id, account int64
	var c affiliate.Commission
	targets := append([]any{&id, &account}, records.CommissionTargets(&c)...)
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		see(id, account, c)
	}
	return rows.Err()
}

// InviteeSpan names the records of an invitee, product, source and coin on a reporting day.
type InviteeSpan struct {
	InviteeKey
	Product affiliate.Product
	Source  affiliate.Source
	Coin    affiliate.Coin
	Day     affiliate.Day
}

// FirstAndLast are the deal times of the first and the last of some records.
type FirstAndLast struct{ First, Last affiliate.Millis }

// DealTimes returns the deal times of the records of the filter that belong to each of the asked
// days. The days of the filter do not count.
func DealTimes(ctx context.Context, r *store.Tx, f records.CommissionFilter, asked []InviteeSpan) (map[InviteeSpan]FirstAndLast, error) {
	dates := make([]InviteeDate, len(asked))
	wanted := make(map[InviteeSpan]FirstAndLast, len(asked))
	for i, of := range asked {
		dates[i] = InviteeDate{of.InviteeKey, of.Day}
		wanted[of] = FirstAndLast{}
	}
	list, err := RecordsOfDates(ctx, r, f, dates)
	for _, c := range list { // in order of time
		key := InviteeSpan{InviteeKey{c.Account, c.UID}, c.Product, c.Source, c.Coin, affiliate.DayOf(c.DealTime.Time(), r.ReportingZone())}
		span, ok := wanted[key]
		if !ok {
			continue
		}
		if span.First == 0 {
			span.First = c.DealTime
		}
		span.Last = c.DealTime
		wanted[key] = span
	}
	return wanted, err
}

// DatesWithoutAmount returns the invitees and days of the filter that have a record of which the
// exchange gave no fee or no commission. An index of such records answers.
func DatesWithoutAmount(ctx context.Context, r *store.Tx, f records.CommissionFilter) ([]InviteeDate, error) {
	names, err := r.AccountNames(ctx)
	if err != nil {
		return nil, err
	}
	w := f.Rows(f.Days.Range(r.ReportingZone()))
	w.Add(`(c.fee = '' OR c.commission = '')`)
	rows, err := r.QueryContext(ctx, `SELECT c.account_id, c.uid, c.deal_time_ms FROM commissions c WHERE `+w.String()+` ORDER BY c.deal_time_ms, c.id`, w.Args...)
	if err != nil {
		return nil, fmt.Errorf("reading records without an amount: %w", err)
	}
	defer rows.Close()
	var list []InviteeDate
	for rows.Next() {
		var account int64
		var at affiliate.Millis
		var date InviteeDate
		if err := rows.Scan(&account, &date.UID, &at); err != nil {
			return nil, fmt.Errorf("reading records without an amount: %w", err)
		}
		date.Account, date.Day = names[account], affiliate.DayOf(at.Time(), r.ReportingZone())
		list = append(list, date)
	}
	return list, rows.Err()
}
