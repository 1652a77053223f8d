package subaffiliates

import (
	"cmp"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/query"
	"rebatedesk/store/sums"
)

// ListLine is one sub-affiliate of one account over a range.
type ListLine struct {
	Account affiliate.Account
	UID     affiliate.UID
	Figures
	Spot, Futures affiliate.Number // paid commission by product; unknown without records
	Share         figures.Ratio    // of all paid commission
	Change        Figure
	Days          int64 // UTC days with a record; in a total, of all its lines
	First, Last   affiliate.Day
	Trend         figures.Trend // paid commission; only for the lines of a page
}

type subAffiliateKey struct {
	account affiliate.Account
	uid     affiliate.UID
}

// subAffiliateSum sums one sub-affiliate.
type subAffiliateSum struct {
	figureSums
	products map[affiliate.Product]affiliate.Number
}

func (p subAffiliatePeriod) bySubAffiliate() map[subAffiliateKey]*subAffiliateSum {
	sums := map[subAffiliateKey]*subAffiliateSum{}
	for _, s := range p.Sums {
		key := subAffiliateKey{s.Account, s.UID}
		if sums[key] == nil {
			sums[key] = &subAffiliateSum{products: map[affiliate.Product]affiliate.Number{}}
		}
		sums[key].add(s.SubAffiliateSums)
		sums[key].products[s.Product] = s.PaidCommission
	}
	return sums
}

// lines lists the sub-affiliates of the period, in no particular order.
func (p subAffiliatePeriod) lines(ref subAffiliateReference) []ListLine {
	sums := p.bySubAffiliate()
	var whole figures.Portions
	for _, s := range sums {
		whole.Add(s.paid.sum.Decimal())
	}
	lines := make([]ListLine, 0, len(p.Spans))
	for _, span := range p.Spans {
		key := subAffiliateKey{span.Account, span.UID}
		s := sums[key]
		line := ListLine{
			Account: span.Account, UID: span.UID, Figures: s.figures(),
			Spot: s.products[affiliate.Spot], Futures: s.products[affiliate.Futures],
			Days: span.Days, First: span.First, Last: span.Last,
		}
		line.Share = shareOf(whole, line.Paid)
		line.Change = ref.figure(line.Paid, ref.of[key].Paid)
		lines = append(lines, line)
	}
	return lines
}

// totalLine adds up lines. Its share is of the same whole as theirs.
func totalLine(lines []ListLine, ref subAffiliateReference) ListLine {
	total := sumOf(lines)
	total.Share = shareOfRest(lines, lines)
	total.Change = ref.figure(total.Paid, ref.total.Paid)
	return total
}

func sumOf(lines []ListLine) ListLine {
	var total ListLine
	var volume, fee, paid, spot, futures knownSum
	for i, line := range lines {
		volume.add(line.Volume)
		fee.add(line.Fee)
		paid.add(line.Paid)
		spot.add(line.Spot)
		futures.add(line.Futures)
		total.Records += line.Records
		total.Days += line.Days
		if i == 0 || line.First < total.First {
			total.First = line.First
		}
		total.Last = max(total.Last, line.Last)
	}
	total.Volume, total.Fee, total.Paid = volume.number(), fee.number(), paid.number()
	total.Spot, total.Futures = spot.number(), futures.number()
	return total
}

// topLines ranks the lines by paid commission; the rest is one line.
func topLines(lines []ListLine, ref subAffiliateReference) (top []ListLine, others ListLine) {
	ranked := slices.Clone(lines)
	sortLines(ranked, query.Sort{Field: "paid", Descending: true})
	top = ranked[:min(figures.RankLength, len(ranked))]
	others = sumOf(ranked[len(top):])
	others.Share = shareOfRest(lines, ranked[len(top):])
	return top, others
}

// shareOf returns the share of what was paid, if it is known.
func shareOf(whole figures.Portions, paid affiliate.Number) figures.Ratio {
	if !paid.Known() {
		return figures.Ratio{}
	}
	return whole.Share(paid.Decimal())
}

// shareOfRest returns the share of some of the lines together.
func shareOfRest(lines, some []ListLine) figures.Ratio {
	if !sumOf(some).Paid.Known() {
		return figures.Ratio{}
	}
	of := func(list []ListLine) (w figures.Portions) {
		for _, line := range list {
			if line.Paid.Known() {
				w.Add(line.Paid.Decimal())
			}
		}
		return w
	}
	return of(lines).ShareOfRest(of(some))
}

// sortLines orders lines by a column. Equal lines are ordered by account and UID.
func sortLines(lines []ListLine, by query.Sort) {
	compare := lineOrders[by.Field]
	slices.SortFunc(lines, func(a, b ListLine) int {
		order := 0
		if compare != nil {
			order = compare(a, b)
		}
		if by.Descending {
			order = -order
		}
		return cmp.Or(order, cmp.Compare(a.Account, b.Account), cmp.Compare(a.UID, b.UID))
	})
}

var lineOrders = map[string]func(a, b ListLine) int{
	"uid":     func(a, b ListLine) int { return cmp.Compare(a.UID, b.UID) },
	"account": func(a, b ListLine) int { return cmp.Compare(a.Account, b.Account) },
	"volume":  byNumber(func(l ListLine) affiliate.Number { return l.Volume }),
	"fee":     byNumber(func(l ListLine) affiliate.Number { return l.Fee }),
	"paid":    byNumber(func(l ListLine) affiliate.Number { return l.Paid }),
	"share":   byNumber(func(l ListLine) affiliate.Number { return l.Paid }), // exact, all of one whole
	"spot":    byNumber(func(l ListLine) affiliate.Number { return l.Spot }),
	"futures": byNumber(func(l ListLine) affiliate.Number { return l.Futures }),
	"ratio": func(a, b ListLine) int {
		return figures.RatioOf(a.Ratio()).Compare(figures.RatioOf(b.Ratio()))
	},
	"change": func(a, b ListLine) int { return a.Change.Change.Compare(b.Change.Change) },
	"days":   func(a, b ListLine) int { return cmp.Compare(a.Days, b.Days) },
	"first":  func(a, b ListLine) int { return cmp.Compare(a.First, b.First) },
	"last":   func(a, b ListLine) int { return cmp.Compare(a.Last, b.Last) },
}

// byNumber orders by an amount; unknown ones come first.
func byNumber(of func(ListLine) affiliate.Number) func(a, b ListLine) int {
	return func(a, b ListLine) int {
		x, y := of(a), of(b)
		if !x.Known() || !y.Known() {
			return cmp.Compare(len(x), len(y))
		}
		return x.Cmp(y)
	}
}

// trends arranges the daily payments to the sub-affiliates of a page.
func (p subAffiliatePeriod) trends(lines []ListLine) {
	for i := range lines {
		trend := figures.NewTrend(p.days, "", p.cover)
		for _, paid := range p.Paid[sums.InviteeKey{Account: lines[i].Account, UID: lines[i].UID}] {
			if paid.PaidCommission.Known() {
				trend.Add(paid.Day, paid.PaidCommission.Decimal())
				trend.Known[paid.Day-p.days.First] = true
			}
		}
		lines[i].Trend = trend
	}
}
