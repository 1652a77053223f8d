package simulator

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/simulator/programme"
	"rebatedesk/exchange/simulator/seeded"
)

// documentedLimit is the weight that one address, and one user, may spend in
// any ten seconds.
const documentedLimit = 500

// Options say which programme is simulated and how well-behaved the exchange
// is. The zero Options are an empty programme of one day, without faults.
type Options struct {
	Seed     int64 // equal seeds at equal times give equal programmes
	Days     int   // how many UTC days have commissions, today included; at least 1
	Invitees int   // how many users have been invited at the start
	Records  int   // how many commission records there are at the start, both products together

	Faults Faults      // FaultsNone where empty
	Rules  []FaultRule // further faults, in addition to those of Faults

	Now       func() time.Time // the exchange's clock; time.Now where nil
	RateLimit int              // weight per 10 s; 0 is the documented 500, negative is none
	Start     time.Time        // when the history ends and life begins, not after Now; zero is Now
	Live      bool             // the programme goes on: new records appear as time passes
	LiveSpeed float64          // how many times as fast as before it goes on; 0 is 1
	Log       *slog.Logger     // one debug line for each request; silent where nil

	NotAffiliate bool     // signed affiliate calls are answered 403 / 40022
	Bounds       Bounds   // whether a window includes its ends; empty: included, or the seed's choice where Faults are harsh
	Order        RowOrder // order of the records; empty: newest first, or the seed's choice where Faults are harsh

	// Balances are what the account begins with, in plain decimals; a usual
	// mixture where nil. Coins that the exchange does not list are left out.
	Balances map[affiliate.Coin]affiliate.Number

	// The credentials that are accepted. Made from the seed where empty. There
	// are two keys of one account, each with a UID budget of its own, and each
	// may do everything unless SeparateTrading is set: then the main key places
	// and cancels no orders, and the trading key sees nothing of the programme.
	APIKey, APISecret, APIPassphrase                      string
	TradingAPIKey, TradingAPISecret, TradingAPIPassphrase string
	SeparateTrading                                       bool
}

// Bounds say whether a record exactly at startTime or at endTime belongs to
// the window. The interface document leaves it open.
type Bounds string

// The ways to read a window.
const (
	BoundsInclusive Bounds = "inclusive" // both ends belong to it
	BoundsHalfOpen  Bounds = "half-open" // startTime does, endTime does not
	BoundsExclusive Bounds = "exclusive" // neither does
)

// RowOrder is the order in which records are listed. The interface document
// leaves it open. Records of one millisecond keep their order among each
// other.
type RowOrder string

// The orders.
const (
	NewestFirst RowOrder = "newest-first"
	OldestFirst RowOrder = "oldest-first"
)

// Faults is how the exchange misbehaves as a whole.
type Faults string

// The levels of misbehaviour.
const (
	FaultsNone   Faults = "none"   // perfect
	FaultsNormal Faults = "normal" // now and then a 429, a server error or a slow answer
	FaultsHarsh  Faults = "harsh"  // everything that has been seen of an exchange, and often
)

// ParseFaults reads the name of a level.
func ParseFaults(name string) (Faults, error) {
	switch f := Faults(name); f {
	case FaultsNone, FaultsNormal, FaultsHarsh:
		return f, nil
	}
	return "", fmt.Errorf("%.40q is not a level of faults: use %s, %s or %s", name, FaultsNone, FaultsNormal, FaultsHarsh)
}

// Credentials are what a signed call has to present (section 5).
type Credentials struct {
	APIKey, APISecret, APIPassphrase exchange.Secret
}

// credentials are those asked for, else ones that follow from the seed, by
// whose they are.
func (o Options) credentials() map[string]Credentials {
	derive := func(given, name string, length int) exchange.Secret {
		if given != "" {
			return exchange.Secret(given)
		}
		sum := sha256.Sum256(fmt.Appendf(nil, "simulated %s %d", name, o.Seed))
		return exchange.Secret("sim" + hex.EncodeToString(sum[:])[:length])
	}
	return map[string]Credentials{
		mainUser: {
			APIKey:        derive(o.APIKey, "key", 32),
			APISecret:     derive(o.APISecret, "secret", 61),
			APIPassphrase: derive(o.APIPassphrase, "passphrase", 13),
		},
		tradingUser: {
			APIKey:        derive(o.TradingAPIKey, "trading key", 32),
			APISecret:     derive(o.TradingAPISecret, "trading secret", 61),
			APIPassphrase: derive(o.TradingAPIPassphrase, "trading passphrase", 13),
		},
	}
}

// withDefaults fills in the defaults.
func (o Options) withDefaults() Options {
	o.Days = max(1, o.Days)
	o.Invitees = max(0, o.Invitees)
	o.Records = max(0, o.Records)
	if o.Faults == "" {
		o.Faults = FaultsNone
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Start.IsZero() {
		o.Start = o.Now()
	}
	if o.RateLimit == 0 {
		o.RateLimit = documentedLimit
	}
	if o.LiveSpeed <= 0 {
		o.LiveSpeed = 1
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	bounds, order := BoundsInclusive, NewestFirst
	if o.Faults == FaultsHarsh {
		choice := seeded.Rand(o.Seed, "window")
		bounds = []Bounds{BoundsInclusive, BoundsHalfOpen, BoundsExclusive}[choice.IntN(3)]
		order = []RowOrder{NewestFirst, OldestFirst}[choice.IntN(2)]
	}
	if o.Bounds == "" {
		o.Bounds = bounds
	}
	if o.Order == "" {
		o.Order = order
	}
	return o
}

// plan is the programme that was asked for.
func (o Options) plan() programme.Plan {
	return programme.Plan{
		Seed: o.Seed, Days: o.Days, Invitees: o.Invitees, Records: o.Records,
		Start: o.Start, Live: o.Live, LiveSpeed: o.LiveSpeed,
	}
}
