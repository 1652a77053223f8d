package exchange

import (
	"time"

	"rebatedesk/affiliate"
)

// Sheet declares what the interface of an exchange gives and what it leaves open, so that nobody
// else needs to know the exchange. Its JSON is what webapp exchanges prints.
type Sheet struct {
	Name  string `json:"exchange"` // in settings: "weex"
	Title string `json:"-"`        // for people: "WEEX"

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
	Window   int                `json:"window_days"` // the longest window of any stream
	PageSize int                `json:"page_size"`
	Streams  []affiliate.Stream `json:"-"` // what can be collected, in that order

	// FirstWindow is the length in days of the first window of a stream, while the density of
	// its records is unknown; it is Window for streams that are known to be thin.
	FirstWindow func(affiliate.StreamKind) int `json:"-"`

	// ReachOf is how far back a stream goes, by the exchange's clock; 0 = as far as it has
	// records.
	ReachOf func(affiliate.StreamKind) time.Duration `json:"-"`
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
