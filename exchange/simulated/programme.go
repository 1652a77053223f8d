package simulated

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/shopspring/decimal"
)

// Options configures a programme. Only Now has to be given.
type Options struct {
	Seed     uint64
	Days     int // with trades, up to now; default 60
	Invitees int // default 12
	PerDay   int // trades of an invitee on a day, at most; default 4

	// Now is the exchange's clock. Trades go on as it does.
	Now func() time.Time

	// Begin is when the programme begins; default: Days before now, at midnight UTC.
	Begin time.Time

	Products []Product // default [Products]
}

// Product is a market with pairs.
type Product struct {
	Name    string
	Symbols []string
	Coin    string // of fees and commissions
}

// Products are the usual markets.
var Products = []Product{
	{"SPOT", []string{"BTCUSDT", "ETHUSDT", "SOLUSDT"}, "USDT"},
	{"FUTURES", []string{"BTCUSDT", "ETHUSDT"}, "USDT"},
	{"SPOT", []string{"BTCUSDC"}, "USDC"},
}

// Invitee is an invited user.
type Invitee struct {
	UID          string // up to 18 digits
	Code         string // by which the user was invited
	Joined       time.Time
	FirstDeposit time.Time // zero = none, as are the times below
	FirstTrade   time.Time
	KYC          bool
	Sub          bool // a client of a sub-agent
}

// Trade is a trade of an invitee. Amounts have up to 18 decimal places.
type Trade struct {
	Invitee *Invitee
	At      time.Time
	Product Product
	Symbol  string

	Volume, Fee, Rate, Commission decimal.Decimal // the rate is a fraction; a commission that was taken back is negative

	// Listed is when the exchange begins to list it, and Gone when it ends to; zero = never.
	Listed, Gone time.Time
}

// Programme is what really happened.
type Programme struct {
	options  Options
	begin    time.Time
	invitees []*Invitee
}

// New returns a programme.
func New(o Options) *Programme {
	defaults(&o.Days, 60)
	defaults(&o.Invitees, 12)
	defaults(&o.PerDay, 4)
	if o.Products == nil {
		o.Products = Products
	}
	p := &Programme{options: o, begin: o.Begin.UTC()}
	if o.Begin.IsZero() {
		p.begin = o.Now().UTC().Truncate(day).AddDate(0, 0, -o.Days)
	}
	rng := rand.New(rand.NewPCG(o.Seed, 1))
	for n := range o.Invitees {
		// Every third UID is larger than the integers that a float64 has.
		uid := fmt.Sprint(5_512_345_000 + int64(n)*97 + rng.Int64N(90))
		if n%3 == 2 {
			uid = fmt.Sprint(9_007_199_254_740_993 + int64(n)*1_000_003 + 100_000_000_000_000_000)
		}
		joined := p.begin.Add(-time.Duration(rng.Int64N(int64(200 * day)))).Truncate(time.Second)
		if n%4 == 3 { // during the programme
			joined = p.begin.Add(time.Duration(rng.Int64N(int64(o.Days)*int64(day)*2/3 + 1))).Truncate(time.Second)
		}
		one := &Invitee{UID: uid, Code: []string{"vip", "mexc-ab12", "spring, 2026"}[n%3], Joined: joined, KYC: n%5 != 4, Sub: n%6 == 5}
		one.FirstDeposit = one.Joined.Add(time.Duration(rng.Int64N(int64(48 * time.Hour)))).Truncate(time.Second)
		one.FirstTrade = one.FirstDeposit.Add(time.Minute)
		p.invitees = append(p.invitees, one)
	}
	return p
}

const day = 24 * time.Hour

func defaults(value *int, fallback int) {
	if *value == 0 {
		*value = fallback
	}
}

// Begin is when the programme begins.
func (p *Programme) Begin() time.Time { return p.begin }

// Now is the exchange's time, in UTC.
func (p *Programme) Now() time.Time { return p.options.Now().UTC() }

// Invitees returns the invitees who have joined by now, by the time at which they joined.
func (p *Programme) Invitees() (list []*Invitee) {
	for _, one := range p.invitees {
		if !one.Joined.After(p.Now()) {
			list = append(list, one)
		}
	}
	slices.SortStableFunc(list, func(a, b *Invitee) int { return a.Joined.Compare(b.Joined) })
	return list
}

// Trades returns the trades at or after from and before to that the exchange lists now, oldest first.
func (p *Programme) Trades(from, to time.Time) (list []Trade) {
	now := p.Now()
	for _, t := range p.All(from, to) {
		if !t.Listed.After(now) && (t.Gone.IsZero() || t.Gone.After(now)) {
			list = append(list, t)
		}
	}
	return list
}

// All returns the trades at or after from and before to that were made by now, oldest first,
// whether the exchange lists them or not.
func (p *Programme) All(from, to time.Time) (list []Trade) {
	from, to = later(from.UTC(), p.begin), to.UTC()
	if now := p.Now(); to.After(now) {
		to = now
	}
	for start := from.Truncate(day); start.Before(to); start = start.Add(day) {
		for n, who := range p.invitees {
			for _, t := range p.ofDay(start, n, who) {
				if !t.At.Before(from) && t.At.Before(to) && !t.At.Before(who.Joined) {
					list = append(list, t)
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Trade) int { return a.At.Compare(b.At) })
	return list
}

// ofDay returns the trades of an invitee on a UTC day. They depend on the seed, the day and the invitee
// alone.
func (p *Programme) ofDay(start time.Time, n int, who *Invitee) (list []Trade) {
	rng := rand.New(rand.NewPCG(p.options.Seed, uint64(start.Unix())^uint64(n+1)<<40))
	for range rng.IntN(p.options.PerDay + 1) {
		product := p.options.Products[rng.IntN(len(p.options.Products))]
		t := Trade{Invitee: who, Product: product, Symbol: product.Symbols[rng.IntN(len(product.Symbols))]}
		t.At = start.Add(time.Duration(rng.Int64N(day.Milliseconds())) * time.Millisecond)
		t.Volume = decimal.New(rng.Int64N(5_000_000_000_000)+1, -8)
		t.Fee = t.Volume.Mul(decimal.New(6, -4))
		t.Rate = decimal.New([]int64{10, 25, 30, 45}[n%4], -2)
		t.Commission = t.Fee.Mul(t.Rate)
		t.Listed = t.At
		switch rng.IntN(40) {
		case 0: // late
			t.Listed = t.At.Add(30*time.Hour + time.Duration(rng.Int64N(int64(3*day))))
		case 1: // vanishes
			t.Gone = t.At.Add(40*time.Hour + time.Duration(rng.Int64N(int64(3*day))))
		case 2: // taken back
			t.Commission = t.Commission.Neg()
		case 3: // made twice: two equal trades
			list = append(list, t)
		case 4: // eighteen places
			t.Commission = t.Commission.Add(decimal.New(rng.Int64N(1_000_000_000), -18))
		}
		list = append(list, t)
	}
	return list
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
