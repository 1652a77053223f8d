package phrase

import (
	"fmt"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/commissions"
	"rebatedesk/store/records"
)

// ReasonMarks returns the causes of a record as short marks; none if nothing stands out. The
// mark of a client of a sub-agent is left out, since tables of records have a column for it.
func ReasonMarks(r commissions.Reason) (marks []string) {
	for _, cause := range r.Causes {
		if cause != commissions.CauseSubAgent {
			marks = append(marks, causeMark(cause, r))
		}
	}
	return marks
}

func causeMark(cause commissions.Cause, r commissions.Reason) string {
	switch cause {
	case commissions.CauseVoucher:
		return "voucher?"
	case commissions.CauseUpline:
		return "same-rate upline"
	case commissions.CauseOtherRate:
		return "not as stated"
	case commissions.CauseLower:
		return "below " + fractionOf(r.Usual.Rate)
	case commissions.CauseHigher:
		return "above " + fractionOf(r.Usual.Rate)
	}
	return string(cause)
}

// ReasonWords explains what a record brought, one sentence for each point. The first is about
// its rate.
func ReasonWords(row records.CommissionRow, r commissions.Reason) []string {
	words := []string{rateWords(row, r)}
	for _, cause := range r.Causes {
		if sentence := causeWords(cause, row, r); sentence != "" {
			words = append(words, sentence)
		}
	}
	return words
}

// RecordSum says how the commission of a record follows from its fee, with exact amounts.
func RecordSum(row records.CommissionRow, r commissions.Reason) string {
	in := func(n affiliate.Number) string { return exact(n) + " " + string(row.Coin) }
	switch {
	case !row.Fee.Known() || !row.Commission.Commission.Known():
		return "Fee × rebate rate is not known: the exchange left an amount out."
	case !row.Rate.Known():
		return fmt.Sprintf("Fee %s, commission %s; the exchange states no rebate rate.", in(row.Fee), in(row.Commission.Commission))
	}
	due := row.Fee.Decimal().Mul(row.Rate.Decimal())
	product := fmt.Sprintf("Fee %s × rebate rate %s", in(row.Fee), Fraction(row.Rate))
	switch {
	case due.Equal(row.Commission.Commission.Decimal()):
		return product + " = commission " + in(row.Commission.Commission)
	case !r.Known || slices.Contains(r.Causes, commissions.CauseOtherRate) || row.Commission.Commission.IsZero() || slices.Contains(r.Causes, commissions.CauseClawback):
		return fmt.Sprintf("%s would be %s; the exchange credited %s", product, in(affiliate.Number(due.String())), in(row.Commission.Commission))
	}
	return product + " ≈ commission " + in(row.Commission.Commission)
}

// RecordVolume names the trading volume of a record and its unit.
func RecordVolume(row records.CommissionRow) string {
	return fmt.Sprintf("Volume: taker %s, maker %s, in the quote currency as far as known: the exchange does not document the unit.", exact(row.TakerAmount), exact(row.MakerAmount))
}

// RecordHistory says what the exchange stated of the trade of a record before, the oldest first;
// one sentence for each, or one that nothing changed.
func RecordHistory(row records.CommissionRow, r commissions.Reason, zone *time.Location) []string {
	if len(r.Earlier) == 0 {
		return []string{"Unchanged since it was first read on " + Clock(row.FirstSeen.Time(), zone) + "."}
	}
	sentences := make([]string, len(r.Earlier))
	for i, was := range r.Earlier {
		sentences[i] = fmt.Sprintf("Restated: until %s fee %s, commission %s %s.", Clock(was.Ended.Time(), zone), exact(was.Fee), exact(was.Commission.Commission), was.Coin)
	}
	return sentences
}

// exact prints all digits of an amount, or that the exchange did not give it.
func exact(n affiliate.Number) string {
	if !n.Known() {
		return "not given"
	}
	return affiliate.Grouped(n.Decimal().String())
}

func rateWords(row records.CommissionRow, r commissions.Reason) string {
	own, usual := "There is no fee to compare the commission with", usualWords(row.Product, r.Usual)
	switch {
	case !r.Known:
	case r.Usual.Known() && r.Rate.Equal(r.Usual.Rate):
		return fmt.Sprintf("%s of the fee, as usual for this invitee on %s (%s).", fractionOf(r.Rate), row.Product.Label(), peersWords(r.Usual))
	default:
		own = fractionOf(r.Rate) + " of the fee"
	}
	return own + "; " + usual
}

func usualWords(product affiliate.Product, u commissions.UsualRate) string {
	switch {
	case u.Few():
		return fmt.Sprintf("what is usual for this invitee on %s is not known: %s with a fee within 90 days.", product.Label(), Things(u.Of, "record"))
	case !u.Known():
		return fmt.Sprintf("this invitee has no usual rate on %s: the most frequent one is %s (%s).", product.Label(), fractionOf(u.Rate), peersWords(u))
	}
	return fmt.Sprintf("this invitee usually gets %s on %s (%s).", fractionOf(u.Rate), product.Label(), peersWords(u))
}

// peersWords says on how many records a usual rate is based.
func peersWords(u commissions.UsualRate) string {
	return fmt.Sprintf("%s of %s within 90 days", Count(u.Having), Things(u.Of, "record"))
}

func causeWords(cause commissions.Cause, row records.CommissionRow, r commissions.Reason) string {
	switch cause {
	case commissions.CauseClawback:
		return "The commission is negative: the exchange took back what it had credited."
	case commissions.CauseNoAmount:
		return "The exchange sent the record without its fee or its commission."
	case commissions.CauseZeroFeePair:
		return "Zero-fee pair: nobody paid a fee in it within 90 days, so there is nothing to share."
	case commissions.CauseVoucher:
		return "Others paid a fee in this pair, this trade did not: probably a voucher. There is nothing to share."
	case commissions.CauseZeroFee:
		return "The trade paid no fee (a voucher or a zero-fee pair), so there is nothing to share."
	case commissions.CauseUpline:
		return "The fee brought no commission: an upline or sub-agent with the same rebate rate leaves nothing over."
	case commissions.CauseOtherRate:
		return fmt.Sprintf("The exchange states a rebate rate of %s, which the commission does not agree with.", Fraction(row.Rate))
	case commissions.CauseSubAgent:
		return "The client came through a sub-agent, who keeps a part of the rebate."
	case commissions.CauseTwin:
		return fmt.Sprintf("The exchange sent %s equal records; each of them counts.", Count(r.Equal))
	case commissions.CauseNoPrice:
		return fmt.Sprintf("%s has no price, so converted totals leave this record out.", row.Coin)
	}
	return "" // said with the rate
}

// fractionOf prints a rate as a percentage.
func fractionOf(d decimal.Decimal) string { return Fraction(affiliate.Number(d.String())) }
