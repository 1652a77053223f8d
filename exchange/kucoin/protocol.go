package kucoin

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"rebatedesk/exchange"
	"rebatedesk/exchange/transport"
	"rebatedesk/exchange/wire"
	"rebatedesk/safehttp"
)

var protocol = transport.Protocol{
	Success: wire.Codes{success}, Timeless: true, Time: timeEndpoint, Authorize: authorize, MeaningOf: meaningOf,
	Ban: time.Second, Every: every, Asked: asked, Rest: rest,
}

const success = "200000"

// authorize adds the KC-API headers.
func authorize(r *http.Request, call transport.Signable, cfg transport.Config) {
	timestamp := strconv.FormatInt(call.At.UnixMilli(), 10)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("KC-API-KEY", cfg.Key.Reveal())
	r.Header.Set("KC-API-PASSPHRASE", passphrase(cfg.Secret, cfg.Passphrase))
	r.Header.Set("KC-API-TIMESTAMP", timestamp)
	r.Header.Set("KC-API-KEY-VERSION", "2")
	r.Header.Set("KC-API-SIGN", sign(cfg.Secret, timestamp, call.Method, call.Path, call.Query, call.Body))
}

// asked returns how long a refusal for too many calls asks to wait.
func asked(h http.Header, now time.Time) time.Duration {
	if reset := resetOf(h); reset > 0 {
		return reset
	}
	return safehttp.PauseAsked(h, now)
}

// rest returns how long to wait when no call is left.
func rest(h http.Header) time.Duration {
	if strings.TrimSpace(h.Get("gw-ratelimit-remaining")) == "0" {
		return resetOf(h)
	}
	return 0
}

// resetOf returns when calls are counted anew, in milliseconds.
func resetOf(h http.Header) time.Duration {
	ms, err := strconv.ParseInt(strings.TrimSpace(h.Get("gw-ratelimit-reset")), 10, 64)
	if err != nil || ms < 0 {
		return 0
	}
	return time.Duration(ms) * time.Millisecond
}

// knownCodes lists the codes of refusals.
var knownCodes = map[string]transport.Meaning{
	"400001": {Class: exchange.ClassAuth, Hint: transport.HintAll},
	"400003": {Class: exchange.ClassAuth, Hint: transport.HintKey},
	"400004": {Class: exchange.ClassAuth, Hint: transport.HintPassphrase},
	"400005": {Class: exchange.ClassAuth, Hint: transport.HintSecret},
	"400002": {Class: exchange.ClassClock, Hint: "check the clock of this machine: it may be 5 seconds off at most"},
	"400006": {Class: exchange.ClassPermission, Hint: transport.HintAddress},
	"400007": {Class: exchange.ClassPermission, Hint: transport.HintReading},
	"411100": {Class: exchange.ClassPermission, Hint: transport.HintAccount},
	"400100": {Class: exchange.ClassValidation},
	"429000": {Class: exchange.ClassRateLimit, Hint: transport.HintRate},
}

// meaningOf classifies a refusal by its code, and by its HTTP status if the code is unknown or absent.
func meaningOf(r transport.Refusal) transport.Meaning {
	if m, ok := knownCodes[r.Code]; ok {
		return m
	}
	switch {
	case r.Status == http.StatusTooManyRequests:
		return knownCodes["429000"]
	case r.Status >= http.StatusInternalServerError, r.Status == http.StatusRequestTimeout, strings.HasPrefix(r.Code, "5"):
		return transport.Meaning{Class: exchange.ClassUpstream, Hint: transport.HintLater}
	case r.Code == "" || r.Code == success:
		return transport.Meaning{Class: exchange.ClassMalformed, Hint: transport.HintBase}
	case r.Status == http.StatusUnauthorized:
		return transport.Meaning{Class: exchange.ClassAuth, Hint: transport.HintAll}
	case r.Status == http.StatusForbidden:
		return transport.Meaning{Class: exchange.ClassPermission, Hint: transport.HintAffiliate}
	}
	return transport.Meaning{Class: exchange.ClassUpstream, Hint: transport.HintLater}
}
