package invitees

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// TwoPeriods has the totals of invitees in the range of a question and in the compared period, in all
// coins: who earned in another coin before is not new.
type TwoPeriods struct {
	Now, Before TotalsByInvitee

	q        *snapshot.Snapshot
	compared affiliate.Days

	earlier, between TotalsByInvitee // before the compared period, or between both; nil: not read yet
}

// ReadTwoPeriods reads both periods.
func ReadTwoPeriods(ctx context.Context, q *snapshot.Snapshot, compared affiliate.Days) (*TwoPeriods, error) {
	p := &TwoPeriods{q: q, compared: compared}
	var err error
	if p.Now, err = ReadTotals(ctx, q, p.filter(q.Days)); err != nil {
		return p, err
	}
	if p.Before, err = ReadTotals(ctx, q, p.filter(compared)); err != nil {
		err = fmt.Errorf("the compared period: %w", err)
	}
	return p, err
}

// filter returns the filter of the query for all coins of some days.
func (p *TwoPeriods) filter(days affiliate.Days) records.CommissionFilter {
	f := p.q.Filter()
	f.Days, f.Coin = days, ""
	return f
}

// PresencesOf returns in which period each of some names had commission, such as the invitees
// themselves or their codes. nameOf gives an invitee its name. The time before is read only if a
// name had none in the compared period.
func PresencesOf[K comparable](ctx context.Context, p *TwoPeriods, names []K, nameOf func(sums.InviteeKey) K) (map[K]figures.Presence, error) {
	in := func(totals TotalsByInvitee) map[K]bool {
		used := map[K]bool{}
		for key := range totals {
			used[nameOf(key)] = true
		}
		return used
	}
	now, before := in(p.Now), in(p.Before)
	of := make(map[K]figures.Presence, len(names))
	var earlier, between map[K]bool
	for _, name := range names {
		switch {
		case !now[name]:
			of[name] = figures.PresentNoLonger
			continue
		case before[name]:
			of[name] = figures.PresentInBoth
			continue
		case earlier == nil:
			if err := p.readPast(ctx); err != nil {
				return nil, err
			}
			earlier, between = in(p.earlier), in(p.between)
		}
		switch {
		case earlier[name]:
			of[name] = figures.PresentBack
		case between[name]:
			of[name] = figures.PresentSince
		default:
			of[name] = figures.PresentNew
		}
	}
	return of, nil
}

// readPast reads who had commission before the compared period, and between it and the range.
func (p *TwoPeriods) readPast(ctx context.Context) error {
	if p.earlier != nil {
		return nil
	}
	first, err := sums.FirstDay(ctx, p.q.Tx, p.q.Today)
	if err != nil {
		return err
	}
	if p.earlier, err = p.in(ctx, affiliate.Days{First: first, Last: min(p.compared.First, p.q.Days.First) - 1}); err != nil {
		return fmt.Errorf("the time before the compared period: %w", err)
	}
	if p.between, err = p.in(ctx, affiliate.Days{First: max(first, p.compared.Last+1), Last: p.q.Days.First - 1}); err != nil {
		return fmt.Errorf("the time between the periods: %w", err)
	}
	return nil
}

// in returns the totals of some days, which may be none.
func (p *TwoPeriods) in(ctx context.Context, days affiliate.Days) (TotalsByInvitee, error) {
	if days.Last < days.First {
		return TotalsByInvitee{}, nil
	}
	return ReadTotals(ctx, p.q, p.filter(days))
}
