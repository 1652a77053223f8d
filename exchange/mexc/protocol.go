package mexc

import (
	"net/http"
	"time"

	"rebatedesk/exchange"
	"rebatedesk/exchange/transport"
	"rebatedesk/exchange/wire"
)

// success are the codes of success. The time comes without one; a list without one is refused by its
// reader.
var success = wire.Codes{"", "0", "200"}

var protocol = transport.Protocol{Success: success, Timeless: true, Time: timeEndpoint, NoPassphrase: true, Authorize: authorize, MeaningOf: meaningOf, Ban: time.Second}

// authorize adds the key, and signs the query.
func authorize(r *http.Request, call transport.Signable, cfg transport.Config) {
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-MEXC-APIKEY", cfg.Key.Reveal())
	r.URL.RawQuery = signed(cfg.Secret, call.Query, call.At)
}

const (
	keyHint    = "check REBATEDESK_API_KEY and REBATEDESK_API_SECRET"
	keyEntered = "enter the key again, with its secret"
)

// knownCodes lists the codes of refusals.
var knownCodes = map[string]transport.Meaning{
	"400":    {Class: exchange.ClassAuth, Hint: keyHint, Entered: keyEntered},
	"401":    {Class: exchange.ClassAuth, Hint: keyHint, Entered: keyEntered},
	"602":    {Class: exchange.ClassAuth, Hint: transport.HintSecret},
	"10072":  {Class: exchange.ClassAuth, Hint: transport.HintKey},
	"700001": {Class: exchange.ClassAuth, Hint: transport.HintKey},
	"700002": {Class: exchange.ClassAuth, Hint: transport.HintSecret},
	"10073":  {Class: exchange.ClassClock, Hint: clockHint},
	"700003": {Class: exchange.ClassClock, Hint: clockHint},
	"403":    {Class: exchange.ClassPermission, Hint: transport.HintAffiliate},
	"700006": {Class: exchange.ClassPermission, Hint: transport.HintAddress},
	"700007": {Class: exchange.ClassPermission, Hint: transport.HintReading},
	"601":    {Class: exchange.ClassValidation},
	"33333":  {Class: exchange.ClassValidation},
	"44444":  {Class: exchange.ClassValidation},
	"700005": {Class: exchange.ClassValidation},
	"700008": {Class: exchange.ClassValidation},
	"730002": {Class: exchange.ClassValidation},
	"429":    {Class: exchange.ClassRateLimit, Hint: transport.HintRate},
}

const clockHint = "check the clock of this machine: it may be 5 seconds slow at most, and 1 second fast"

// meaningOf classifies a refusal by its code, and by its HTTP status if the code is unknown or absent.
func meaningOf(r transport.Refusal) transport.Meaning {
	if r.Status == http.StatusTooManyRequests || r.Status == http.StatusTeapot {
		return knownCodes["429"]
	}
	if m, ok := knownCodes[r.Code]; ok {
		return m
	}
	switch {
	case r.Status >= http.StatusInternalServerError, r.Status == http.StatusRequestTimeout:
		return transport.Meaning{Class: exchange.ClassUpstream, Hint: transport.HintLater}
	case success.OK(r.Code): // a page of a proxy too, whatever its status
		return transport.Meaning{Class: exchange.ClassMalformed, Hint: transport.HintBase}
	case r.Status == http.StatusUnauthorized:
		return knownCodes["401"]
	case r.Status == http.StatusForbidden:
		return knownCodes["403"]
	}
	return transport.Meaning{Class: exchange.ClassUpstream, Hint: transport.HintLater}
}
