package rates

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"

	"rebatedesk/affiliate"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// history is the records of some days, divided into series that are judged. It never changes:
// records of later days make another history, which shares the series without such records.
type history struct {
	known map[int64]*expected // by ID of the term
	list  []*series           // in the order of their keys
	made  []*series           // those that no history before has
}

// Weight estimates the memory of the history, without that of the history before. The cache would
// find it by looking at each field of each piece, which takes longer than reading a day.
func (h *history) Weight() uint64 {
	const ofSeries, ofPiece, ofCoin, ofLine = 300, 100, 150, 600
	bytes := 8 * uint64(len(h.list))
	for _, s := range h.made {
		bytes += ofSeries
		for i := range s.days {
			bytes += ofPiece + uint64(cap(s.days[i].coins))*ofCoin
		}
		if s.broken {
			bytes += uint64(len(s.pieces)) * ofPiece
		}
		for i := range s.runs {
			bytes += uint64(len(s.runs[i].lines)) * ofLine
		}
	}
	return bytes
}

// reader divides records into histories.
type reader struct {
	*snapshot.Snapshot
	first  affiliate.Day // of the range that is judged; days before only show what was usual
	agreed *agreement
	codes  *snapshot.CodeBook
	units  func(affiliate.Coin) affiliate.Sum
	digits string // of the units
}

// readHistory returns the records of the filter, whose days include the usual ones. Settled days are
// read when one of their records or what is expected of them changes, open days with each write.
func (r *reader) readHistory(ctx context.Context, f records.CommissionFilter) (*history, error) {
	by := sums.DaysReading(func(ctx context.Context, tx *store.Tx, f records.CommissionFilter) (*history, error) {
		return r.after(ctx, tx, &history{known: r.agreed.known}, f)
	})
	return snapshot.DaysAfter(ctx, r.Snapshot, "rates of days "+r.expectation(), f, by, func(ctx context.Context, before *history, open records.CommissionFilter) (*history, error) {
		return r.after(ctx, r.Tx, before, open)
	})
}

// expectation names everything but the records that a history depends on.
func (r *reader) expectation() string {
	hash := sha256.New()
	fmt.Fprintf(hash, "%s %q %+v\n%v\n%x\n", r.first, r.digits, r.agreed.list, r.agreed.tiers, r.codes.Digest()) // a map is printed in the order of its keys
	return fmt.Sprintf("%x", hash.Sum(nil))
}

// after returns a history with the records of the filter, whose days follow those before.
func (r *reader) after(ctx context.Context, tx *store.Tx, before *history, f records.CommissionFilter) (*history, error) {
	if f.Days.Len() == 0 {
		return before, nil
	}
	without, err := sums.DatesWithoutAmount(ctx, tx, f)
	if err != nil {
		return nil, err
	}
	odd := map[sums.InviteeDate]bool{}
	for _, date := range without {
		odd[date] = true
	}
	list, err := r.readDays(ctx, tx, before, f, odd)
	if err != nil {
		return nil, err
	}
	// Some days of each series tell whether the others must be read.
	for range 2 {
		if err := r.readRecords(ctx, tx, f, list); err != nil {
			return nil, err
		}
		for _, s := range list {
			s.sample()
		}
	}
	next := &history{known: before.known, list: list, made: slices.Clone(list)}
	for _, s := range list {
		s.conclude(r.Zone)
	}
	if len(before.list) > 0 {
		next.list = slices.Clone(before.list)
		for _, s := range list {
			if i, ok := before.find(s.seriesKey); ok {
				next.list[i] = s
			} else {
				next.list = append(next.list, s)
			}
		}
	}
	slices.SortFunc(next.list, func(a, b *series) int { return a.compare(b.seriesKey) })
	return next, nil
}

// find returns the index of a series.
func (h *history) find(key seriesKey) (int, bool) {
	return slices.BinarySearchFunc(h.list, key, func(s *series, key seriesKey) int { return s.compare(key) })
}

// readDays divides the records into pieces by the sums of their days. The sums of an odd day do not
// tell what was paid.
func (r *reader) readDays(ctx context.Context, tx *store.Tx, before *history, f records.CommissionFilter, odd map[sums.InviteeDate]bool) ([]*series, error) {
	agreed := *r.agreed
	agreed.known = before.known // of equal terms: pieces with one expectation are joined
	var lock sync.Mutex         // of halves
	var halves []map[seriesKey]*series
	err := sums.EachInviteeDay(ctx, tx, f, func() func(*sums.InviteeDay) error {
		all := map[seriesKey]*series{}
		lock.Lock()
		halves = append(halves, all)
		lock.Unlock()
		return func(line *sums.InviteeDay) error {
			key := seriesKey{line.InviteeKey, line.Product, line.Source}
			s := all[key]
			if s == nil {
				if i, ok := before.find(key); ok {
					s = before.list[i].continued()
				} else {
					code := r.codes.Of(key.InviteeKey)
					s = &series{seriesKey: key, code: code, first: r.first, agreed: agreed.throughout(key, code, r.first)}
				}
				all[key] = s
			}
			if line.Day != s.day {
				s.flush()
				s.day, s.odd = line.Day, len(odd) > 0 && odd[sums.InviteeDate{InviteeKey: key.InviteeKey, Day: line.Day}]
				if line.Day >= r.first && line.Day > s.until {
					s.current, s.until = agreed.on(key, s.code, line.Day)
				}
			}
			s.parts = append(s.parts, coinPart{coin: line.Coin, unit: r.units(line.Coin), days: affiliate.Days{First: line.Day, Last: line.Day},
				records: line.Records, fee: line.Fee, commission: line.Commission})
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	var list []*series
	for _, all := range halves {
		for _, s := range all {
			s.flush()
			s.doubt()
			s.parts = nil
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b *series) int { return a.compare(b.seriesKey) })
	return list, nil
}

func (k seriesKey) compare(o seriesKey) int {
	return cmp.Or(cmp.Compare(k.Account, o.Account), cmp.Compare(k.UID, o.UID), cmp.Compare(k.Product, o.Product), cmp.Compare(k.Source, o.Source))
}

// readRecords reads the records of mixed days.
func (r *reader) readRecords(ctx context.Context, tx *store.Tx, f records.CommissionFilter, all []*series) error {
	var list []*series // with such days
	var asked []sums.InviteeDate
	for _, s := range all {
		before := len(asked)
		for p := range s.unread() {
			asked = append(asked, sums.InviteeDate{InviteeKey: s.InviteeKey, Day: p.days.First})
		}
		if len(asked) > before {
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		return nil
	}
	read, err := sums.RecordsOfDates(ctx, tx, f, asked)
	if err != nil {
		return err
	}
	type dayKey struct {
		seriesKey
		day affiliate.Day
	}
	days := map[dayKey][]affiliate.Commission{}
	for _, c := range read {
		key := dayKey{seriesKey{sums.InviteeKey{Account: c.Account, UID: c.UID}, c.Product, c.Source}, affiliate.DayOf(c.DealTime.Time(), tx.ReportingZone())}
		days[key] = append(days[key], c.Commission)
	}
	for _, s := range list {
		wanted := map[*piece]bool{}
		for p := range s.unread() {
			wanted[p] = true
		}
		var pieces []piece
		for i := range s.days {
			p := &s.days[i]
			if !wanted[p] {
				pieces = append(pieces, *p)
				continue
			}
			var before *piece
			if n := len(pieces); n > 0 {
				before = &pieces[n-1]
			}
			pieces = append(pieces, recordsOf(p, before, days[dayKey{s.seriesKey, p.days.First}], r.units)...)
		}
		s.days = pieces
	}
	return nil
}
