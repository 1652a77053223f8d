package recent

import (
	"context"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/rates"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
	"rebatedesk/terms"
)

// LoweredRate says that one invitee brings less of its fees than before, or than agreed.
type LoweredRate struct {
	Account affiliate.Account
	UID     affiliate.UID
	Coin    affiliate.Coin
	Since   affiliate.Day   // the first day with the lower rate; 0: the rate was low on all of the last thirty days
	Cost    decimal.Decimal // what it cost in the last thirty days; positive
}

// MakeLowered lists the lower rates of single invitees that [Snapshot.Agreed] and
// [Snapshot.RateChanges] find. Those of a whole code or programme are left out, since no call to one invitee mends them.
//
// A list about the present stays in the cache until a commission, an invitee, a term or a price
// changes, so that an act about an invitee does not have it made again.
func MakeLowered(ctx context.Context, q *snapshot.Snapshot) ([]LoweredRate, error) {
	w, err := Read(ctx, q)
	if err != nil {
		return nil, err
	}
	changed, ok, err := sums.LastChange(ctx, q.Tx)
	if err != nil {
		return nil, err
	}
	agreed, err := rates.AgreedWithInvitees(ctx, q)
	if err != nil {
		return nil, err
	}
	// A tier depends on the figures of a month, and these on the prices of all its days.
	tiered := slices.ContainsFunc(agreed, func(t terms.Term) bool { return t.TierBy != "" })
	if !ok || tiered || q.AsOfMillis().Known() {
		return w.lowered(ctx)
	}
	of := struct {
		filter         records.CommissionFilter
		agreed, prices string
	}{w.filterOf(w.Days), fmt.Sprint(agreed), w.Prices.String()}
	return snapshot.Lasting(ctx, q, "lower rates", of, changed, w.lowered)
}

// lowered makes the list of [MakeLowered].
func (w *Snapshot) lowered(ctx context.Context) ([]LoweredRate, error) {
	deviations, err := w.deviations(ctx)
	if err != nil {
		return nil, err
	}
	if _, _, err := w.Agreed(ctx); err != nil { // of these invitees the changes below tell nothing
		return nil, err
	}
	changes, coins, err := w.RateChanges(ctx)
	if err != nil {
		return nil, err
	}
	list := deviations
	for _, coin := range coins {
		for _, c := range changes[coin] {
			if cost := w.inPresentDays(c); cost.IsPositive() {
				list = append(list, LoweredRate{Account: c.Account, UID: c.UID, Coin: coin, Since: c.Since, Cost: cost})
			}
		}
	}
	return list, nil
}

// inPresentDays returns what a change cost in the last [invitees.PresentDays].
func (w *Snapshot) inPresentDays(c RateChange) decimal.Decimal {
	days := int64(w.Today-c.Since) + 1
	if days <= invitees.PresentDays {
		return c.Cost
	}
	return c.Cost.Mul(decimal.NewFromInt(invitees.PresentDays)).DivRound(decimal.NewFromInt(days), figures.FractionDigits)
}

// deviations lists the lower rates of single invitees among those compared with the agreed rates.
func (w *Snapshot) deviations(ctx context.Context) (list []LoweredRate, err error) {
	all, err := rates.MakeDeviations(ctx, w.Snapshot)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(slices.Clone(all), func(d rates.Deviation) bool { return d.Over || d.Scope != terms.ScopeUID })
	var asked []rateDifference
	for _, d := range all {
		asked = append(asked, rateDifference{rateKey: rateKey{InviteeKey: lowered(d)}})
	}
	days, err := w.rateDays(ctx, asked, invitees.PresentDays)
	if err != nil {
		return nil, err
	}
	for _, d := range all {
		key, since := lowered(d), d.Days.First
		before := func(s sums.DaySums) bool { return s.Day < since && (d.Product == "" || s.Product == d.Product) }
		if !slices.ContainsFunc(days[key], before) {
			since = 0
		}
		for _, c := range d.Costs {
			if c.Difference.IsNegative() {
				list = append(list, LoweredRate{Account: key.Account, UID: key.UID, Coin: c.Coin, Since: since, Cost: c.Difference.Neg()})
			}
		}
	}
	return list, nil
}

// lowered returns the invitee whose rate deviates.
func lowered(d rates.Deviation) sums.InviteeKey {
	return sums.InviteeKey{Account: d.Account, UID: affiliate.UID(d.Value)}
}
