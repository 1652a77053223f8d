package reports

import (
	"context"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// SilentFinding is that invitees who used to earn no longer trade.
type SilentFinding struct {
	Coin   affiliate.Coin
	AtRisk decimal.Decimal // commission per thirty days, of all of them
	Count  int
	Most   []SilentInvitee // most commission at risk first; at most five
}

// SilentInvitee is silent by the rule of [InviteeState], by its own usual gap.
type SilentInvitee struct {
	Account  affiliate.Account
	UID      affiliate.UID
	Last     affiliate.Day // with a trade
	Days     int           // since then
	UsualGap int
	AtRisk   decimal.Decimal // mean commission per thirty days, while it traded
}

// Severity of silence is a warning.
func (SilentFinding) Severity() Severity { return SeverityWarning }

// silent looks at the hundred who brought most of each coin in the last 180
// days. Whoever traded in the last few days is not silent; of the others the
// days are read.
func (w *watch) silent(ctx context.Context) ([]Finding, error) {
	list, err := w.silences(ctx)
	var found []Finding
	for _, f := range list {
		found = append(found, f.cut())
	}
	return found, err
}

// Silent lists, by coin, those who fell silent: all of them. Of the query it
// takes the account.
func (s *Service) Silent(ctx context.Context, query Query) ([]SilentFinding, error) {
	q, err := s.ask(ctx, Query{Account: query.Account, Zone: query.Zone, Today: query.Today})
	if err != nil {
		return nil, err
	}
	defer q.Close()
	w, err := q.watch(ctx)
	if err != nil {
		return nil, err
	}
	return w.silences(ctx)
}

func (w *watch) silences(ctx context.Context) ([]SilentFinding, error) {
	rankings, err := w.TopInvitees(ctx, w.filterOf(w.last(rhythmDays)), earners)
	if err != nil {
		return nil, err
	}
	recent, err := w.InviteeSums(ctx, w.filterOf(w.last(recentDays+1)))
	if err != nil {
		return nil, err
	}
	trading := map[store.InviteeKey]bool{}
	for _, s := range recent {
		trading[store.InviteeKey{Account: s.Account, UID: s.UID}] = true
	}
	var found []SilentFinding
	for _, ranking := range rankings {
		f := SilentFinding{Coin: ranking.Coin}
		for _, sums := range ranking.Top {
			// Nobody has more at risk than all it brought.
			if trading[store.InviteeKey{Account: sums.Account, UID: sums.UID}] || !w.matters(sums.Commission.Decimal(), sums.Coin) {
				continue
			}
			one, ok, err := w.silence(ctx, sums)
			if err != nil {
				return nil, err
			}
			if ok {
				f.add(one)
			}
		}
		if f.Count > 0 {
			found = append(found, f)
		}
	}
	return found, nil
}

// silence tells of one invitee whether it is silent, and what that costs.
func (w *watch) silence(ctx context.Context, sums store.InviteeSums) (SilentInvitee, bool, error) {
	key := store.InviteeKey{Account: sums.Account, UID: sums.UID}
	f := w.filterOf(w.last(rhythmDays))
	f.Account, f.UID = key.Account, key.UID
	traded, err := w.InviteeDays(ctx, f)
	if err != nil {
		return SilentInvitee{}, false, err
	}
	days := traded[key]
	one := SilentInvitee{Account: key.Account, UID: key.UID, UsualGap: usualGap(days)}
	if one.UsualGap == 0 {
		return one, false, nil
	}
	span := affiliate.Days{First: days[0], Last: days[len(days)-1]}
	one.Last = span.Last
	one.AtRisk = sums.Commission.Decimal().Mul(decimal.NewFromInt(attentionDays)).
		DivRound(decimal.NewFromInt(int64(max(span.Len(), attentionDays))), fractionDigits)
	if !w.matters(one.AtRisk, sums.Coin) || !w.isSilent(one) {
		return one, false, nil
	}
	told, err := w.lastTrade(ctx, key)
	one.Last = max(one.Last, told)
	one.Days = int(w.today - one.Last)
	// A day that is not collected may be the one on which it traded.
	return one, w.isSilent(one) && w.collected(affiliate.Days{First: one.Last + 1, Last: w.today - 1}), err
}

func (w *watch) isSilent(s SilentInvitee) bool {
	return stateOf(tradingDays{lastTrade: s.Last, usualGap: s.UsualGap}, w.today) == StateSilent
}

// lastTrade is the day of the last trade that the exchange tells of; 0 where it
// tells none.
func (w *watch) lastTrade(ctx context.Context, key store.InviteeKey) (affiliate.Day, error) {
	var last affiliate.Day
	for row, err := range w.Reader.Invitees(ctx, store.InviteeFilter{Account: key.Account, UID: key.UID, AsOf: w.asOf()}) {
		if err != nil {
			return 0, err
		}
		last = w.dayOf(row.LastTrade)
	}
	return last, nil
}

func (f *SilentFinding) add(one SilentInvitee) {
	f.Count++
	f.AtRisk = f.AtRisk.Add(one.AtRisk)
	f.Most = append(f.Most, one)
}

// cut keeps those with most at risk.
func (f SilentFinding) cut() SilentFinding {
	slices.SortStableFunc(f.Most, func(a, b SilentInvitee) int { return b.AtRisk.Cmp(a.AtRisk) })
	f.Most = f.Most[:min(len(f.Most), attentionNames)]
	return f
}
