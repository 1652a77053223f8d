package statements

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/agreements"
	"rebatedesk/store/records"
	stored "rebatedesk/store/statements"
	"rebatedesk/terms"
)

// MonthReport is what each sub-affiliate is due for a month, by the figures and the terms of
// now. Days are UTC days, as the exchange counts sub-affiliates (4.19).
type MonthReport struct {
	Days     affiliate.Days // of the month
	AsOf     affiliate.Millis
	Over     bool // the month is over in UTC
	Coverage coverage.Coverage
	Agreed   bool    // a term about sub-affiliates exists, for whatever days
	Drafts   []Draft // of sub-affiliates with a record in the month, by UID
	book     *terms.Book
}

// Draft is a statement that could be issued.
type Draft struct {
	stored.Content        // its Lacks must be explained by a Reason
	Refusal        string // why no statement is possible, with the mend; empty: one is
}

// Of returns the draft of a sub-affiliate. One without a record in the month has no lines.
func (m MonthReport) Of(uid affiliate.UID) Draft {
	for _, d := range m.Drafts {
		if d.UID == uid {
			return d
		}
	}
	return Draft{Content: stored.Content{UID: uid, Month: m.Days.First.Format("2006-01"), AsOf: m.AsOf},
		Refusal: fmt.Sprintf("The exchange reports nothing of sub-affiliate %s for %s.", affiliate.Visible(string(uid)), m.Days.First.Format("January 2006"))}
}

// WholeMonth returns the days of the month that begins on a day.
func WholeMonth(first affiliate.Day) affiliate.Days {
	year, month, _ := first.Date()
	return affiliate.Days{First: affiliate.NewDay(year, month, 1), Last: affiliate.NewDay(year, month+1, 1) - 1}
}

// MakeMonth makes the report about the month in which the query begins, over all accounts, as of its instant.
func MakeMonth(ctx context.Context, q *snapshot.Snapshot) (MonthReport, error) {
	utc := *q.Everywhere()
	utc.Zone = time.UTC
	m := MonthReport{Days: WholeMonth(q.Days.First)}
	m.Over = !utc.Now.Before(m.Days.Range(time.UTC).To)
	var err error
	if m.AsOf, err = q.LastWrite(ctx); err != nil {
		return m, err
	}
	at := q.AsOfMillis()
	if at.Known() {
		m.AsOf = at
	}
	cover, err := utc.ReadCoverage(ctx, affiliate.SubAffiliates, m.Days)
	if err != nil {
		return m, err
	}
	cover.Lag = coverage.ListingLag
	m.Coverage = cover.Summary(m.Days)
	list, err := agreements.TermsAt(ctx, q.Tx, at)
	if err != nil {
		return m, err
	}
	m.Agreed = slices.ContainsFunc(list, func(t terms.Term) bool { return t.Scope == terms.ScopeSubAffiliate })
	payees, err := stored.Payees(ctx, q.Tx)
	if err != nil {
		return m, err
	}
	rows := map[affiliate.UID][]records.SubAffiliateRow{}
	for row, err := range records.SubAffiliateDays(ctx, q.Tx, records.SubAffiliateFilter{Days: m.Days, AsOf: at}) {
		if err != nil {
			return m, err
		}
		rows[row.UID] = append(rows[row.UID], row)
	}
	m.book = terms.NewBook(list)
	for uid, rows := range rows {
		d := draftOf(m.book, m.Days, uid, rows)
		d.AsOf, d.Payee = m.AsOf, payees[uid]
		d.Lacks = append(m.lacks(), d.Lacks...)
		m.Drafts = append(m.Drafts, d)
	}
	slices.SortFunc(m.Drafts, func(a, b Draft) int { return cmp.Compare(a.UID, b.UID) })
	return m, nil
}

// lacks says what is missing of the month for every sub-affiliate.
func (m MonthReport) lacks() (lacks []string) {
	if !m.Over {
		lacks = append(lacks, fmt.Sprintf("The month is not over: it ends after %s, 24:00 UTC.", m.Days.Last.Format("2 January 2006")))
	}
	if !m.Coverage.Complete() {
		lacks = append(lacks, phrase.Sentence("The month is not collected completely: "+phrase.Lack(m.Coverage)))
	}
	return lacks
}

