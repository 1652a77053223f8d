package bitget

import (
	"net/http"
	"strconv"
	"time"

	"rebatedesk/exchange"
	"rebatedesk/exchange/transport"
	"rebatedesk/exchange/wire"
)

const success = "00000"

var protocol = transport.Protocol{Success: wire.Codes{success}, Time: timeEndpoint, Authorize: authorize, MeaningOf: meaningOf, Ban: time.Second}

// authorize adds the ACCESS headers.
func authorize(r *http.Request, call transport.Signable, cfg transport.Config) {
	timestamp := strconv.FormatInt(call.At.UnixMilli(), 10)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("locale", cfg.Locale)
	r.Header.Set("ACCESS-KEY", cfg.Key.Reveal())
	r.Header.Set("ACCESS-PASSPHRASE", cfg.Passphrase.Reveal())
	r.Header.Set("ACCESS-TIMESTAMP", timestamp)
	r.Header.Set("ACCESS-SIGN", sign(cfg.Secret, timestamp, call.Method, call.Path, call.Query, call.Body))
}

// knownCodes lists the codes of refusals.
var knownCodes = map[string]transport.Meaning{
	"40001": {Class: exchange.ClassAuth, Hint: transport.HintKey},
	"40002": {Class: exchange.ClassAuth, Hint: transport.HintSecret},
	"40003": {Class: exchange.ClassAuth, Hint: transport.HintBase},
	"40006": {Class: exchange.ClassAuth, Hint: transport.HintKey},
	"40009": {Class: exchange.ClassAuth, Hint: transport.HintSecret},
	"40011": {Class: exchange.ClassAuth, Hint: transport.HintPassphrase},
	"40012": {Class: exchange.ClassAuth, Hint: transport.HintPair},
	"40037": {Class: exchange.ClassAuth, Hint: transport.HintKey},
	"40004": {Class: exchange.ClassClock, Hint: transport.HintClock},
	"40005": {Class: exchange.ClassClock, Hint: transport.HintClock},
	"40008": {Class: exchange.ClassClock, Hint: transport.HintClock},
	"40013": {Class: exchange.ClassPermission, Hint: transport.HintAccount},
	"40014": {Class: exchange.ClassPermission, Hint: transport.HintReading},
	"40018": {Class: exchange.ClassPermission, Hint: transport.HintAddress},
	"70102": {Class: exchange.ClassPermission, Hint: "this is not an account of an agent: ask the exchange to make it one, or use the key of the agent"},
	"40017": {Class: exchange.ClassValidation},
	"40020": {Class: exchange.ClassValidation},
	"429":   {Class: exchange.ClassRateLimit, Hint: transport.HintRate},
	"30007": {Class: exchange.ClassRateLimit, Hint: transport.HintRate},
}

// meaningOf classifies a refusal by its code, and by its HTTP status if the code is unknown or absent.
func meaningOf(r transport.Refusal) transport.Meaning {
	if m, ok := knownCodes[r.Code]; ok {
		return m
	}
	switch {
	case r.Status == http.StatusTooManyRequests:
		return knownCodes["429"]
	case r.Status >= http.StatusInternalServerError, r.Status == http.StatusRequestTimeout:
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
