package packs

import (
	"context"
	"slices"
	"strconv"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/export"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/agreements"
	"rebatedesk/store/records"
	"rebatedesk/terms"
)

// Coverage says how completely a stream of an account was collected, in UTC days.
type Coverage struct {
	Account   affiliate.Account
	Stream    affiliate.Stream
	Days      int
	Collected int
	Missing   int // not read, or not to their end
	Beyond    int // the exchange does not give them
	// Of a closed month.
	Settled  affiliate.Number // days that were read after the exchange had stopped changing them
	Verified affiliate.Number // of these, found the same by two readings in a row
	Read     affiliate.Millis // when the newest reading began; unknown: none
}

// CoverageOfClosing returns the coverage that a closing has frozen.
func CoverageOfClosing(c *Closing) (list []Coverage) {
	for _, v := range c.Coverage {
		list = append(list, Coverage{Account: v.Account, Stream: v.Stream, Days: v.Days, Collected: v.Collected, Missing: v.Missing + v.Failed, Beyond: v.Beyond,
			Settled: number(v.Settled), Verified: number(v.Verified), Read: v.Read})
	}
	return list
}

func number(n int) affiliate.Number { return affiliate.Number(strconv.Itoa(n)) }

// StreamsAt returns the coverage of the commissions of the question's days at its instant, and
// that of bills if they are wanted. Streams of which nothing had been read are left out.
func StreamsAt(ctx context.Context, q *snapshot.Snapshot, bills bool) (list []Coverage, err error) {
	utc := coverage.UTCDays(q.Days.Range(q.Zone))
	kinds := []affiliate.StreamKind{affiliate.Commissions}
	if bills {
		kinds = append(kinds, affiliate.BillKinds()...)
	}
	for _, kind := range kinds {
		days, err := records.CoverageAt(ctx, q.Tx, kind, q.Account, utc, q.AsOfMillis())
		if err != nil {
			return nil, err
		}
		for _, day := range days {
			if !day.Through.Known() || day.Stream.Product != "" && !affiliate.AsksFor(q.Product, day.Stream.Product) {
				continue
			}
			at := slices.IndexFunc(list, func(c Coverage) bool { return c.Account == day.Account && c.Stream == day.Stream })
			if at < 0 {
				at = len(list)
				list = append(list, Coverage{Account: day.Account, Stream: day.Stream, Days: utc.Len()})
			}
			if day.Whole() {
				list[at].Collected++
			}
		}
	}
	for i := range list {
		list[i].Missing = list[i].Days - list[i].Collected
	}
	return list, nil
}

// AllCollected reports whether the days of commissions are all collected.
func AllCollected(list []Coverage) bool {
	found := false
	for _, c := range list {
		if c.Stream.Kind == affiliate.Commissions {
			found = true
			if c.Missing > 0 {
				return false
			}
		}
	}
	return found
}

var coverageColumns = []export.Column[Coverage]{
	export.TextColumn("account", func(c *Coverage) affiliate.Account { return c.Account }),
	export.TextColumn("stream", func(c *Coverage) affiliate.StreamKind { return c.Stream.Kind }),
	export.TextColumn("product_type", func(c *Coverage) affiliate.Product { return c.Stream.Product }),
	export.IntegerColumn("days", func(c *Coverage) int64 { return int64(c.Days) }),
	export.IntegerColumn("collected", func(c *Coverage) int64 { return int64(c.Collected) }),
	export.DecimalColumn("settled", func(c *Coverage) affiliate.Number { return c.Settled }),
	export.DecimalColumn("verified", func(c *Coverage) affiliate.Number { return c.Verified }),
	export.IntegerColumn("missing", func(c *Coverage) int64 { return int64(c.Missing) }),
	export.IntegerColumn("not_given", func(c *Coverage) int64 { return int64(c.Beyond) }),
	export.TimeColumn("newest_reading_utc", func(c *Coverage) affiliate.Millis { return c.Read }),
}

// CoverageTable lays coverage out as a file.
func CoverageTable(list []Coverage) export.Table {
	return export.TableOf(coverageColumns, export.Each(list))
}

// TermsOf lists the terms about commission records that held on a day of the question, as known
// at its instant, in the order of a terms file.
func TermsOf(ctx context.Context, q *snapshot.Snapshot) (list []terms.Term, err error) {
	all, err := agreements.TermsAt(ctx, q.Tx, q.AsOfMillis())
	if err != nil {
		return nil, err
	}
	for _, series := range terms.AllSeries(all) {
		for _, spell := range series.Spells {
			over := spell.Last != 0 && spell.Last < q.Days.First
			if over || spell.From > q.Days.Last || !concerns(q, spell.Term) {
				continue
			}
			list = append(list, spell.Term)
		}
	}
	slices.SortFunc(list, terms.Term.Compare)
	return list, nil
}

// concerns reports whether a term can be about the records of a question. What is owed to
// sub-affiliates is no business of the exchange.
func concerns(q *snapshot.Snapshot, t terms.Term) bool {
	switch {
	case t.Scope == terms.ScopeSubAffiliate,
		q.Account != "" && t.Account != "" && t.Account != q.Account,
		q.UID != "" && t.Scope == terms.ScopeUID && t.Value != string(q.UID),
		q.Code != "" && t.Scope == terms.ScopeCode && t.Value != q.Code,
		t.Product != "" && !affiliate.AsksFor(q.Product, t.Product),
		q.Source != "" && t.Source != "" && t.Source != q.Source:
		return false
	}
	return true
}
