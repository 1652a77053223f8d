package collector

import (
	"context"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
)

// readTransfers reads the transfers of a window (4.16).
func (r *run) readTransfers(ctx context.Context, w window, now time.Time) (transfers []affiliate.Transfer, err error) {
	span := w.reach(now)
	if span.Empty() {
		return nil, nil // its day begins at this instant
	}
	for t, err := range r.account.Client.AllTransfers(r.sparing(ctx), exchange.TransferQuery{From: affiliate.MillisOf(span.From), To: affiliate.MillisOf(span.To)}) {
		if err != nil {
			r.answered(err)
			return nil, err
		}
		transfers = append(transfers, affiliate.Transfer{
			Coin: t.CoinName, Status: string(t.Status), FromType: string(t.FromType), FromSymbol: string(t.FromSymbol),
			ToType: string(t.ToType), ToSymbol: string(t.ToSymbol), Amount: t.Amount, Time: t.Time,
		})
		if w.tooLong(len(transfers)) {
			return nil, errTooLong
		}
	}
	r.answered(nil)
	return transfers, nil
}
