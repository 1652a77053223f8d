package commissions

import (
	"context"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// reasons returns the reason of each row. unpriced are the coins that converted totals leave
// out.
func reasons(ctx context.Context, q *snapshot.Snapshot, rows []records.CommissionRow, unpriced []affiliate.Amount) ([]Reason, error) {
	keys := make([]sums.PeerKey, len(rows))
	seen := map[sums.PeerKey]bool{}
	var asked []sums.PeerKey
	for i := range rows {
		keys[i] = peerKey(q, &rows[i])
		if !seen[keys[i]] {
			seen[keys[i]] = true
			asked = append(asked, keys[i])
		}
	}
	peers, err := sums.Peers(ctx, q.Tx, asked, q.AsOfMillis())
	if err != nil {
		return nil, err
	}
	usual := make(map[sums.PeerKey]UsualRate, len(asked))
	for _, key := range asked {
		usual[key] = usualOf(peers[key])
	}
	equal, err := sums.EqualRecords(ctx, q.Tx, rows, q.AsOfMillis())
	if err != nil {
		return nil, err
	}
	earlier, err := sums.EarlierRecords(ctx, q.Tx, rows, q.AsOfMillis())
	if err != nil {
		return nil, err
	}
	fees, err := feesOfPairs(ctx, q, rows)
	if err != nil {
		return nil, err
	}
	priceless := map[affiliate.Coin]bool{}
	for _, amount := range unpriced {
		priceless[amount.Coin] = true
	}
	list := make([]Reason, len(rows))
	for i := range rows {
		reason := reasonOf(rows[i].Commission, usual[keys[i]], fees)
		if reason.Equal = equal[sums.RecordOf(rows[i])]; reason.Equal > 1 {
			reason.Causes = append(reason.Causes, CauseTwin)
		}
		if priceless[rows[i].Coin] {
			reason.Causes = append(reason.Causes, CauseNoPrice)
		}
		reason.Earlier = earlier[sums.TradeOf(rows[i].Account, &rows[i].Commission)]
		list[i] = reason
	}
	return list, nil
}

func peerKey(q *snapshot.Snapshot, row *records.CommissionRow) sums.PeerKey {
	return sums.PeerKey{Account: row.Account, UID: row.UID, Product: row.Product, Source: row.Source, Day: affiliate.DayOf(row.DealTime.Time(), q.Zone)}
}

// feesOfPairs finds the pairs in which nobody paid a fee within [sums.PeerDays] days up to the
// last of the rows without a fee. It reads roll-ups; where they cannot answer, nothing is known
// of pairs.
func feesOfPairs(ctx context.Context, q *snapshot.Snapshot, rows []records.CommissionRow) (pairFees, error) {
	var last affiliate.Day
	for i := range rows {
		if rows[i].Fee.IsZero() {
			last = max(last, affiliate.DayOf(rows[i].DealTime.Time(), q.Zone))
		}
	}
	if last == 0 || !q.AsOf.IsZero() || !q.Rolled() {
		return pairFees{}, nil
	}
	f := records.CommissionFilter{Days: affiliate.Days{First: last - sums.PeerDays + 1, Last: last}, Members: q.Members}
	pairs, err := snapshot.OfDays(ctx, q, "fees of pairs", f, sums.FiguresOfSymbols, sums.JoinSymbols)
	if err != nil {
		return pairFees{}, err
	}
	paid := map[string]decimal.Decimal{}
	for _, s := range pairs.Sums() {
		paid[s.Symbol] = decimal.Max(paid[s.Symbol], s.Fee.Decimal().Abs())
	}
	fees := pairFees{known: true, free: map[string]bool{}}
	for symbol, fee := range paid {
		fees.free[symbol] = fee.IsZero()
	}
	return fees, nil
}
