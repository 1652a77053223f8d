package transport

import (
	"net/http"
	"time"

	"rebatedesk/exchange/wire"
)

// Protocol is how an exchange forms its calls, and what its answers mean.
type Protocol struct {
	// Time is the endpoint of the server's time, which needs no key.
	Time Endpoint

	// Timeless means that answers carry no time of their own. Their Date header, which may be that of
	// another server, counts only until the time is known.
	Timeless bool

	// Success are the codes of answers that report success.
	Success wire.Codes

	// NoPassphrase means that keys have no passphrase.
	NoPassphrase bool

	// Authorize adds to a request what proves who calls.
	Authorize func(*http.Request, Signable, Config)

	// MeaningOf says what an answer means that reports no success.
	MeaningOf func(Refusal) Meaning

	// WeightUsed and WeightLeft are the headers in which answers say what of the budget of ten
	// seconds is used and left; empty = the exchange does not say it.
	WeightUsed, WeightLeft string

	// Ban is how long all calls stop after an answer of class rate-limit that does not say it; the
	// next ones in a row stop them twice as long each, up to a minute. Zero = the same pause each
	// time, see [Config.BanWait].
	Ban time.Duration

	// Every is the least time between any two calls of an account to endpoints that have one, see
	// [Endpoint.Every].
	Every time.Duration

	// Rest returns how long an answer asks to wait before the next call, though it is no refusal; nil
	// = none does. Only calls to endpoints with a pace wait.
	Rest func(http.Header) time.Duration

	// Asked returns how long an answer asks to wait; nil = by Retry-After.
	Asked func(http.Header, time.Time) time.Duration
}

// Signable is a call as it is sent, byte by byte.
type Signable struct {
	Method, Path, Query, Body string    // Query is without "?"
	At                        time.Time // by the exchange's clock
}

// Refusal is an answer that reports no success.
type Refusal struct {
	Endpoint Endpoint
	Version  string // of the interface, as configured
	Status   int    // HTTP status
	Code     string // the exchange's; empty if there was none
}

// Meaning is the class of a refusal, with advice.
type Meaning struct {
	Class   Class
	Hint    string
	Entered string // the advice for an account that was entered on a page, if it differs from that for Hint
}
