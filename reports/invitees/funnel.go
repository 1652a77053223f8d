package invitees

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/sums"
)

// Funnel follows the invitees who registered in the range to their first trade, whenever it
// was.
type Funnel struct {
	Steps []FunnelStep // registered, first deposit, first trade
	// KYC is separate: no step requires it, so users who deposited are not a subset of
	// those who passed it.
	KYC FunnelStep
	// Young is how many of them registered in the last 30 days: they may still
	// take steps that older ones have taken.
	Young int64
}

// FunnelStep counts the invitees who reached a step.
type FunnelStep struct {
	Step   FunnelName
	Count  figures.Count
	All    figures.Ratio // of those who registered, in percent
	Next   figures.Ratio // of those at the previous step, the percentage who also took this one; not known for the first step and for KYC
	Both   int64         // number of those who took both, if Next is known
	Before int64         // number of those who took the previous step, if Next is known
	Wait   StepDelay
}

// FunnelName names a step of the funnel.
type FunnelName string

// Steps in their order, and KYC, which is not a step.
const (
	FunnelRegistered FunnelName = "registered"
	FunnelDeposit    FunnelName = "first deposit"
	FunnelTrade      FunnelName = "first trade"
	FunnelKYC        FunnelName = "KYC passed"
)

// StepDelay is the median time from one step to another, in days with one decimal, over
// those who took both. The time of KYC is not reported, so KYC has no delay.
type StepDelay struct {
	From  FunnelName
	Days  decimal.Decimal
	Known bool
}

// youngDays is the time in which a step can still be expected: as long as an invitee counts
// as new.
const youngDays = newDays

// step is one step of a funnel: who took it and, if the exchange reports it, when.
type step struct {
	name  FunnelName
	taken func(sums.InviteeSteps) bool
	at    func(sums.InviteeSteps) affiliate.Millis
}

var funnelSteps = []step{
	{FunnelRegistered, func(sums.InviteeSteps) bool { return true },
		func(s sums.InviteeSteps) affiliate.Millis { return s.Registered }},
	{FunnelDeposit, func(s sums.InviteeSteps) bool { return s.FirstDeposit.Known() },
		func(s sums.InviteeSteps) affiliate.Millis { return s.FirstDeposit }},
	{FunnelTrade, func(s sums.InviteeSteps) bool { return s.FirstTrade.Known() },
		func(s sums.InviteeSteps) affiliate.Millis { return s.FirstTrade }},
}

var kycStep = step{name: FunnelKYC, taken: func(s sums.InviteeSteps) bool { return s.KYC == affiliate.FlagOf(true) }}

// MakeFunnel counts the steps of users who registered in the range.
func MakeFunnel(q *snapshot.Snapshot, p PeopleCounts, all []sums.InviteeSteps) Funnel {
	span := q.Days.Range(q.Zone)
	own := slices.DeleteFunc(slices.Clone(all), func(s sums.InviteeSteps) bool { return !span.Contains(s.Registered) })
	whole := p.WhyNotRegistered()
	reasons := []string{whole, cmp.Or(whole, reported(p.counts.DepositsKnown)), cmp.Or(whole, reported(p.counts.TradesKnown))}
	var funnel Funnel
	young := affiliate.MillisOf(q.Now.AddDate(0, 0, -youngDays))
	for _, s := range own {
		if s.Registered > young {
			funnel.Young++
		}
	}
	arrived := func(step step, reason string) FunnelStep {
		f := FunnelStep{Step: step.name, Count: figures.CountFrom(countTaken(own, step), reason, p.Beyond)}
		if f.Count.Known {
			f.All = figures.ShareOfCount(f.Count.N, int64(len(own)))
		}
		return f
	}
	for i, step := range funnelSteps {
		f := arrived(step, reasons[i])
		if i > 0 && f.Count.Known && reasons[i-1] == "" {
			before := funnelSteps[i-1]
			f.Both, f.Before = countTaken(own, before, step), countTaken(own, before)
			f.Next = figures.ShareOfCount(f.Both, f.Before)
			f.Wait = waitOf(own, before, step)
		}
		funnel.Steps = append(funnel.Steps, f)
	}
	funnel.KYC = arrived(kycStep, cmp.Or(whole, kycUntold(own)))
	return funnel
}

func reported(known bool) string {
	if known {
		return ""
	}
	return figures.NotReported
}

// kycUntold returns why the number of users who passed KYC is unknown. It is empty if the
// number is known.
func kycUntold(own []sums.InviteeSteps) string {
	untold := 0
	for _, s := range own {
		if s.KYC == "" {
			untold++
		}
	}
	switch {
	case untold == len(own) && untold > 0:
		return figures.NotReported
	case untold > 0:
		return fmt.Sprintf("the exchange does not tell it of %d of %d", untold, len(own))
	}
	return ""
}

// countTaken counts those who took all of the steps.
func countTaken(list []sums.InviteeSteps, steps ...step) int64 {
	var n int64
	for _, s := range list {
		if !slices.ContainsFunc(steps, func(step step) bool { return !step.taken(s) }) {
			n++
		}
	}
	return n
}

// waitOf returns the median of the times between two steps, rounded to a tenth of a day.
func waitOf(list []sums.InviteeSteps, from, to step) StepDelay {
	var took []affiliate.Millis
	for _, s := range list {
		if from.at(s).Known() && to.at(s).Known() {
			took = append(took, to.at(s)-from.at(s))
		}
	}
	if len(took) == 0 {
		return StepDelay{}
	}
	const day = 24 * 60 * 60 * 1000
	return StepDelay{From: from.name, Known: true, Days: decimal.NewFromInt(int64(figures.TwiceMedian(took))).DivRound(decimal.NewFromInt(2*day), 1)}
}
