package weex

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/listing"
)

// collectSpotBills reads bills that the exchange lists by time, without pages (4.14).
func (c *Client) collectSpotBills(ctx context.Context, w exchange.Window) (exchange.Reading[affiliate.Bill], error) {
	return readByTime(w, func(span affiliate.Range) iter.Seq2[Bill, error] {
		return c.AllBills(w.Calls.Context(ctx), BillQuery{From: affiliate.MillisOf(span.From), To: affiliate.MillisOf(span.To)})
	}, func(b Bill) affiliate.Bill {
		return affiliate.Bill{
			Wallet: affiliate.SpotWallet, ID: b.BillID, CoinID: b.CoinID, Coin: b.CoinName, Business: string(b.Type),
			Amount: b.DeltaAmount, Balance: b.AfterAmount, Fees: b.Fees, FillSize: b.FillSize, FillValue: b.FillValue, Created: b.Created,
		}
	})
}

// collectFundingBills reads bills that the exchange lists page by page (4.15).
func (c *Client) collectFundingBills(ctx context.Context, w exchange.Window) (exchange.Reading[affiliate.Bill], error) {
	return paged[affiliate.Bill, string]{
		key: func(b affiliate.Bill) string { return b.ID }, at: affiliate.Bill.At,
		together: listing.PageSize, // the most that the exchange gives (section 8)
		ask: func(ctx context.Context, from, to affiliate.Millis, page, size int) (exchange.Page[affiliate.Bill], error) {
			answer, err := c.FundingBills(ctx, FundingBillQuery{From: from, To: to, PageIndex: page, PageSize: size})
			return pageAs(answer, fundingBill), err
		},
	}.collect(ctx, w)
}

func fundingBill(b FundingBill) affiliate.Bill {
	return affiliate.Bill{
		Wallet: affiliate.FundingWallet, ID: b.BillID, CoinID: b.CoinID, Coin: b.CoinName, Business: string(b.Type),
		Amount: b.DeltaAmount, Balance: b.AfterAmount, Fees: b.Fees, Created: b.Created,
	}
}

// collectTransfers reads the transfers of a window (4.16).
func (c *Client) collectTransfers(ctx context.Context, w exchange.Window) (exchange.Reading[affiliate.Transfer], error) {
	return readByTime(w, func(span affiliate.Range) iter.Seq2[Transfer, error] {
		return c.AllTransfers(w.Calls.Context(ctx), TransferQuery{From: affiliate.MillisOf(span.From), To: affiliate.MillisOf(span.To)})
	}, func(t Transfer) affiliate.Transfer {
		return affiliate.Transfer{
			Coin: t.CoinName, Status: string(t.Status), FromType: string(t.FromType), FromSymbol: string(t.FromSymbol),
			ToType: string(t.ToType), ToSymbol: string(t.ToSymbol), Amount: t.Amount, Time: t.Time,
		}
	})
}

// readByTime reads records that the exchange lists by time, without pages.
func readByTime[E, T any](w exchange.Window, all func(affiliate.Range) iter.Seq2[E, error], of func(E) T) (got exchange.Reading[T], err error) {
	span := w.Range()
	if span.Empty() {
		return got, nil // its day begins at this instant
	}
	for one, err := range all(span) {
		if wrong, ok := errors.AsType[*exchange.RecordError[E]](err); ok {
			if wrong.Spared {
				got.Spared = append(got.Spared, quarantinedAs(wrong.Quarantined, of))
			} else {
				got.Quarantined = append(got.Quarantined, quarantinedAs(wrong.Quarantined, of))
			}
			continue
		}
		if err != nil {
			w.Calls.Tell(err)
			return exchange.Reading[T]{}, err
		}
		got.Records = append(got.Records, of(one))
		if w.TooLong(got.Len()) {
			return exchange.Reading[T]{}, exchange.ErrTooLong
		}
	}
	w.Calls.Tell(nil)
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

// coinNames are the ids and names of the exchange's coins. Bills usually have both.
type coinNames struct {
	mu    sync.Mutex
	names map[string]affiliate.Coin
	ids   map[affiliate.Coin]string
	asked time.Time // by the local clock, when the list of currencies was last requested
}

// coinNamesFor is how long a list of currencies is used.
const coinNamesFor = 24 * time.Hour

// nameCoins adds the name or the id that a bill lacks, from the list of currencies (4.2). What
// the list does not know remains empty, and so does everything while it cannot be read. Its
// only error is the end of the context.
func (c *Client) nameCoins(ctx context.Context, w exchange.Window, bills []affiliate.Bill) error {
	c.coins.mu.Lock()
	defer c.coins.mu.Unlock()
	for i := range bills {
		b := &bills[i]
		if b.Coin != "" && b.CoinID != "" {
			continue
		}
		if since := c.t.MachineTime().Sub(c.coins.asked); since < 0 || since >= coinNamesFor {
			if err := c.readCoins(exchange.WithAnswers(w.Calls.Context(ctx), nil)); err != nil {
				return err
			}
		}
		if b.Coin == "" {
			b.Coin = c.coins.names[b.CoinID]
		} else {
			b.CoinID = c.coins.ids[b.Coin]
		}
	}
	return nil
}

// readCoins requests the list of currencies.
func (c *Client) readCoins(ctx context.Context) error {
	c.coins.asked = c.t.MachineTime()
	page, err := c.Currencies(ctx)
	if err != nil {
		c.t.Log().Warn("coins of bills not named", "error", err)
		return ctx.Err()
	}
	c.coins.names, c.coins.ids = map[string]affiliate.Coin{}, map[affiliate.Coin]string{}
	for _, coin := range page.Records {
		c.coins.names[coin.CoinID], c.coins.ids[coin.CoinName] = coin.CoinName, coin.CoinID
	}
	return nil
}

// Prices requests the last prices of coins in another coin, from the tickers of all spot pairs
// (4.3, weight 20).
func (c *Client) Prices(ctx context.Context, coins []affiliate.Coin, quote affiliate.Coin) (exchange.Page[exchange.Price], error) {
	tickers, err := c.Tickers(ctx)
	if err != nil {
		return exchange.Page[exchange.Price]{}, err
	}
	bySymbol := make(map[string]affiliate.Coin, len(coins))
	for _, coin := range coins {
		bySymbol[affiliate.SpotSymbol(coin, quote)] = coin
	}
	page := pageAs(tickers, func(t Ticker) exchange.Price {
		return exchange.Price{Coin: bySymbol[t.Symbol], Symbol: t.Symbol, Last: t.LastPrice, At: t.Time}
	})
	page.Records = slices.DeleteFunc(page.Records, func(p exchange.Price) bool { return p.Coin == "" })
	return page, nil
}
