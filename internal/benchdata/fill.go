package benchdata

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
)

// Fill writes the records of a size into a new database of any engine.
func Fill(ctx context.Context, place string, size int) error {
	return fill(ctx, place, size, Random)
}

// fill creates the database of a size.
func fill(ctx context.Context, path string, size int, of Kind) (err error) {
	s, err := store.Open(ctx, path, store.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	all := affiliate.Days{First: First, Last: Last}
	if _, err := records.ReplaceInvitees(ctx, s, slice(affiliate.Stream{Kind: affiliate.Invitees}, all), people()); err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(1, 2))
	who := rand.NewZipf(random, 1.05, 6, invitees-1)
	for first := First; first <= Last; first += sliceDays {
		for i, product := range affiliate.Products() {
			slice := slice(affiliate.Stream{Kind: affiliate.Commissions, Product: product}, affiliate.Days{First: first, Last: first + sliceDays - 1})
			var rows []affiliate.Commission
			for range size * sliceDays / days * (3 - i) / 5 { // 3 of 5 spot, 2 of 5 futures
				n := int(who.Uint64())
				c := trade(random, n, product, slice.Range())
				if of == Steady {
					steady(random, n, &c)
				}
				rows = append(rows, c)
			}
			slices.SortFunc(rows, func(a, b affiliate.Commission) int { return cmp.Compare(a.DealTime, b.DealTime) })
			if _, err := records.ReplaceCommissions(ctx, s, slice, rows); err != nil {
				return err
			}
		}
	}
	for _, product := range affiliate.Products() {
		stream := affiliate.Stream{Kind: affiliate.SubAffiliates, Product: product}
		if _, err := records.ReplaceSubAffiliateDays(ctx, s, slice(stream, all), subAffiliateDays(product)); err != nil {
			return err
		}
	}
	return s.WantFrom(ctx, "main", First)
}

func slice(stream affiliate.Stream, span affiliate.Days) records.Slice {
	return records.Slice{Account: "main", Stream: stream, Days: span,
		Through: affiliate.MillisOf((span.Last + 1).Start(time.UTC)), Started: time.Now()}
}

// people returns invitees who register over the whole time, under twenty codes.
func people() []affiliate.Invitee {
	list := make([]affiliate.Invitee, invitees)
	for n := range list {
		day := First + affiliate.Day(n*7%days)
		list[n] = affiliate.Invitee{UID: UID(n), InviteCode: fmt.Sprint("code", n%codes), RegisterTime: affiliate.MillisOf(day.Start(time.UTC))}
	}
	return list
}

// trade returns a record of an invitee within the span.
func trade(random *rand.Rand, n int, product affiliate.Product, span affiliate.Range) affiliate.Commission {
	pair := (n*13 + random.IntN(1+n%8)) % 20
	c := affiliate.Commission{
		DealTime: affiliate.MillisOf(span.From) + affiliate.Millis(random.Int64N(span.To.Sub(span.From).Milliseconds())),
		UID:      UID(n), Product: product, Symbol: fmt.Sprintf("PAIR%02dUSDT_SPBL", pair), Source: affiliate.Direct, Coin: "USDT",
		TakerAmount: amount(random, 5_000_000, 3), MakerAmount: amount(random, 2_000_000, 3),
		Fee: amount(random, 3_000_000, 6), Rate: "0.1", Commission: amount(random, 30_000_000, 8),
	}
	if product == affiliate.Futures {
		c.Symbol = fmt.Sprintf("cmt_pair%02dusdt", pair)
	}
	if n%5 == 0 {
		c.Source = affiliate.SubAgent
	}
	switch pair % 10 {
	case 8:
		c.Coin = "BTC"
	case 9:
		c.Coin = "USDC"
	}
	return c
}

// steady gives a record of an invitee the rate that all of its records of the product have. One fee
// in forty is paid with a voucher, and an upline takes the commission of one in two hundred.
func steady(random *rand.Rand, n int, c *affiliate.Commission) {
	rates := []affiliate.Number{"0.1", "0.2", "0.25", "0.375", "0.4125"}
	c.Rate = rates[(n+len(c.Product))%len(rates)]
	if random.IntN(40) == 0 {
		c.Fee = "0"
	}
	c.Commission = affiliate.Number(c.Fee.Decimal().Mul(c.Rate.Decimal()).RoundFloor(8).String())
	if random.IntN(200) == 0 {
		c.Commission = "0"
	}
}

// subAffiliateDays returns one record per sub-affiliate and day.
func subAffiliateDays(product affiliate.Product) []affiliate.SubAffiliateDay {
	random := rand.New(rand.NewPCG(3, 4))
	var list []affiliate.SubAffiliateDay
	for day := First; day <= Last; day++ {
		for n := range subAffiliates {
			list = append(list, affiliate.SubAffiliateDay{UID: SubAffiliateUID(n), Product: product, Date: day,
				TradingVolume: amount(random, 50_000_000, 3), NetTradingFee: amount(random, 30_000_000, 6), PaidCommission: amount(random, 300_000_000, 8)})
		}
	}
	return list
}

func amount(random *rand.Rand, below int64, decimals int) affiliate.Number {
	units := fmt.Sprintf("%0*d", decimals+1, random.Int64N(below))
	return affiliate.Number(units[:len(units)-decimals] + "." + units[len(units)-decimals:])
}
