package months

import (
	"context"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/closings"
)

// InForce lists the closings in force, the newest month first.
func InForce(ctx context.Context, q *snapshot.Snapshot) ([]closings.Closing, error) {
	list, err := snapshot.Part(ctx, q, "closings", nil, func(ctx context.Context) ([]closings.Closing, error) {
		all, err := closings.List(ctx, q.Tx, 0)
		return slices.DeleteFunc(all, func(c closings.Closing) bool { return !c.InForce() }), err
	})
	return list, err
}

// MakeClosed lists the closed months that lie in the range of the query, with their sums as closed and
// as of now; the newest first. It lists none if the query asks for an earlier state, or
// narrows records in a way for which closings have no sums.
func MakeClosed(ctx context.Context, q *snapshot.Snapshot) ([]Line, error) {
	if !q.AsOf.IsZero() || q.UID != "" || q.Symbol != "" || q.Code != "" || q.Text != "" || q.Tag != "" || q.Segment != "" {
		return nil, nil
	}
	all, err := InForce(ctx, q)
	if err != nil {
		return nil, err
	}
	var list []Line
	for i := range all {
		days := DaysOf(all[i].Month)
		if days.First < q.Days.First || days.Last > q.Days.Last {
			continue
		}
		of := *q
		of.Days = days
		now, err := rowsNow(ctx, &of, &all[i])
		if err != nil {
			return nil, err
		}
		line := Line{Days: days, Closing: &all[i], Coins: coinsOf(q.Query, &all[i], now)}
		line.State = stateOf(&line)
		list = append(list, line)
	}
	return list, nil
}

// Together adds up the coins of several months.
func Together(list []Line) []MonthCoin {
	var coins []MonthCoin
	for i := range list {
		for _, coin := range list[i].Coins {
			n := slices.IndexFunc(coins, func(c MonthCoin) bool { return c.Coin == coin.Coin })
			if n < 0 {
				coins = append(coins, MonthCoin{Coin: coin.Coin})
				n = len(coins) - 1
			}
			coins[n].Closed.addSums(coin.Closed)
			coins[n].Now.addSums(coin.Now)
		}
	}
	return coins
}

func (s *Figures) addSums(o Figures) {
	s.Records += o.Records
	affiliate.AddSums(&s.Summed, &o.Summed)
}
