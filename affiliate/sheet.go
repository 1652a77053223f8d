package affiliate

import (
	"slices"
	"time"
)

// Sheet declares what the interface of an exchange gives and what it leaves open, so that nobody
// else needs to know the exchange. Its JSON is what webapp exchanges prints.
type Sheet struct {
	Name  string `json:"exchange"` // in settings: "weex"
	Title string `json:"-"`        // for people: "WEEX"

	// Base and ContractBase are the addresses in production, which people need not enter. Empty
	// ContractBase: the same.
	Base, ContractBase string `json:"-"`

	// What records of commission say.
	Grain    Grain    `json:"grain"`      // what one of them covers
	DayZone  string   `json:"day_zone"`   // the zone of the exchange's days: "UTC", "UTC+8"
	Reach    *int     `json:"reach_days"` // how far back they go; nil: as far as there are some
	Additive bool     `json:"additive"`   // their commissions may be added up
	Fees     bool     `json:"fees"`
	Volumes  bool     `json:"volumes"`
	Codes    bool     `json:"codes"`   // invite codes of invitees are known
	Unknown  []string `json:"unknown"` // columns of commissions that are never known

	SubAffiliates bool  `json:"sub_affiliates"`
	Paid          Proof `json:"paid"`       // what proves that commission was paid
	Console       bool  `json:"console"`    // markets and orders
	TriedLive     bool  `json:"tried_live"` // false: built from the exchange's document

	// How it is read.
	Window   int           `json:"window_days"` // the longest window of commissions; 0 = there are none
	PageSize int           `json:"page_size"`
	Streams  []StreamSheet `json:"-"` // what can be collected, in that order

	// Settling is how long after the end of a day its records still appear late, change and
	// vanish: every run reads such days again.
	Settling time.Duration `json:"-"`

	// DayBegins is how long after midnight UTC the exchange's days begin: 16 h for days of UTC+8.
	DayBegins time.Duration `json:"-"`

	// Published is how long after the end of a day its records are listed at the latest, of GrainDay.
	Published time.Duration `json:"-"`

	// NoPassphrase means that keys have no passphrase.
	NoPassphrase bool `json:"-"`
}

// FileExchange is the exchange, by its name in settings, of accounts whose commissions people import as
// files.
const FileExchange = "file"

// StreamSheet says how a stream is read.
type StreamSheet struct {
	Stream

	// Window is the most days of a window, and First those of the first one, while the density of
	// records is unknown; it equals Window for streams that are known to be thin.
	First, Window int

	// Reach is how far back the stream goes, by the exchange's clock; 0 = as far as it has records.
	Reach time.Duration

	// Whole means that the exchange gives the list whole, of any age, whatever is asked for.
	Whole bool

	// Partial means that a list of invitees may leave out some who are still there: who is not in it
	// has not vanished.
	Partial bool
}

// Of returns how a stream is read. It is the zero StreamSheet if the exchange does not have it.
func (s *Sheet) Of(stream Stream) StreamSheet {
	for _, one := range s.Streams {
		if one.Stream == stream {
			return one
		}
	}
	return StreamSheet{}
}

// Ahead is how far the exchange's days are ahead of those of UTC.
func (s *Sheet) Ahead() time.Duration {
	if s.DayBegins == 0 {
		return 0
	}
	return 24*time.Hour - s.DayBegins
}

// Limited reports whether a record of commission covers more than an instant, or lacks fields.
func (s *Sheet) Limited() bool {
	return s.Grain == GrainDay || s.Grain == GrainSpan || len(s.Unknown) > 0
}

// Has reports whether the exchange gives a kind of records.
func (s *Sheet) Has(kind StreamKind) bool {
	return slices.ContainsFunc(s.Streams, func(one StreamSheet) bool { return one.Kind == kind })
}

// KnownUntil returns up to which instant records of a stream can be known at a time: those that
// begin before it. Commissions by day are known when their day is over and published.
func (s *Sheet) KnownUntil(kind StreamKind, now time.Time) time.Time {
	if kind != Commissions || s.Grain != GrainDay {
		return now
	}
	const day = 24 * time.Hour
	return now.UTC().Add(-s.Published - s.DayBegins).Truncate(day).Add(s.DayBegins)
}

// Grain is what one record of commission covers.
type Grain string

// The grains.
const (
	GrainRecord Grain = "record" // an instant
	GrainTrade  Grain = "trade"  // a trade, at its instant
	GrainDay    Grain = "day"    // a day of the exchange
	GrainSpan   Grain = "span"   // the time between two readings of a figure that grows
)

// Proof is what proves that commission was paid.
type Proof string

// The proofs.
const (
	ProofBills Proof = "bills" // changes of a wallet
	ProofState Proof = "state" // what the exchange says of a payout
	ProofNone  Proof = "none"
)
