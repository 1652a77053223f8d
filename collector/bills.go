package collector

import (
	"context"
	"errors"
	"iter"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
)

// readBills reads the bills of a window: of the spot wallet (4.14) or of the funding wallet
// (4.15).
func (r *run) readBills(ctx context.Context, w window, now time.Time) (bills reading[affiliate.Bill], err error) {
	if w.stream.Kind == affiliate.SpotBills {
		bills, err = r.readSpotBills(ctx, w, now)
	} else {
		bills, err = r.readFundingBills(ctx, w, now)
	}
	if err != nil {
		return bills, err
	}
	return bills, r.standing.coins.complete(exchange.WithAnswers(r.sparing(ctx), nil), r, bills.records)
}

// readSpotBills reads bills that the exchange lists by time, without pages.
func (r *run) readSpotBills(ctx context.Context, w window, now time.Time) (reading[affiliate.Bill], error) {
	return readByTime(r, w, now, func(span affiliate.Range) iter.Seq2[weex.Bill, error] {
		return r.account.Client.AllBills(r.sparing(ctx), weex.BillQuery{From: affiliate.MillisOf(span.From), To: affiliate.MillisOf(span.To)})
	}, func(b weex.Bill) affiliate.Bill {
		return affiliate.Bill{
			Wallet: affiliate.SpotWallet, ID: b.BillID, CoinID: b.CoinID, Coin: b.CoinName, Business: string(b.Type),
			Amount: b.DeltaAmount, Balance: b.AfterAmount, Fees: b.Fees, FillSize: b.FillSize, FillValue: b.FillValue, Created: b.Created,
		}
	})
}

// readByTime reads records that the exchange lists by time, without pages.
func readByTime[E, T any](r *run, w window, now time.Time, all func(affiliate.Range) iter.Seq2[E, error], of func(E) T) (got reading[T], err error) {
	span := w.reach(now)
	if span.Empty() {
		return got, nil // its day begins at this instant
	}
	for one, err := range all(span) {
		if wrong, ok := errors.AsType[*exchange.RecordError[E]](err); ok {
			if wrong.Spared {
				got.spared = append(got.spared, quarantinedAs(wrong.Quarantined, of))
			} else {
				got.quarantined = append(got.quarantined, quarantinedAs(wrong.Quarantined, of))
			}
			continue
		}
		if err != nil {
			r.answered(err)
			return reading[T]{}, err
		}
		got.records = append(got.records, of(one))
		if w.tooLong(got.len()) {
			return reading[T]{}, errTooLong
		}
	}
	r.answered(nil)
	return got, nil
}

// quarantinedAs converts the record of a quarantined one.
func quarantinedAs[E, T any](r affiliate.Quarantined[E], of func(E) T) affiliate.Quarantined[T] {
	return affiliate.Quarantined[T]{Record: of(r.Record), Field: r.Field, Value: r.Value, Reason: r.Reason, Raw: r.Raw}
}

// pageAs converts the records of a page.
func pageAs[E, T any](page exchange.Page[E], of func(E) T) exchange.Page[T] {
	got := exchange.Page[T]{Pages: page.Pages, PageSize: page.PageSize, Total: page.Total, Next: page.Next}
	for _, record := range page.Records {
		got.Records = append(got.Records, of(record))
	}
	for _, r := range page.Quarantined {
		got.Quarantined = append(got.Quarantined, quarantinedAs(r, of))
	}
	for _, r := range page.Spared {
		got.Spared = append(got.Spared, quarantinedAs(r, of))
	}
	return got
}

// readFundingBills reads bills that the exchange lists page by page.
func (r *run) readFundingBills(ctx context.Context, w window, now time.Time) (reading[affiliate.Bill], error) {
	start, end := w.ask(0, affiliate.MillisOf(now))
	ask := func(ctx context.Context, from, to affiliate.Millis, page, size int) (exchange.Page[affiliate.Bill], error) {
		answer, err := r.account.Client.FundingBills(ctx, weex.FundingBillQuery{From: from, To: to, PageIndex: page, PageSize: size})
		return pageAs(answer, fundingBill), err
	}
	at := func(b affiliate.Bill) affiliate.Millis { return b.Created }
	list := listing[affiliate.Bill, string]{
		begin: r.recorder.Restart,
		key:   func(b affiliate.Bill) string { return b.ID }, mostPages: w.mostPages(),
		fetch: asking(r, func(ctx context.Context, page, size int) (exchange.Page[affiliate.Bill], error) {
			return ask(ctx, start, end, page, size)
		}),
		ties: instantCuts(r, at, func(ctx context.Context, from, to affiliate.Millis) (exchange.Page[affiliate.Bill], error) {
			return ask(ctx, from, to, 1, pageSize) // the most that the exchange gives (section 8)
		}),
	}
	got, err := list.read(ctx)
	if err == nil {
		keepWithin(&got, w, at)
	}
	return got, err
}

func fundingBill(b weex.FundingBill) affiliate.Bill {
	return affiliate.Bill{
		Wallet: affiliate.FundingWallet, ID: b.BillID, CoinID: b.CoinID, Coin: b.CoinName, Business: string(b.Type),
		Amount: b.DeltaAmount, Balance: b.AfterAmount, Fees: b.Fees, Created: b.Created,
	}
}
