package transport

import (
	"net/http"
	"strings"

	"rebatedesk/exchange/wire"
)

// meaning is what a result code of the exchange stands for.
type meaning struct {
	class Class
	mend  string
}

const (
	mendKey        = "check REBATEDESK_API_KEY"
	mendSecret     = "check REBATEDESK_API_SECRET"
	mendPassphrase = "check REBATEDESK_API_PASSPHRASE"
	mendPair       = "check REBATEDESK_API_KEY and REBATEDESK_API_PASSPHRASE: they belong together"
	mendAll        = "check REBATEDESK_API_KEY, REBATEDESK_API_SECRET and REBATEDESK_API_PASSPHRASE"
	mendClock      = "check the clock of this machine: it may be 30 seconds off at most"
	mendRate       = "lower REBATEDESK_RATE_BUDGET, or stop other programs that use this address or key"
	mendBase       = "check REBATEDESK_BASE_URL and whether a proxy answers in its place"
	mendLater      = "the exchange has trouble of its own; try again later"
	mendAccount    = "ask the exchange why the account or the key is blocked"
	mendReading    = "give the key the permission to read in the exchange's settings"
	mendAddress    = "allow the address of this machine in the settings of the key"
	mendAffiliate  = "usually this is not an affiliate account"
	mendAffiliate2 = "usually this is not an affiliate account, or use REBATEDESK_API_VERSION=v3"
	mendNetwork    = "check the network and REBATEDESK_BASE_URL"
)

// meanings are the codes that are known: five digits in version 2, negative
// ones in version 3.
var meanings = map[string]meaning{
	"40001": {ClassAuth, mendKey},
	"40002": {ClassAuth, mendSecret},
	"40003": {ClassAuth, mendBase},
	"40005": {ClassClock, mendClock},
	"40006": {ClassAuth, mendKey},
	"40007": {ClassValidation, ""},
	"40008": {ClassClock, mendClock},
	"40009": {ClassAuth, mendSecret},
	"40010": {ClassUpstream, mendLater},
	"40011": {ClassAuth, mendPassphrase},
	"40012": {ClassAuth, mendPair},
	"40013": {ClassPermission, mendAccount},
	"40014": {ClassPermission, mendReading},
	"40015": {ClassUpstream, mendLater},
	"40017": {ClassValidation, ""},
	"40018": {ClassPermission, mendAddress},
	"40019": {ClassValidation, ""},
	"40020": {ClassValidation, ""},
	"40022": {ClassPermission, mendAffiliate},
	"40725": {ClassUpstream, mendLater},
	"40753": {ClassPermission, mendAccount},
	"40912": {ClassValidation, ""},
	"40913": {ClassValidation, ""},
	"429":   {ClassRateLimit, mendRate},
	"50003": {ClassTrading, ""},
	"50004": {ClassTrading, ""},
	"50005": {ClassTrading, ""},
	"50007": {ClassTrading, ""},
	"-1046": {ClassClock, mendClock},
	"-1047": {ClassAuth, mendSecret},
	"-1059": {ClassRateLimit, mendRate},
	"-1142": {ClassValidation, ""},
	"-1170": {ClassValidation, ""},
	"-1171": {ClassValidation, ""},
}

// meaningOf classifies an answer that is no success by its code, and where the
// code is unknown or absent by its HTTP status.
func meaningOf(status int, code string) meaning {
	if status == http.StatusTooManyRequests {
		return meanings["429"]
	}
	if m, ok := meanings[code]; ok {
		return m
	}
	switch {
	case status >= http.StatusInternalServerError, status == http.StatusRequestTimeout:
		return meaning{ClassUpstream, mendLater}
	case status == http.StatusUnauthorized:
		return meaning{ClassAuth, mendAll}
	case status == http.StatusForbidden:
		return meaning{ClassPermission, mendAffiliate}
	case wire.Envelope{Code: code}.OK():
		// No code at all: a redirect, an unknown path, a proxy's page.
		return meaning{ClassMalformed, mendBase}
	case family(code, "50"):
		return meaning{ClassTrading, ""}
	case IsSuccess(status) && !family(code, "40") && !strings.HasPrefix(code, "-1"):
		return meaning{ClassUpstream, mendLater}
	}
	return meaning{ClassValidation, ""}
}

// SaysNo reports whether a code is known to be a no: said before anything was
// executed.
func SaysNo(code string) bool {
	switch meanings[code].class {
	case ClassAuth, ClassClock, ClassValidation, ClassPermission, ClassRateLimit, ClassTrading:
		return true
	}
	return false
}

// ClassOfCode is the class of a code that is known.
func ClassOfCode(code string) (Class, bool) {
	m, known := meanings[code]
	return m.class, known
}

// family reports whether code is one of the five-digit codes that begin alike.
func family(code, prefix string) bool {
	return len(code) == 5 && strings.HasPrefix(code, prefix)
}
