package weex

import (
	"net/http"
	"strings"

	"rebatedesk/exchange"
	"rebatedesk/exchange/transport"
)

// knownCodes lists the known codes: five digits in version 2, negative ones in version 3.
var knownCodes = map[string]transport.Meaning{
	"40001": {Class: exchange.ClassAuth, Hint: transport.HintKey},
	"40002": {Class: exchange.ClassAuth, Hint: transport.HintSecret},
	"40003": {Class: exchange.ClassAuth, Hint: transport.HintBase},
	"40005": {Class: exchange.ClassClock, Hint: transport.HintClock},
	"40006": {Class: exchange.ClassAuth, Hint: transport.HintKey},
	"40007": {Class: exchange.ClassValidation},
	"40008": {Class: exchange.ClassClock, Hint: transport.HintClock},
	"40009": {Class: exchange.ClassAuth, Hint: transport.HintSecret},
	"40010": {Class: exchange.ClassUpstream, Hint: transport.HintLater},
	"40011": {Class: exchange.ClassAuth, Hint: transport.HintPassphrase},
	"40012": {Class: exchange.ClassAuth, Hint: transport.HintPair},
	"40013": {Class: exchange.ClassPermission, Hint: transport.HintAccount},
	"40014": {Class: exchange.ClassPermission, Hint: transport.HintReading},
	"40015": {Class: exchange.ClassUpstream, Hint: transport.HintLater},
	"40017": {Class: exchange.ClassValidation},
	"40018": {Class: exchange.ClassPermission, Hint: transport.HintAddress},
	"40019": {Class: exchange.ClassValidation},
	"40020": {Class: exchange.ClassValidation},
	"40022": {Class: exchange.ClassPermission, Hint: transport.HintAffiliate},
	"40725": {Class: exchange.ClassUpstream, Hint: transport.HintLater},
	"40753": {Class: exchange.ClassPermission, Hint: transport.HintAccount},
	"40912": {Class: exchange.ClassValidation},
	"40913": {Class: exchange.ClassValidation},
	"429":   {Class: exchange.ClassRateLimit, Hint: transport.HintRate},
	"50003": {Class: exchange.ClassTrading},
	"50004": {Class: exchange.ClassTrading},
	"50005": {Class: exchange.ClassTrading},
	"50007": {Class: exchange.ClassTrading},
	"-1046": {Class: exchange.ClassClock, Hint: transport.HintClock},
	"-1047": {Class: exchange.ClassAuth, Hint: transport.HintSecret},
	"-1059": {Class: exchange.ClassRateLimit, Hint: transport.HintRate},
	"-1142": {Class: exchange.ClassValidation},
	"-1170": {Class: exchange.ClassValidation},
	"-1171": {Class: exchange.ClassValidation},
}

// meaningOf classifies an unsuccessful answer by its code, and by its HTTP status if the code is
// unknown or absent.
func meaningOf(r transport.Refusal) transport.Meaning {
	m := meaningOfCode(r.Status, r.Code)
	if m.Hint == transport.HintAffiliate {
		switch {
		case !r.Endpoint.Affiliate:
			m.Hint = transport.HintReading
		case r.Version == "v2":
			m.Hint = "usually this is not an affiliate account, or use REBATEDESK_API_VERSION=v3"
			m.Entered = "usually this is not an affiliate account, or store the account with version v3 of the interface"
		}
	}
	return m
}

func meaningOfCode(status int, code string) transport.Meaning {
	if status == http.StatusTooManyRequests {
		return knownCodes["429"]
	}
	if m, ok := knownCodes[code]; ok {
		return m
	}
	switch {
	case status >= http.StatusInternalServerError, status == http.StatusRequestTimeout:
		return transport.Meaning{Class: exchange.ClassUpstream, Hint: transport.HintLater}
	case status == http.StatusUnauthorized:
		return transport.Meaning{Class: exchange.ClassAuth, Hint: transport.HintAll}
	case status == http.StatusForbidden:
		return transport.Meaning{Class: exchange.ClassPermission, Hint: transport.HintAffiliate}
	case success.OK(code):
		// No code: a redirect, an unknown path, a proxy's page.
		return transport.Meaning{Class: exchange.ClassMalformed, Hint: transport.HintBase}
	case family(code, "50"):
		return transport.Meaning{Class: exchange.ClassTrading}
	case transport.IsSuccess(status) && !family(code, "40") && !strings.HasPrefix(code, "-1"):
		return transport.Meaning{Class: exchange.ClassUpstream, Hint: transport.HintLater}
	}
	return transport.Meaning{Class: exchange.ClassValidation}
}

// saysNo reports whether a code is known to mean a refusal issued before anything was
// executed.
func saysNo(code string) bool {
	switch knownCodes[code].Class {
	case exchange.ClassAuth, exchange.ClassClock, exchange.ClassValidation, exchange.ClassPermission, exchange.ClassRateLimit, exchange.ClassTrading:
		return true
	}
	return false
}

// family reports whether code is one of the five-digit codes with the same beginning.
func family(code, prefix string) bool {
	return len(code) == 5 && strings.HasPrefix(code, prefix)
}
