package collector

import (
	"context"
	"iter"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
)

// readTransfers reads the transfers of a window (4.16).
func (r *run) readTransfers(ctx context.Context, w window, now time.Time) (reading[affiliate.Transfer], error) {
	return readByTime(r, w, now, func(span affiliate.Range) iter.Seq2[weex.Transfer, error] {
		return r.account.Client.AllTransfers(r.sparing(ctx), weex.TransferQuery{From: affiliate.MillisOf(span.From), To: affiliate.MillisOf(span.To)})
	}, func(t weex.Transfer) affiliate.Transfer {
		return affiliate.Transfer{
			Coin: t.CoinName, Status: string(t.Status), FromType: string(t.FromType), FromSymbol: string(t.FromSymbol),
			ToType: string(t.ToType), ToSymbol: string(t.ToSymbol), Amount: t.Amount, Time: t.Time,
		}
	})
}
