package okx

import (
	"net/http"
	"time"

	"rebatedesk/exchange"
	"rebatedesk/exchange/transport"
	"rebatedesk/exchange/wire"
)

const success = "0"

var protocol = transport.Protocol{Success: wire.Codes{success}, Timeless: true, Time: timeEndpoint, Authorize: authorize, MeaningOf: meaningOf, Ban: time.Second}

// timeForm is that of the header OK-ACCESS-TIMESTAMP.
const timeForm = "2006-01-02T15:04:05.000Z"

// authorize adds the OK-ACCESS headers.
func authorize(r *http.Request, call transport.Signable, cfg transport.Config) {
	timestamp := call.At.UTC().Format(timeForm)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("OK-ACCESS-KEY", cfg.Key.Reveal())
	r.Header.Set("OK-ACCESS-PASSPHRASE", cfg.Passphrase.Reveal())
	r.Header.Set("OK-ACCESS-TIMESTAMP", timestamp)
	r.Header.Set("OK-ACCESS-SIGN", sign(cfg.Secret, timestamp, call.Method, call.Path, call.Query, call.Body))
}

// knownCodes lists the codes of refusals.
var knownCodes = map[string]transport.Meaning{
	"50101": {Class: exchange.ClassAuth, Hint: "the key belongs to the other environment, demo or live: " + transport.HintKey},
	"50103": {Class: exchange.ClassAuth, Hint: transport.HintKey},
	"50104": {Class: exchange.ClassAuth, Hint: transport.HintPassphrase},
	"50105": {Class: exchange.ClassAuth, Hint: transport.HintPassphrase},
	"50106": {Class: exchange.ClassAuth, Hint: transport.HintSecret},
	"50107": {Class: exchange.ClassAuth, Hint: transport.HintAll},
	"50111": {Class: exchange.ClassAuth, Hint: transport.HintKey},
	"50113": {Class: exchange.ClassAuth, Hint: transport.HintSecret},
	"50102": {Class: exchange.ClassClock, Hint: transport.HintClock},
	"50112": {Class: exchange.ClassClock, Hint: transport.HintClock},
	"50100": {Class: exchange.ClassPermission, Hint: transport.HintAccount},
	"50110": {Class: exchange.ClassPermission, Hint: transport.HintAddress},
	"50120": {Class: exchange.ClassPermission, Hint: transport.HintReading},
	"51620": {Class: exchange.ClassPermission, Hint: "this is not an affiliate account: apply to the exchange's affiliate programme, or use the key of the account that is in it"},
	"59509": {Class: exchange.ClassPermission, Hint: "the role of this account may not read it: use a key of the main account"},
	"18004": {Class: exchange.ClassPermission, Hint: "the role of this account may not read it: use a key of the main account"},
	"50014": {Class: exchange.ClassValidation},
	"51000": {Class: exchange.ClassValidation},
	"50011": {Class: exchange.ClassRateLimit, Hint: transport.HintRate},
	"50061": {Class: exchange.ClassRateLimit, Hint: transport.HintRate},
}

// meaningOf classifies a refusal by its code, and by its HTTP status if the code is unknown or absent.
func meaningOf(r transport.Refusal) transport.Meaning {
	if m, ok := knownCodes[r.Code]; ok {
		return m
	}
	switch {
	case r.Status == http.StatusTooManyRequests:
		return knownCodes["50011"]
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
