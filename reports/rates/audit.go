package rates

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"rebatedesk/affiliate"
	"rebatedesk/reports/question"
	"rebatedesk/store/agreements"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
	"rebatedesk/terms"
)

// usualDays is how many days before the range show what the rates were.
const usualDays = sums.PeerDays

// audit is the records of a query, judged.
type audit struct {
	terms  []terms.Term // about commission records, as agreed at the instant of the query
	series []*series    // in the order of their keys
	// provisional: a tier of the month in progress decides about the rates of the range.
	provisional bool
}

// judged returns the records of the query, judged. The caller must not change them.
func judged(ctx context.Context, q *question.Question) (*audit, error) {
	f := q.Filter()
	return question.Part(ctx, q, "rates agreed and paid", f, func(ctx context.Context) (*audit, error) { return judge(ctx, q, f) })
}

func judge(ctx context.Context, q *question.Question, f records.CommissionFilter) (*audit, error) {
	list, err := agreements.TermsAt(ctx, q.Tx, f.AsOf)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(t terms.Term) bool { return t.Scope == terms.ScopeSubAffiliate })
	first := f.Days.First
	f.Days.First -= usualDays
	agreed, err := agree(ctx, q, list, affiliate.Days{First: first, Last: f.Days.Last})
	if err != nil {
		return nil, err
	}
	codes, err := question.Read(ctx, q, "codes of invitees", q.EveryInvitee(), sums.InviteeCodes)
	if err != nil {
		return nil, err
	}
	units, err := unitsOf(ctx, q, f)
	if err != nil {
		return nil, err
	}
	a := &audit{terms: list, provisional: agreed.decides(monthOf(affiliate.DayOf(q.Now, q.Zone)))}
	without, err := sums.DatesWithoutAmount(ctx, q.Tx, f)
	if err != nil {
		return nil, err
	}
	odd := map[sums.InviteeDate]bool{}
	for _, date := range without {
		odd[date] = true
	}
	if a.series, err = readDays(ctx, q, f, first, agreed, codes, units, odd); err != nil {
		return nil, err
	}
	if err := a.readRecords(ctx, q, f, units); err != nil {
		return nil, err
	}
	for _, s := range a.series {
		s.breaks()
	}
	return a, nil
}

// unitsOf returns, for each coin, the unit of the last digit that the exchange gives, by which a
// commission may be rounded.
func unitsOf(ctx context.Context, q *question.Question, f records.CommissionFilter) (func(affiliate.Coin) affiliate.Sum, error) {
	days, err := question.OfDays(ctx, q, "sums by day", f, sums.EachDay, sums.JoinEachDay)
	digits := map[affiliate.Coin]int32{}
	for i := range days {
		if d := &days[i]; d.Commission.Known() {
			digits[d.Coin] = max(digits[d.Coin], -d.Commission.Decimal().Exponent())
		}
	}
	units := map[affiliate.Coin]affiliate.Sum{}
	for coin, n := range digits {
		units[coin] = unitOf(n)
	}
	return func(coin affiliate.Coin) affiliate.Sum {
		if unit, ok := units[coin]; ok {
			return unit
		}
		return unitOf(mostDigits)
	}, err
}

// readDays divides the records into pieces by the sums of their days. The sums of an odd day do not
// tell what was paid.
func readDays(ctx context.Context, q *question.Question, f records.CommissionFilter, first affiliate.Day, agreed *agreement,
	codes map[sums.InviteeKey]string, units func(affiliate.Coin) affiliate.Sum, odd map[sums.InviteeDate]bool) ([]*series, error) {
	var lock sync.Mutex // of halves
	var halves []map[seriesKey]*series
	err := sums.EachInviteeDay(ctx, q.Tx, f, func() func(*sums.InviteeDay) error {
		all := map[seriesKey]*series{}
		lock.Lock()
		halves = append(halves, all)
		lock.Unlock()
		return func(line *sums.InviteeDay) error {
			key := seriesKey{line.InviteeKey, line.Product, line.Source}
			s := all[key]
			if s == nil {
				s = &series{seriesKey: key, code: codes[key.InviteeKey], first: first}
				all[key] = s
			}
			if line.Day != s.day {
				s.flush()
				s.day, s.odd = line.Day, len(odd) > 0 && odd[sums.InviteeDate{InviteeKey: key.InviteeKey, Day: line.Day}]
				if line.Day >= first && line.Day > s.until {
					s.current, s.until = agreed.on(key, s.code, line.Day)
				}
			}
			s.parts = append(s.parts, coinPart{coin: line.Coin, unit: units(line.Coin), days: affiliate.Days{First: line.Day, Last: line.Day},
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
func (a *audit) readRecords(ctx context.Context, q *question.Question, f records.CommissionFilter, units func(affiliate.Coin) affiliate.Sum) error {
	var asked []sums.InviteeDate
	for _, s := range a.series {
		s.varies = s.variesDaily()
		for i := range s.pieces {
			if p := &s.pieces[i]; s.toRead(p) {
				asked = append(asked, sums.InviteeDate{InviteeKey: s.InviteeKey, Day: p.days.First})
			}
		}
	}
	if len(asked) == 0 {
		return nil
	}
	list, err := sums.RecordsOfDates(ctx, q.Tx, f, asked)
	if err != nil {
		return err
	}
	type dayKey struct {
		seriesKey
		day affiliate.Day
	}
	days := map[dayKey][]affiliate.Commission{}
	for _, c := range list {
		key := dayKey{seriesKey{sums.InviteeKey{Account: c.Account, UID: c.UID}, c.Product, c.Source}, affiliate.DayOf(c.DealTime.Time(), q.Tx.ReportingZone())}
		days[key] = append(days[key], c.Commission)
	}
	for _, s := range a.series {
		if !slices.ContainsFunc(s.pieces, func(p piece) bool { return s.toRead(&p) }) {
			continue
		}
		var pieces []piece
		for i := range s.pieces {
			p := &s.pieces[i]
			if !s.toRead(p) {
				pieces = append(pieces, *p)
				continue
			}
			var before *piece
			if n := len(pieces); n > 0 {
				before = &pieces[n-1]
			}
			pieces = append(pieces, recordsOf(p, before, days[dayKey{s.seriesKey, p.days.First}], units)...)
		}
		s.pieces = pieces
	}
	return nil
}
