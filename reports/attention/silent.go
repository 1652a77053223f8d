package attention

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/estimate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/losses"
	"rebatedesk/reports/question"
)

// SilentFinding says that invitees who brought commission no longer trade.
type SilentFinding struct {
	Coin   affiliate.Coin
	AtRisk decimal.Decimal // commission per thirty days of all those invitees
	Count  int
	Most   []SilentInvitee   // most commission at risk first; at most five
	Worth  figures.Valuation // of AtRisk
	Likely losses.LikelyLoss // how much of it is likely lost; empty if an earlier finding says why that is unknown
	// Together is the amount at risk in all coins. Only the first of several such findings
	// has it.
	Together figures.Valuation
}

// SilentInvitee is silent by the rule of [invitees.State], based on its own usual gap.
type SilentInvitee struct {
	Account  affiliate.Account
	UID      affiliate.UID
	Last     affiliate.Day // last day with a trade
	Days     int           // since then
	UsualGap figures.HalfDays
	AtRisk   decimal.Decimal // mean commission per thirty days, while it traded
}

// Severity is a warning.
func (SilentFinding) Severity() Severity { return SeverityWarning }

// silent finds the invitees whose commission is at risk, by the same rule as
// [invitees.ChoiceAtRisk].
func (w *watch) silent(ctx context.Context) ([]Finding, error) {
	list, err := w.silences(ctx)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	past, err := invitees.ReadPastAbsences(ctx, w.Question)
	if err != nil {
		return nil, err
	}
	var found []Finding
	told := map[estimate.FewError]bool{}
	for _, f := range list {
		if f.Likely, err = f.likely(past); err != nil {
			return nil, err
		}
		if few := f.Likely.Few; few != nil && told[*few] {
			f.Likely.Few = nil // an earlier finding says why there is no estimate
		} else if few != nil {
			told[*few] = true
		}
		f.Worth = w.prices.Worth(affiliate.Amount{Value: f.AtRisk, Coin: f.Coin})
		found = append(found, f.cut())
	}
	return found, nil
}

// likely estimates how much of the amount at risk is lost.
func (f SilentFinding) likely(past *invitees.PastAbsences) (losses.LikelyLoss, error) {
	var list []losses.RiskyInvitee
	for _, one := range f.Most {
		list = append(list, losses.RiskyInvitee{Days: one.Days, UsualGap: one.UsualGap, Usual: one.AtRisk})
	}
	return losses.Likely(past, f.Coin, list)
}

// MakeSilent lists, by coin, all invitees who fell silent.
func MakeSilent(ctx context.Context, q *question.Question) ([]SilentFinding, error) {
	w, err := newWatch(ctx, q)
	if err != nil {
		return nil, err
	}
	return w.silences(ctx)
}

// silences lists findings by coin, with the highest amount at risk first.
func (w *watch) silences(ctx context.Context) ([]SilentFinding, error) {
	snapshot, err := invitees.ReadSnapshot(ctx, w.Question)
	if err != nil {
		return nil, err
	}
	risks, err := invitees.ReadRisks(ctx, w.Question, snapshot)
	if err != nil {
		return nil, err
	}
	byCoin := map[affiliate.Coin]*SilentFinding{}
	for i := range snapshot.Lines {
		line := &snapshot.Lines[i]
		if w.Account != "" && line.Account != w.Account {
			continue
		}
		for _, amount := range risks.Of(line) {
			if !w.matters(amount.Value, amount.Coin) {
				continue
			}
			if byCoin[amount.Coin] == nil {
				byCoin[amount.Coin] = &SilentFinding{Coin: amount.Coin}
			}
			byCoin[amount.Coin].add(SilentInvitee{Account: line.Account, UID: line.UID, Last: line.LastTradeDay,
				Days: int(w.today - line.LastTradeDay), UsualGap: line.UsualGap, AtRisk: amount.Value})
		}
	}
	var found []SilentFinding
	for _, coin := range slices.Sorted(maps.Keys(byCoin)) {
		f := byCoin[coin]
		slices.SortFunc(f.Most, func(a, b SilentInvitee) int {
			return cmp.Or(b.AtRisk.Cmp(a.AtRisk), cmp.Compare(a.Account, b.Account), cmp.Compare(a.UID, b.UID))
		})
		found = append(found, *f)
	}
	return found, nil
}

func (f *SilentFinding) add(one SilentInvitee) {
	f.Count++
	f.AtRisk = f.AtRisk.Add(one.AtRisk)
	f.Most = append(f.Most, one)
}

// cut keeps the first few names.
func (f SilentFinding) cut() SilentFinding {
	f.Most = f.Most[:min(len(f.Most), attentionNames)]
	return f
}
