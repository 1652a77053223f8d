package subaffiliates

import (
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/store/sums"
)

// Figures are exact sums of sub-affiliate days. An amount is unknown if the
// exchange gave no part of it.
type Figures struct {
	Records int64
	Volume  affiliate.Number
	Fee     affiliate.Number // net, collected by the exchange
	Paid    affiliate.Number // commission paid to the sub-affiliate
}

// Ratio returns the percentage of the net fee that was paid, with one decimal, or false if
// there is no fee to pay from.
func (f Figures) Ratio() (decimal.Decimal, bool) {
	return figures.PercentOf(f.Paid, f.Fee)
}

// Figure is one amount with its comparison.
type Figure struct {
	Value     affiliate.Number
	Reference affiliate.Number // meaningful unless Change.Kind is none or unknown
	Change    figures.Change
}

// Cards are the figures above the report.
type Cards struct {
	Volume, Fee, Paid Figure
	Records           int64
	Ratio             figures.Ratio // paid of fee
	ReferenceRatio    figures.Ratio // of the compared period
}

func cardsOf(now Figures, ref subAffiliateReference) Cards {
	cards := Cards{
		Records: now.Records, Ratio: figures.RatioOf(now.Ratio()),
		Volume: ref.figure(now.Volume, ref.total.Volume),
		Fee:    ref.figure(now.Fee, ref.total.Fee),
		Paid:   ref.figure(now.Paid, ref.total.Paid),
	}
	if ref.known {
		cards.ReferenceRatio = figures.RatioOf(ref.total.Ratio())
	}
	return cards
}

// figure compares an amount with its reference. If the compared period is collected
// and has no record, the reference is zero.
func (r subAffiliateReference) figure(now, before affiliate.Number) Figure {
	f := Figure{Value: now, Change: figures.Change{Kind: figures.ChangeNone}}
	switch {
	case !r.asked:
	case !r.known || !now.Known():
		f.Change.Kind = figures.ChangeUnknown
	default:
		if f.Reference = before; !before.Known() {
			f.Reference = "0"
		}
		f.Change = figures.ChangeOf("", now.Decimal(), f.Reference.Decimal())
	}
	return f
}

// figureSums holds exact sums of figures.
type figureSums struct {
	records           int64
	volume, fee, paid knownSum
}

func (s *figureSums) add(o sums.SubAffiliateSums) {
	s.records += o.Records
	s.volume.add(o.TradingVolume)
	s.fee.add(o.NetTradingFee)
	s.paid.add(o.PaidCommission)
}

func (s *figureSums) join(o figureSums) {
	s.records += o.records
	s.volume.join(o.volume)
	s.fee.join(o.fee)
	s.paid.join(o.paid)
}

func (s figureSums) figures() Figures {
	return Figures{s.records, s.volume.number(), s.fee.number(), s.paid.number()}
}

// knownSum is a sum that is unknown until a known amount is added.
type knownSum struct {
	sum   affiliate.Sum
	known bool
}

func (s *knownSum) add(n affiliate.Number) {
	s.known = s.known || n.Known()
	s.sum.Add(n)
}

func (s *knownSum) join(o knownSum) {
	s.known = s.known || o.known
	s.sum.AddSum(o.sum)
}

func (s knownSum) number() affiliate.Number {
	if !s.known {
		return ""
	}
	return affiliate.Number(s.sum.String())
}
