package transport

import (
	"cmp"
	"net/http"
	"strings"

	"rebatedesk/exchange/wire"
)

// codeClass is the class of a result code of the exchange, with a hint.
type codeClass struct {
	class Class
	hint  string
}

const (
	hintKey        = "check REBATEDESK_API_KEY"
	hintSecret     = "check REBATEDESK_API_SECRET"
	hintPassphrase = "check REBATEDESK_API_PASSPHRASE"
	hintPair       = "check REBATEDESK_API_KEY and REBATEDESK_API_PASSPHRASE: they belong together"
	hintAll        = "check REBATEDESK_API_KEY, REBATEDESK_API_SECRET and REBATEDESK_API_PASSPHRASE"
	hintClock      = "check the clock of this machine: it may be 30 seconds off at most"
	hintRate       = "lower REBATEDESK_RATE_BUDGET, or stop other programs that use this address or key"
	hintBase       = "check REBATEDESK_BASE_URL and whether a proxy answers in its place"
	hintLater      = "the exchange has trouble of its own; try again later"
	hintAccount    = "ask the exchange why the account or the key is blocked"
	hintReading    = "give the key the permission to read in the exchange's settings"
	hintAddress    = "allow the address of this machine in the settings of the key"
	hintAffiliate  = "usually this is not an affiliate account"
	hintAffiliate2 = "usually this is not an affiliate account, or use REBATEDESK_API_VERSION=v3"
	hintNetwork    = "check the network and REBATEDESK_BASE_URL"
)

// entered is the advice where it differs for an account that was entered on a page: it has no settings.
var entered = map[string]string{
	hintKey:        "enter the key again, with its secret and passphrase",
	hintSecret:     "enter the secret again, with its key and passphrase",
	hintPassphrase: "enter the passphrase again, with its key and secret",
	hintPair:       "enter key, secret and passphrase again, all of one key",
	hintAll:        "enter key, secret and passphrase again, all of one key",
	hintRate:       "lower the setting RATE_BUDGET of the server, or stop other programs that use this address or key",
	hintBase:       "check the address of the exchange that was entered, and whether a proxy answers in its place",
	hintAffiliate2: "usually this is not an affiliate account, or store the account with version v3 of the interface",
	hintNetwork:    "check the network, and the address of the exchange that was entered",
}

// advised returns a failure with advice that fits where the account came from.
func (c *Sender) advised(failure *Error) *Error {
	if failure != nil && c.cfg.Entered {
		failure.Hint = cmp.Or(entered[failure.Hint], failure.Hint)
	}
	return failure
}

// knownCodes lists the known codes: five digits in version 2, negative ones in version 3.
var knownCodes = map[string]codeClass{
	"40001": {ClassAuth, hintKey},
	"40002": {ClassAuth, hintSecret},
	"40003": {ClassAuth, hintBase},
	"40005": {ClassClock, hintClock},
	"40006": {ClassAuth, hintKey},
	"40007": {ClassValidation, ""},
	"40008": {ClassClock, hintClock},
	"40009": {ClassAuth, hintSecret},
	"40010": {ClassUpstream, hintLater},
	"40011": {ClassAuth, hintPassphrase},
	"40012": {ClassAuth, hintPair},
	"40013": {ClassPermission, hintAccount},
	"40014": {ClassPermission, hintReading},
	"40015": {ClassUpstream, hintLater},
	"40017": {ClassValidation, ""},
	"40018": {ClassPermission, hintAddress},
	"40019": {ClassValidation, ""},
	"40020": {ClassValidation, ""},
	"40022": {ClassPermission, hintAffiliate},
	"40725": {ClassUpstream, hintLater},
	"40753": {ClassPermission, hintAccount},
	"40912": {ClassValidation, ""},
	"40913": {ClassValidation, ""},
	"429":   {ClassRateLimit, hintRate},
	"50003": {ClassTrading, ""},
	"50004": {ClassTrading, ""},
	"50005": {ClassTrading, ""},
	"50007": {ClassTrading, ""},
	"-1046": {ClassClock, hintClock},
	"-1047": {ClassAuth, hintSecret},
	"-1059": {ClassRateLimit, hintRate},
	"-1142": {ClassValidation, ""},
	"-1170": {ClassValidation, ""},
	"-1171": {ClassValidation, ""},
}

// classifyCode classifies an unsuccessful answer by its code, and by its HTTP status
// if the code is unknown or absent.
func classifyCode(status int, code string) codeClass {
	if status == http.StatusTooManyRequests {
		return knownCodes["429"]
	}
	if m, ok := knownCodes[code]; ok {
		return m
	}
	switch {
	case status >= http.StatusInternalServerError, status == http.StatusRequestTimeout:
		return codeClass{ClassUpstream, hintLater}
	case status == http.StatusUnauthorized:
		return codeClass{ClassAuth, hintAll}
	case status == http.StatusForbidden:
		return codeClass{ClassPermission, hintAffiliate}
	case wire.Envelope{Code: code}.OK():
		// No code: a redirect, an unknown path, a proxy's page.
		return codeClass{ClassMalformed, hintBase}
	case family(code, "50"):
		return codeClass{ClassTrading, ""}
	case IsSuccess(status) && !family(code, "40") && !strings.HasPrefix(code, "-1"):
		return codeClass{ClassUpstream, hintLater}
	}
	return codeClass{ClassValidation, ""}
}

// SaysNo reports whether a code is known to mean a refusal issued before anything was
// executed.
func SaysNo(code string) bool {
	switch knownCodes[code].class {
	case ClassAuth, ClassClock, ClassValidation, ClassPermission, ClassRateLimit, ClassTrading:
		return true
	}
	return false
}

// ClassOfCode returns the class of a known code.
func ClassOfCode(code string) (Class, bool) {
	m, known := knownCodes[code]
	return m.class, known
}

// family reports whether code is one of the five-digit codes with the same beginning.
func family(code, prefix string) bool {
	return len(code) == 5 && strings.HasPrefix(code, prefix)
}
