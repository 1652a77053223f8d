package months

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/reports/books"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/query"
	"rebatedesk/reports/rates"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/closings"
	stored "rebatedesk/store/payments"
	"rebatedesk/store/sums"
	"rebatedesk/terms"
)

// Frozen is what is known of a month, ready to be stored as a closing.
type Frozen struct {
	Closing   closings.Closing // without its words, its actor and its id
	Details   closings.Details
	Readiness Readiness
	Present   *closings.Closing // the closing in force; nil: the month is not closed
}

// Freeze reads what is known of a month. Its instant is the stamp of the newest write that the
// question sees, so that the same figures are found again as of that instant, whatever is written
// later and by whom.
func Freeze(ctx context.Context, q *snapshot.Snapshot) (Frozen, error) {
	var f Frozen
	known, err := q.Tx.LastWrite(ctx)
	if err != nil {
		return f, err
	}
	list, err := closings.Of(ctx, q.Tx, q.Days.First, 0)
	if err != nil {
		return f, err
	}
	if newest := newestOf(list, q.Days.First); newest != nil && newest.InForce() {
		f.Present = newest
		return f, nil
	}
	watch, err := newWatch(ctx, q, q.Days)
	if err != nil {
		return f, err
	}
	f.Readiness = watch.readiness(q.Days)
	past := q.Everywhere()
	past.AsOf, past.Now = known.Time(), known.Time()
	if f.Details, err = draftOf(ctx, past, f.Readiness); err != nil {
		return f, err
	}
	f.Closing = closings.Closing{Month: q.Days.First, Zone: q.Zone.String(), Known: known, Complete: f.Readiness.Ready(), PayoutRule: q.PayoutRule}
	f.Closing.Sums, err = FrozenSums(ctx, past)
	return f, err
}

// FrozenSums adds up the records of a month, as known at the instant of the question. For the
// instant of a closing these are its sums.
func FrozenSums(ctx context.Context, q *snapshot.Snapshot) ([]closings.Sum, error) {
	days, err := sums.ByDay(ctx, q.Tx, q.Filter())
	if err != nil {
		return nil, err
	}
	var list []closings.Sum
	totals := map[closings.Sum]*Figures{}
	for i := range days {
		d := &days[i]
		key := closings.Sum{Account: d.Account, Product: d.Product, Coin: d.Coin, Source: d.Source}
		t := totals[key]
		if t == nil {
			t = new(Figures)
			totals[key] = t
			list = append(list, key)
		}
		t.add(d.Records, d.Summed)
	}
	for i := range list {
		t := totals[list[i]]
		list[i].Records, list[i].Summed = t.Records, affiliate.MapSummed(&t.Summed, func(sum *affiliate.Sum) affiliate.Number { return number(*sum) })
	}
	slices.SortFunc(list, func(a, b closings.Sum) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Product, b.Product), cmp.Compare(a.Coin, b.Coin), cmp.Compare(a.Source, b.Source))
	})
	return list, nil
}

func number(sum affiliate.Sum) affiliate.Number { return affiliate.Number(sum.String()) }

// draftOf makes the lists of a closing: of all accounts, as known at the instant of the question.
func draftOf(ctx context.Context, q *snapshot.Snapshot, r Readiness) (d closings.Details, err error) {
	d.Coverage = coverageOf(r)
	if d.Payments, err = openPayments(ctx, q); err != nil {
		return d, err
	}
	d.Findings, err = findings(ctx, q)
	return d, err
}

// openPayments lists the lines of payments of the month that are not paid as they should be, the
// oldest first. A line that was paid in full, though late, is not open, and neither is one that
// a user has accepted.
func openPayments(ctx context.Context, q *snapshot.Snapshot) ([]closings.Payment, error) {
	all := *q
	all.Page, all.Per, all.Sort = 1, 1<<30, query.Sort{Field: "period"}
	report, err := payments.Make(ctx, &all)
	if err != nil {
		return nil, err
	}
	var list []closings.Payment
	for i := range report.Lines {
		line := &report.Lines[i]
		if line.State == books.Matched || line.State == books.Late || line.Verdict() == stored.Accepted {
			continue
		}
		list = append(list, closings.Payment{
			Account: line.Account, Coin: line.Coin, Kind: string(line.Kind), From: line.From, To: line.To, Bill: line.Key().Bill, State: string(line.State),
			Earned: number(line.Earned), Paid: number(line.Paid), Difference: number(line.Difference()),
		})
	}
	return list, nil
}

// findings lists what was found about the month. A further kind of finding is one more function
// here.
func findings(ctx context.Context, q *snapshot.Snapshot) (list []closings.Finding, err error) {
	for _, find := range []func(context.Context, *snapshot.Snapshot) ([]closings.Finding, error){restated, misrated} {
		found, err := find(ctx, q)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	return list, nil
}

// restated has a finding for each way in which records of the month changed after they had been
// collected, and coin.
func restated(ctx context.Context, q *snapshot.Snapshot) (list []closings.Finding, err error) {
	all := *q
	all.Page, all.Per = 1, 1
	report, err := commissions.MakeRestatements(ctx, &all)
	if err != nil {
		return nil, err
	}
	for _, t := range report.Totals {
		list = append(list, closings.Finding{
			Kind: string(t.Kind), Coin: t.Coin, Records: t.Count, Amount: affiliate.Number(t.Change.String()), Words: restatedWords[t.Kind],
		})
	}
	return list, nil
}

// restatedWords say what happened to records, after their number.
var restatedWords = map[commissions.RestatementKind]string{
	commissions.RestatedLate:    "Listed by the exchange after their day had been collected.",
	commissions.RestatedChanged: "Changed by the exchange after their day had been collected.",
	commissions.RestatedRemoved: "Taken back by the exchange after their day had been collected.",
	commissions.RestatedZeroed:  "Set to zero by the exchange after their day had been collected.",
}

// rateFinding is the kind of the findings about rates.
const rateFinding = "rate"

// misrated has a finding for each deviation from the agreed or the former rate, and coin.
func misrated(ctx context.Context, q *snapshot.Snapshot) (list []closings.Finding, err error) {
	found, err := rates.MakeDeviations(ctx, q)
	for i := range found {
		d := &found[i]
		for _, c := range d.Costs {
			list = append(list, closings.Finding{
				Kind: rateFinding, Account: d.Account, Coin: c.Coin, Records: c.Records, Amount: affiliate.Number(c.Difference.String()), Words: deviationWords(d),
			})
		}
	}
	return list, err
}

// deviationWords says what a deviation is: "Less was paid than agreed for invitee 4711, Spot, from
// 3 Oct 2026 to 9 Oct 2026."
func deviationWords(d *rates.Deviation) string {
	var words strings.Builder
	words.WriteString("Less was paid than ")
	if d.Over {
		words.Reset()
		words.WriteString("More was paid than ")
	}
	if d.Break {
		words.WriteString("before for ")
	} else {
		words.WriteString("agreed for ")
	}
	switch d.Scope {
	case terms.ScopeUID:
		words.WriteString("invitee " + affiliate.OneLine(d.Value))
	case terms.ScopeCode:
		words.WriteString("invite code " + affiliate.OneLine(d.Value))
	default:
		words.WriteString("the whole programme")
	}
	if d.Product != "" {
		words.WriteString(", " + d.Product.Label())
	}
	const form = "2 Jan 2006"
	words.WriteString(", from " + d.Days.First.Format(form) + " to " + d.Days.Last.Format(form))
	if d.Break {
		words.WriteString("; no rate is agreed")
	}
	return words.String() + "."
}
