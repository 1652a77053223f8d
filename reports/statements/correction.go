package statements

import (
	"cmp"
	"slices"

	"rebatedesk/affiliate"
	stored "rebatedesk/store/statements"
)

// Correction returns a draft as the correction of an issued statement: with the difference,
// and the lines that changed. Without any change there are no lines.
func Correction(d Draft, issued stored.IssuedStatement, before stored.Content) Draft {
	c := &stored.CorrectedStatement{Number: issued.Number, Issued: issued.Issued, Due: before.Total().Due, Changes: lineChanges(before.Lines, d.Lines)}
	c.Difference = numberOf(d.Total().Due.Decimal().Sub(c.Due.Decimal()))
	if issued.Payment.Noted.Known() {
		c.PaidOn, c.Reference = issued.Payment.Day.String(), issued.Payment.Reference
	}
	d.Corrects = c
	if len(d.Lines) == 0 {
		d.Totals = totalsOf(nil) // the exchange took everything back
		d.Payee, d.Refusal = before.Payee, ""
	}
	return d
}

// lineChanges lists the lines that are not the same in both, by day, account and product.
func lineChanges(before, after []stored.Line) (changes []stored.LineChange) {
	type key struct {
		day     string
		account affiliate.Account
		product affiliate.Product
	}
	of := func(l stored.Line) key { return key{l.Day, l.Account, l.Product} }
	was := map[key]stored.Line{}
	for _, l := range before {
		was[of(l)] = l
	}
	for _, l := range after {
		b := was[of(l)]
		delete(was, of(l))
		if !sameLine(b, l) {
			changes = append(changes, stored.LineChange{Day: l.Day, Account: l.Account, Product: l.Product,
				FeeBefore: b.Fee, FeeAfter: l.Fee, DueBefore: b.Due, DueAfter: l.Due})
		}
	}
	for _, b := range was {
		changes = append(changes, stored.LineChange{Day: b.Day, Account: b.Account, Product: b.Product, FeeBefore: b.Fee, DueBefore: b.Due})
	}
	slices.SortFunc(changes, func(a, b stored.LineChange) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Account, b.Account), affiliate.CompareProducts(a.Product, b.Product))
	})
	return changes
}

// sameLine compares what is stated of a day: other spellings of a number are the same.
func sameLine(a, b stored.Line) bool {
	if a.Day == "" {
		return false
	}
	for _, pair := range [][2]affiliate.Number{{a.Volume, b.Volume}, {a.Fee, b.Fee}, {a.Paid, b.Paid}, {a.Rate, b.Rate}, {a.Due, b.Due}} {
		if pair[0].Canonical() != pair[1].Canonical() {
			return false
		}
	}
	return true
}