// draftOf makes the draft of one sub-affiliate of its rows.
func draftOf(book *terms.Book, days affiliate.Days, uid affiliate.UID, rows []records.SubAffiliateRow) Draft {
	d := Draft{Content: stored.Content{UID: uid, Month: days.First.Format("2006-01")}}
	slices.SortStableFunc(rows, func(a, b records.SubAffiliateRow) int {
		return cmp.Or(cmp.Compare(a.Date, b.Date), cmp.Compare(a.Account, b.Account), affiliate.CompareProducts(a.Product, b.Product))
	})
	measure := measureOf(rows)
	var applied []terms.Term
	without := map[affiliate.Product]affiliate.Days{}
	unpriced := 0
	for _, row := range rows {
		line := stored.Line{
			Day: row.Date.String(), Account: row.Account, Product: row.Product,
			Volume: row.TradingVolume, Fee: row.NetTradingFee, Paid: row.PaidCommission,
		}
		switch term, ok := book.Share(row.Account, uid, row.Product, row.Date, measure); {
		case !ok:
			span, seen := without[row.Product]
			if !seen {
				span.First = row.Date
			}
			span.Last = row.Date
			without[row.Product] = span
		default:
			at := slices.IndexFunc(applied, func(t terms.Term) bool { return t.ID == term.ID })
			if at < 0 {
				applied, at = append(applied, term), len(applied)
			}
			line.Term, line.Rate = at+1, term.Rate
			if row.NetTradingFee.Known() {
				line.Due = numberOf(affiliate.Times(row.NetTradingFee.Decimal(), term.Rate.Decimal()))
			} else {
				unpriced++
			}
		}
		d.Lines = append(d.Lines, line)
	}
	for i, t := range applied {
		term := stored.Term{Number: i + 1, About: t.About(), Rate: t.Rate, Coin: t.Coin, From: t.From.String(), Note: t.Note, Reference: t.Reference}
		if t.To != 0 {
			term.To = t.To.String()
		}
		d.Terms = append(d.Terms, term)
	}
	d.Totals = totalsOf(d.Lines)
	for _, product := range affiliate.Products() {
		if span, ok := without[product]; ok {
			d.Lacks = append(d.Lacks, fmt.Sprintf("No share of %s is agreed for days with business from %s to %s: nothing is due for them.", product.Label(), span.First, span.Last))
		}
	}
	if unpriced > 0 {
		d.Lacks = append(d.Lacks, fmt.Sprintf("The exchange gave no fee for %s: nothing is due for them.", phrase.Things(unpriced, "line")))
	}
	if coins := coinsOf(applied); len(coins) > 1 {
		d.Refusal = fmt.Sprintf("The shares agreed with sub-affiliate %s for %s are settled in %s, and a statement is in one coin: import terms with the same coin for all of them.", uid, days.First.Format("January 2006"), phrase.Listed(coins))
	}
	if len(applied) == 0 {
		d.Refusal = fmt.Sprintf("No share is agreed with sub-affiliate %s for %s: import a term of scope sub-affiliate.", uid, days.First.Format("January 2006"))
	}
	return d
}

// coinsOf lists the coins in which terms are settled, in words.
func coinsOf(applied []terms.Term) (names []string) {
	for _, t := range applied {
		name := string(t.Coin)
		if name == "" {
			name = "no coin"
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// measureOf answers which volume decides about tiers: that of the sub-affiliate itself in the
// month. The exchange does not count its traders, so tiers by them are never reached.
func measureOf(rows []records.SubAffiliateRow) terms.Measure {
	return func(asked terms.TierMonth) affiliate.Number {
		if asked.By != terms.TierByVolume {
			return ""
		}
		var sum affiliate.Sum
		for _, row := range rows {
			if (asked.Account == "" || asked.Account == row.Account) && (asked.Product == "" || asked.Product == row.Product) {
				sum.Add(row.TradingVolume)
			}
		}
		return affiliate.Number(sum.String())
	}
}

// totalsOf adds up lines by product, and then all of them.
func totalsOf(lines []stored.Line) (totals []stored.Total) {
	for _, product := range append(affiliate.Products(), "") {
		t := stored.Total{Product: product}
		var volume, fee, paid, due decimal.Decimal
		days := map[string]bool{}
		for _, line := range lines {
			if product != "" && line.Product != product {
				continue
			}
			days[line.Day] = true
			for sum, n := range map[*decimal.Decimal]affiliate.Number{&volume: line.Volume, &fee: line.Fee, &paid: line.Paid, &due: line.Due} {
				if n.Known() {
					*sum = sum.Add(n.Decimal())
				}
			}
		}
		if len(days) == 0 && product != "" {
			continue
		}
		t.Days = len(days)
		t.Volume, t.Fee, t.Paid, t.Due = numberOf(volume), numberOf(fee), numberOf(paid), numberOf(due)
		totals = append(totals, t)
	}
	return totals
}

func numberOf(d decimal.Decimal) affiliate.Number { return affiliate.Number(d.String()) }
