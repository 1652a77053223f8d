package simulator

import (
	"errors"
	"fmt"
	"net/http"

	"rebatedesk/exchange/weex/simulator/account"
)

// refusal is a business error: the exchange's answer to a call that it understands but does
// not accept.
type refusal struct {
	status int
	code   string
	old    int // the code of version 3
	msg    string
}

func refuse(code string, old int, msg string, args ...any) *refusal {
	return &refusal{http.StatusBadRequest, code, old, fmt.Sprintf(msg, args...)}
}

// Refusals without a parameter in their text.
var (
	errKeyMissing        = refuse("40001", -1040, "Request header ACCESS-KEY cannot be empty")
	errSignMissing       = refuse("40002", -1041, "Request header ACCESS-SIGN cannot be empty")
	errTimestampMissing  = refuse("40003", -1042, "Request header ACCESS-TIMESTAMP cannot be empty")
	errTimestampInvalid  = refuse("40005", -1046, "Invalid ACCESS-TIMESTAMP")
	errKeyInvalid        = refuse("40006", -1048, "Invalid ACCESS-KEY")
	errContentType       = refuse("40007", -1045, "Invalid Content-Type, use application/json")
	errTimestampExpired  = refuse("40008", -1046, "Request timestamp expired")
	errSignInvalid       = refuse("40009", -1047, "sign signature error")
	errPassphraseMissing = refuse("40011", -1043, "Request header ACCESS-PASSPHRASE cannot be empty")
	errPassphraseInvalid = refuse("40012", -1048, "apikey/passphrase is incorrect")
	errNotAffiliate      = &refusal{http.StatusForbidden, "40022", -1052, "The request is not permitted for this account"}
	errTooMany           = &refusal{http.StatusTooManyRequests, "429", -1059, "Too Many Requests"}
	errSystem            = &refusal{http.StatusInternalServerError, "40015", -1000, "System is abnormal, please try again later"}
	errPermission        = refuse("40014", -1052, "Incorrect permissions")
	errPair              = refuse("50003", -1142, "The trading pair is not available")
	errNoOrder           = refuse("50005", -1142, "The order does not exist")
	errTooManyIDs        = refuse("40912", -1142, "A batch cannot have more than 50 ids")
	errIDMissing         = refuse("40913", -1142, "orderId or clientOid must be passed one")
	errRange             = refuse("40017", -1170, "Parameter verification failed: the time range is too long or too far back")
	errOrder             = refuse("40020", -1171, "Parameter endTime must be later than startTime")
)

// errRule is the refusal of an order that breaks a trading rule.
func errRule(text string) *refusal {
	return refuse("40017", -1142, "Parameter verification failed: %s", text)
}

// refusalOf returns the refusal of an order that the account did not accept, or nil if it
// did.
func refusalOf(err error) *refusal {
	switch rule, broken := errors.AsType[account.BrokenRule](err); {
	case err == nil:
		return nil
	case broken:
		return errRule(string(rule))
	}
	return errPair
}

func errEmpty(name string) *refusal {
	return refuse("40019", -1142, "Parameter %s cannot be empty", name)
}

func errInvalid(name string) *refusal {
	return refuse("40020", -1142, "Parameter %s is invalid", name)
}
