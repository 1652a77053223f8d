package simulator

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex/simulator/account"
	"rebatedesk/exchange/weex/simulator/programme"
	"rebatedesk/exchange/weex/simulator/seeded"
)

// documentedLimit is the weight that an address or a user may spend in any ten seconds.
const documentedLimit = 500

// Options describe the simulated programme and the behaviour of the exchange. The zero
// Options are an empty programme of one day, without faults.
type Options struct {
	Seed     int64 // equal seeds at equal times give equal programmes
	Days     int   // number of UTC days with commissions, including today; at least 1
	Invitees int   // number of invited users at the start
	Records  int   // number of commission records at the start, both products together

	Faults Faults      // empty means FaultsNone
	Rules  []FaultRule // further faults, in addition to those of Faults

	Now       func() time.Time // the exchange's clock; nil means time.Now
	RateLimit int              // weight per 10 s; 0 means the documented 500, negative no limit
	Start     time.Time        // when the history ends and live records begin, not after Now; zero means Now
	Live      bool             // the programme continues: new records appear as time passes
	LiveSpeed float64          // speed of the programme after the start, as a multiple of its history; 0 means 1
	Log       *slog.Logger     // one debug line for each request; nil logs nothing

	NotAffiliate bool                 // signed affiliate calls are answered 403 / 40022
	Forbidden    []string             // endpoints that the main key may not use, by section of the interface document: "4.14"
	BillDays     int                  // how many days back bills and transfers can be asked for; 0 means no limit
	Payouts      account.PayoutRule   // when and how commissions are paid out
	Rates        []programme.RateStep // rebate rates set from an instant on; none by default
	Bounds       Bounds               // whether a window includes its ends; empty: included, or the seed's choice if Faults are harsh
	Order        RowOrder             // order of the records; empty: newest first, or the seed's choice if Faults are harsh

	// Balances are the opening balances, in plain decimals. If nil, a usual mixture is
	// used. Coins that the exchange does not list are left out.
	Balances map[affiliate.Coin]affiliate.Number

	// The accepted credentials, derived from the seed if empty. They are two keys of one
	// account, each with a separate UID budget, and each may do everything unless
	// SeparateTrading is set. Then the main key places and cancels no orders, and the
	// trading key cannot read the programme.
	APIKey, APISecret, APIPassphrase                      string
	TradingAPIKey, TradingAPISecret, TradingAPIPassphrase string
	SeparateTrading                                       bool
}

// Bounds says whether a record exactly at startTime or at endTime belongs to the window.
// The interface document does not specify it.
type Bounds string

// Ways to read a window.
const (
	BoundsInclusive Bounds = "inclusive" // both ends are included
	BoundsHalfOpen  Bounds = "half-open" // startTime is included, endTime is not
	BoundsExclusive Bounds = "exclusive" // neither end is included
)

// RowOrder is the order in which records are listed. The interface document does not
// specify it. Records of the same millisecond keep their relative order.
type RowOrder string

// Orders of rows.
const (
	NewestFirst RowOrder = "newest-first"
	OldestFirst RowOrder = "oldest-first"
)

// Faults is the exchange's overall level of misbehaviour.
type Faults string

// Levels of misbehaviour.
const (
	FaultsNone   Faults = "none"   // perfect
	FaultsNormal Faults = "normal" // an occasional 429, server error or slow answer
	FaultsHarsh  Faults = "harsh"  // frequent faults of every kind seen at an exchange
)

// ParseFaults reads the name of a level.
func ParseFaults(name string) (Faults, error) {
	switch f := Faults(name); f {
	case FaultsNone, FaultsNormal, FaultsHarsh:
		return f, nil
	}
	return "", fmt.Errorf("%.40q is not a level of faults: use %s, %s or %s", name, FaultsNone, FaultsNormal, FaultsHarsh)
}

