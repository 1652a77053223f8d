package invitecodes

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/snapshot"
)

// CodeSteps counts the invitees who registered in the range, and those of them who have
// gone further since, at any time.
type CodeSteps struct {
	Registered int64
	KYC        int64 // passed the identity check
	Deposited  int64
	Traded     int64

	kycUntold int64 // whose KYC the exchange does not report
}

// KYCRate returns the percentage of registered users who passed KYC.
func (s CodeSteps) KYCRate() figures.Ratio { return figures.ShareOfCount(s.KYC, s.Registered) }

// DepositRate returns the percentage of registered users who deposited. The steps have no
// fixed order, so it is not a share of those who passed KYC: some deposit before it.
func (s CodeSteps) DepositRate() figures.Ratio {
	return figures.ShareOfCount(s.Deposited, s.Registered)
}

// TradeRate returns the percentage of registered users who traded.
func (s CodeSteps) TradeRate() figures.Ratio { return figures.ShareOfCount(s.Traded, s.Registered) }

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

// CodeKnowledge gives the reasons why figures of codes are unknown. A reason is empty if
// the figure is known.
type CodeKnowledge struct {
	Registered, KYC, Deposited, Traded string // of the registrations of the range
	FirstDeposits, FirstTrades         string // in the range
	Commission                         string // and everything counted from records; empty if known
	Value                              string // commission per registration
	// AtLeast says that the exchange no longer lists some users who registered in the
	// range, and that they were never collected: the real number is higher.
	AtLeast bool
	// FirstAtLeast says the same of users who could first deposit or trade in the range,
	// whenever they registered.
	FirstAtLeast bool
}

// KYCRate returns the rate of a line, if it is known.
func (k CodeKnowledge) KYCRate(l CodeLine) figures.Ratio { return k.rate(l.CodeSteps.KYCRate(), k.KYC) }

// DepositRate returns the rate of a line, if it is known.
func (k CodeKnowledge) DepositRate(l CodeLine) figures.Ratio {
	return k.rate(l.CodeSteps.DepositRate(), k.Deposited)
}

// TradeRate returns the rate of a line, if it is known.
func (k CodeKnowledge) TradeRate(l CodeLine) figures.Ratio {
	return k.rate(l.CodeSteps.TradeRate(), k.Traded)
}

func (k CodeKnowledge) rate(rate figures.Ratio, unknown string) figures.Ratio {
	if unknown != "" {
		return figures.Ratio{}
	}
	return rate
}

// knowCodes determines which figures are known.
func knowCodes(ctx context.Context, q *snapshot.Snapshot, view *Report, books *codeBooks) error {
	var p invitees.PeopleCounts
	if err := invitees.Believe(ctx, q, &p, q.Days); err != nil {
		return err
	}
	k := &view.Known
	k.AtLeast, k.FirstAtLeast = p.Beyond, p.Early
	if len(view.Total.InRange) == 0 {
		k.Commission = p.WhyNotActive()
	}
	if !p.Registered {
		k.Registered = figures.NotYet
	}
	k.KYC, k.Deposited, k.Traded = k.Registered, k.Registered, k.Registered
	if !p.Listed {
		k.FirstDeposits, k.FirstTrades = figures.NotYet, figures.NotYet
	}
	for why, told := range map[*string]bool{
		&k.Deposited: books.told.deposits, &k.Traded: books.told.trades,
		&k.FirstDeposits: books.told.deposits, &k.FirstTrades: books.told.trades,
	} {
		if *why == "" && !told {
			*why = figures.NotReported
		}
	}
	if k.KYC == "" {
		k.KYC = whyNoKYC(view.Total.CodeSteps)
	}
	k.Value = k.Registered
	since := affiliate.Days{First: q.Days.First, Last: affiliate.DayOf(q.Now, q.Zone)}
	cover, err := q.ReadCoverage(ctx, affiliate.Commissions, since)
	if err == nil && k.Value == "" && !cover.Summary(since).Complete() {
		k.Value = "the commission since the first day of the range is not collected completely"
	}
	return err
}

// whyNoKYC returns why the number of users who passed KYC is unknown.
func whyNoKYC(s CodeSteps) string {
	switch {
	case s.kycUntold == 0:
		return ""
	case s.kycUntold == s.Registered:
		return figures.NotReported
	}
	return fmt.Sprintf("the exchange does not tell it of %d of %d", s.kycUntold, s.Registered)
}

// comparePeople compares the people of all lines with those of the compared period.
func comparePeople(ctx context.Context, q *snapshot.Snapshot, view *Report, books *codeBooks, ref figures.Reference) error {
	k, total := view.Known, view.Total
	view.People = invitees.Cards{
		Registered:      figures.CountFrom(total.Registered, k.Registered, k.AtLeast),
		FirstDepositors: figures.CountFrom(total.FirstDepositors, k.FirstDeposits, k.FirstAtLeast),
		FirstTraders:    figures.CountFrom(total.FirstTraders, k.FirstTrades, k.FirstAtLeast),
		ActiveTraders:   figures.CountOf(total.Active, k.Commission),
	}
	if !ref.Asked {
		return nil
	}
	var before invitees.PeopleCounts
	if err := invitees.Believe(ctx, q, &before, ref.Days); err != nil {
		return err
	}
	whole := before.Listed && !before.Early
	view.People.Registered.Compare(books.earlier.Registered, before.WhyNotRegistered() == "" && !before.Beyond, ref.Open)
	view.People.FirstDepositors.Compare(books.earlier.FirstDepositors, whole, ref.Open)
	view.People.FirstTraders.Compare(books.earlier.FirstTraders, whole, ref.Open)
	view.People.ActiveTraders.Compare(books.earlier.Active, ref.Known, ref.Open)
	return nil
}
