package collector

import (
	"context"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
)

// readBills reads the bills of a window: of the spot wallet (4.14) or of the funding wallet
// (4.15).
func (r *run) readBills(ctx context.Context, w window, now time.Time) (bills []affiliate.Bill, err error) {
	if w.stream.Kind == affiliate.SpotBills {
		bills, err = r.readSpotBills(ctx, w, now)
	} else {
		bills, err = r.readFundingBills(ctx, w, now)
	}
	if err != nil {
		return nil, err
	}
	return bills, r.standing.coins.complete(exchange.WithAnswers(r.sparing(ctx), nil), r, bills)
}

// readSpotBills reads bills that the exchange lists by time, without pages.
func (r *run) readSpotBills(ctx context.Context, w window, now time.Time) (bills []affiliate.Bill, err error) {
	span := w.reach(now)
	if span.Empty() {
		return nil, nil // its day begins at this instant
	}
	for b, err := range r.account.Client.AllBills(r.sparing(ctx), exchange.BillQuery{From: affiliate.MillisOf(span.From), To: affiliate.MillisOf(span.To)}) {
		if err != nil {
			r.answered(err)
			return nil, err
		}
		bills = append(bills, affiliate.Bill{
			Wallet: affiliate.SpotWallet, ID: b.BillID, CoinID: b.CoinID, Coin: b.CoinName, Business: string(b.Type),
			Amount: b.DeltaAmount, Balance: b.AfterAmount, Fees: b.Fees, FillSize: b.FillSize, FillValue: b.FillValue, Created: b.Created,
		})
		if w.tooLong(len(bills)) {
			return nil, errTooLong
		}
	}
	r.answered(nil)
	return bills, nil
}

// readFundingBills reads bills that the exchange lists page by page. The same bill twice shows
// that the list moved.
func (r *run) readFundingBills(ctx context.Context, w window, now time.Time) ([]affiliate.Bill, error) {
	start, end := w.ask(0, affiliate.MillisOf(now))
	list := listing[affiliate.Bill, affiliate.Bill]{
		begin: r.recorder.Restart,
		key:   affiliate.Bill.Key, unique: true, mostPages: w.mostPages(),
		fetch: asking(r, func(ctx context.Context, page int) (got exchange.Page[affiliate.Bill], err error) {
			answer, err := r.account.Client.FundingBills(ctx, exchange.FundingBillQuery{From: start, To: end, PageIndex: page, PageSize: pageSize})
			if err != nil {
				return got, err
			}
			got = exchange.Page[affiliate.Bill]{Pages: answer.Pages, PageSize: answer.PageSize, Total: answer.Total, Next: answer.Next}
			for _, b := range answer.Records {
				got.Records = append(got.Records, affiliate.Bill{
					Wallet: affiliate.FundingWallet, ID: b.BillID, CoinID: b.CoinID, Coin: b.CoinName, Business: string(b.Type),
					Amount: b.DeltaAmount, Balance: b.AfterAmount, Fees: b.Fees, Created: b.Created,
				})
			}
			return got, nil
		}),
	}
	bills, err := list.read(ctx)
	if err != nil {
		return nil, err
	}
	span := w.days.Range(time.UTC)
	kept := bills[:0]
	for _, b := range bills {
		if span.Contains(b.Created) {
			kept = append(kept, b)
		}
	}
	return kept, nil
}