// ParsePayoutRule reads a rule: a period, and after a plus the delay, such as "day+8h". The
// words "together", for one sum of both kinds, and "exact" or "few", for no faults or a few,
// may follow.
func ParsePayoutRule(text string) (account.PayoutRule, error) {
	var r account.PayoutRule
	for i, word := range strings.Fields(text) {
		period, delay, delayed := strings.Cut(word, "+")
		switch {
		case i == 0 && slices.Contains(account.PayoutPeriods(), account.PayoutPeriod(period)):
			r.Period = account.PayoutPeriod(period)
			if !delayed {
				continue
			}
			var err error
			if r.Delay, err = time.ParseDuration(delay); err != nil || r.Delay <= 0 {
				return r, fmt.Errorf("%.40q is not a delay: use a duration such as 8h or 90m", delay)
			}
		case i > 0 && word == "together":
			r.Together = true
		case i > 0 && word == "exact":
			r.Faults = account.PayoutFaultsNone
		case i > 0 && word == "few":
			r.Faults = account.PayoutFaultsFew
		default:
			return r, fmt.Errorf("%.40q is not part of a payout rule: use hour, day, week or month, a delay such as +8h, and the words together, exact and few", word)
		}
	}
	if r.Period == "" {
		return r, fmt.Errorf("an empty payout rule: use for example %q", "day+8h")
	}
	return r, nil
}

// ParseRateStep reads a step: an instant or a UTC day, the rate as a fraction, and what it is
// for as words such as uid=123, code=welcome, product=SPOT or sub-affiliate=123.
func ParseRateStep(text string) (programme.RateStep, error) {
	var step programme.RateStep
	words := strings.Fields(text)
	if len(words) < 2 {
		return step, fmt.Errorf("%.60q is not a step of a rate: use for example %q", text, "2026-06-01 0.25 uid=4667776811")
	}
	var err error
	if step.From, err = time.Parse(time.RFC3339, words[0]); err != nil {
		if step.From, err = time.Parse(time.DateOnly, words[0]); err != nil {
			return step, fmt.Errorf("%.40q is not an instant: use a day such as 2026-06-01, or a time such as 2026-06-01T12:00:00Z", words[0])
		}
	}
	rate, err := affiliate.ParseNumber(words[1])
	if err != nil {
		return step, fmt.Errorf("%.40q is not a rate: use a fraction such as 0.25", words[1])
	}
	units := rate.Decimal().Shift(4)
	if !units.IsInteger() || units.IsNegative() || units.IntPart() > 10_000 {
		return step, fmt.Errorf("%.40q is not a rate: use a fraction from 0 to 1 with at most four decimals", words[1])
	}
	step.Rate = int16(units.IntPart())
	for _, word := range words[2:] {
		name, value, _ := strings.Cut(word, "=")
		switch product, known := affiliate.Product(value), affiliate.Product(value).Known(); {
		case value == "":
			return step, fmt.Errorf("%.40q names nothing: use a word such as uid=4667776811", word)
		case name == "uid":
			step.UID = affiliate.UID(value)
		case name == "code":
			step.Code = value
		case name == "product" && known:
			step.Product = product
		case name == "sub-affiliate":
			step.SubAffiliate = affiliate.UID(value)
		default:
			return step, fmt.Errorf("%.40q is not part of a step of a rate: use uid=, code=, product=SPOT, product=FUTURES or sub-affiliate=", word)
		}
	}
	if step.SubAffiliate != "" && (step.UID != "" || step.Code != "") {
		return step, fmt.Errorf("a step of a sub-affiliate names no uid and no code")
	}
	return step, nil
}

// Credentials are presented by a signed call (section 5).
type Credentials struct {
	APIKey, APISecret, APIPassphrase exchange.Secret
}

// credentials returns the requested credentials, or ones derived from the seed, by their
// owner.
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

// plan returns the requested programme.
func (o Options) plan() programme.Plan {
	return programme.Plan{
		Seed: o.Seed, Days: o.Days, Invitees: o.Invitees, Records: o.Records,
		Start: o.Start, Live: o.Live, LiveSpeed: o.LiveSpeed, Rates: o.Rates,
	}
}
