package reports

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
)

// CodeSteps count the invitees who registered in the range, and those of them
// who have gone further since, at whatever time.
type CodeSteps struct {
	Registered int64
	KYC        int64 // passed the check of identity
	Deposited  int64
	Traded     int64

	kycUntold int64 // of whom the exchange does not tell it
}

// KYCRate is the part of the registered who passed KYC.
func (s CodeSteps) KYCRate() Ratio { return shareOfCount(s.KYC, s.Registered) }

// DepositRate is the part of the registered who deposited. The steps have no
// fixed order: who deposits before KYC would stand in a part of those with KYC
// as nobody.
func (s CodeSteps) DepositRate() Ratio { return shareOfCount(s.Deposited, s.Registered) }

// TradeRate is the part of the registered who traded.
func (s CodeSteps) TradeRate() Ratio { return shareOfCount(s.Traded, s.Registered) }

// count adds an invitee who registered in the range.
func (s *CodeSteps) count(i *affiliate.Invitee) {
	kyc, deposited, traded := i.KYC == affiliate.FlagOf(true), i.FirstDeposit.Known(), i.FirstTrade.Known()
	s.Registered++
	for _, step := range []struct {
		done bool
		n    *int64
	}{{kyc, &s.KYC}, {deposited, &s.Deposited}, {traded, &s.Traded},
		{i.KYC == "", &s.kycUntold}} {
		if step.done {
			*step.n++
		}
	}
}

func (s *CodeSteps) join(o CodeSteps) {
	s.Registered += o.Registered
	s.KYC += o.KYC
	s.Deposited += o.Deposited
	s.Traded += o.Traded
	s.kycUntold += o.kycUntold
}

// CodeKnowledge says why figures of codes cannot be told; a text is empty where
// they can.
type CodeKnowledge struct {
	Registered, KYC, Deposited, Traded string // of the registrations of the range
	FirstDeposits, FirstTrades         string // in the range
	Commission                         string // and all that is counted from records; empty where there are some
	Value                              string // commission per registration
	// AtLeast tells that the exchange lists some who registered in the range no
	// more, and they were never collected: there were more of them.
	AtLeast bool
	// FirstAtLeast tells the same of those who could deposit or trade first in
	// the range, whenever they registered.
	FirstAtLeast bool
}

// KYCRate is that of a line, as far as it can be told.
func (k CodeKnowledge) KYCRate(l CodeLine) Ratio { return k.rate(l.CodeSteps.KYCRate(), k.KYC) }

// DepositRate is that of a line, as far as it can be told.
func (k CodeKnowledge) DepositRate(l CodeLine) Ratio {
	return k.rate(l.CodeSteps.DepositRate(), k.Deposited)
}

// TradeRate is that of a line, as far as it can be told.
func (k CodeKnowledge) TradeRate(l CodeLine) Ratio {
	return k.rate(l.CodeSteps.TradeRate(), k.Traded)
}

func (k CodeKnowledge) rate(rate Ratio, unknown string) Ratio {
	if unknown != "" {
		return Ratio{}
	}
	return rate
}

// knowCodes settles what can be told.
func (q *question) knowCodes(ctx context.Context, view *CodesReport, books *codeBooks) error {
	var p peopleCounts
	if err := q.believe(ctx, &p, q.Days); err != nil {
		return err
	}
	k := &view.Known
	k.AtLeast, k.FirstAtLeast = p.beyond, p.early
	if len(view.Total.InRange) == 0 {
		k.Commission = p.whyNotActive()
	}
	if !p.registered {
		k.Registered = notYet
	}
	k.KYC, k.Deposited, k.Traded = k.Registered, k.Registered, k.Registered
	if !p.listed {
		k.FirstDeposits, k.FirstTrades = notYet, notYet
	}
	for why, told := range map[*string]bool{
		&k.Deposited: books.told.deposits, &k.Traded: books.told.trades,
		&k.FirstDeposits: books.told.deposits, &k.FirstTrades: books.told.trades,
	} {
		if *why == "" && !told {
			*why = notReported
		}
	}
	if k.KYC == "" {
		k.KYC = whyNoKYC(view.Total.CodeSteps)
	}
	k.Value = k.Registered
	since := affiliate.Days{First: q.Days.First, Last: affiliate.DayOf(q.now, q.Zone)}
	cover, err := q.coverage(ctx, affiliate.Commissions, since)
	if err == nil && k.Value == "" && !cover.summary(since).Complete() {
		k.Value = "the commission since the first day of the range is not collected completely"
	}
	return err
}

// whyNoKYC tells why it cannot be counted who passed KYC.
func whyNoKYC(s CodeSteps) string {
	switch {
	case s.kycUntold == 0:
		return ""
	case s.kycUntold == s.Registered:
		return notReported
	}
	return fmt.Sprintf("the exchange does not tell it of %d of %d", s.kycUntold, s.Registered)
}

// comparePeople counts people over all lines beside those of the compared
// period.
func (q *question) comparePeople(ctx context.Context, view *CodesReport, books *codeBooks, ref reference) error {
	k, total := view.Known, view.Total
	view.People = InviteeCards{
		Registered:      countFrom(total.Registered, k.Registered, k.AtLeast),
		FirstDepositors: countFrom(total.FirstDepositors, k.FirstDeposits, k.FirstAtLeast),
		FirstTraders:    countFrom(total.FirstTraders, k.FirstTrades, k.FirstAtLeast),
		ActiveTraders:   count(total.Active, k.Commission),
	}
	if !ref.asked {
		return nil
	}
	var before peopleCounts
	if err := q.believe(ctx, &before, ref.days); err != nil {
		return err
	}
	whole := before.listed && !before.early
	view.People.Registered.compare(books.earlier.Registered, before.whyNotRegistered() == "" && !before.beyond, ref.open)
	view.People.FirstDepositors.compare(books.earlier.FirstDepositors, whole, ref.open)
	view.People.FirstTraders.compare(books.earlier.FirstTraders, whole, ref.open)
	view.People.ActiveTraders.compare(books.earlier.Active, ref.known, ref.open)
	return nil
}
