package books

import "rebatedesk/affiliate"

// Balance is what the exchange owes for some lines that are due, and why. Owed is Earned − Paid, and
// also Missing + Underpaid + Restated − Excess, to the last digit.
type Balance struct {
	Earned, Paid affiliate.Sum
	Missing      affiliate.Sum // of lines without a payment
	Underpaid    affiliate.Sum // paid less than was known to be earned when it was paid
	Restated     affiliate.Sum // earned as known now − earned as known when it was paid; of either sign
	Excess       affiliate.Sum // paid twice, too much or for no period; negative if the exchange took back something for no period
}

// Owed returns what the exchange owes; negative if it has paid too much.
func (b *Balance) Owed() affiliate.Sum { return less(b.Earned, b.Paid) }

// Add adds another balance.
func (b *Balance) Add(o Balance) {
	b.Earned.AddSum(o.Earned)
	b.Paid.AddSum(o.Paid)
	b.Missing.AddSum(o.Missing)
	b.Underpaid.AddSum(o.Underpaid)
	b.Restated.AddSum(o.Restated)
	b.Excess.AddSum(o.Excess)
}

// Balance returns the balance of the line. That of a line that is pending is zero, as nothing of it is due.
func (l *Line) Balance() (b Balance) {
	if l.State == Pending {
		return b
	}
	b.Earned, b.Paid = l.Earned, l.Paid
	owed := l.Difference().Negated()
	switch {
	case l.State == Missing:
		b.Missing = owed
	case len(l.Bills) == 0 || l.State == Unexplained: // earned less than nothing, or paid for no period
		b.Excess = owed.Negated()
	default:
		b.Restated = less(l.Earned, l.LastPaid)
		if then := less(l.LastPaid, l.Paid); sign(then) > 0 {
			b.Underpaid = then
		} else {
			b.Excess = then.Negated()
		}
	}
	return b
}
