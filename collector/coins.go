package collector

import (
	"context"
	"time"

	"rebatedesk/affiliate"
)

// coins are the ids and names of the exchange's coins. Bills usually have both.
type coins struct {
	names map[string]affiliate.Coin
	ids   map[affiliate.Coin]string
	asked time.Time // when the list of currencies was last requested
}

// coinsFor is how long a list of currencies is used.
const coinsFor = 24 * time.Hour

// complete adds the name or the id that a bill lacks, from the list of currencies (4.2). What
// the list does not know remains empty, and so does everything while it cannot be read.
func (c *coins) complete(ctx context.Context, r *run, bills []affiliate.Bill) error {
	for i := range bills {
		b := &bills[i]
		if b.Coin != "" && b.CoinID != "" {
			continue
		}
		if err := c.load(ctx, r); err != nil {
			return err
		}
		if b.Coin == "" {
			b.Coin = c.names[b.CoinID]
		} else {
			b.CoinID = c.ids[b.Coin]
		}
	}
	return nil
}

// load requests the list of currencies, unless that was done not long ago. Its only error is
// the end of the context.
func (c *coins) load(ctx context.Context, r *run) error {
	now := r.now()
	if since := now.Sub(c.asked); since >= 0 && since < coinsFor {
		return nil
	}
	page, err := r.account.Client.Currencies(ctx)
	if err != nil {
		r.log.Warn("coins of bills not named", "account", r.account.Name, "error", err)
		c.asked = now
		return ctx.Err()
	}
	*c = coins{names: map[string]affiliate.Coin{}, ids: map[affiliate.Coin]string{}, asked: now}
	for _, coin := range page.Records {
		c.names[coin.CoinID], c.ids[coin.CoinName] = coin.CoinName, coin.CoinID
	}
	return nil
}
