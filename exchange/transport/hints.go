package transport

import "cmp"

// Hints are advice for failures of a call, in terms of the settings.
const (
	HintKey        = "check REBATEDESK_API_KEY"
	HintSecret     = "check REBATEDESK_API_SECRET"
	HintPassphrase = "check REBATEDESK_API_PASSPHRASE"
	HintPair       = "check REBATEDESK_API_KEY and REBATEDESK_API_PASSPHRASE: they belong together"
	HintAll        = "check REBATEDESK_API_KEY, REBATEDESK_API_SECRET and REBATEDESK_API_PASSPHRASE"
	HintClock      = "check the clock of this machine: it may be 30 seconds off at most"
	HintRate       = "lower REBATEDESK_RATE_BUDGET, or stop other programs that use this address or key"
	HintBase       = "check REBATEDESK_BASE_URL and whether a proxy answers in its place"
	HintLater      = "the exchange has trouble of its own; try again later"
	HintAccount    = "ask the exchange why the account or the key is blocked"
	HintReading    = "give the key the permission to read in the exchange's settings"
	HintAddress    = "allow the address of this machine in the settings of the key"
	HintAffiliate  = "usually this is not an affiliate account"
	HintNetwork    = "check the network and REBATEDESK_BASE_URL"
)

// entered is the advice where it differs for an account that was entered on a page: it has no settings.
var entered = map[string]string{
	HintKey:        "enter the key again, with its secret and passphrase",
	HintSecret:     "enter the secret again, with its key and passphrase",
	HintPassphrase: "enter the passphrase again, with its key and secret",
	HintPair:       "enter key, secret and passphrase again, all of one key",
	HintAll:        "enter key, secret and passphrase again, all of one key",
	HintRate:       "lower the setting RATE_BUDGET of the server, or stop other programs that use this address or key",
	HintBase:       "check the address of the exchange that was entered, and whether a proxy answers in its place",
	HintNetwork:    "check the network, and the address of the exchange that was entered",
}

// advised returns a failure with advice that fits where the account came from.
func (c *Sender) advised(failure *Error) *Error {
	if failure != nil && c.cfg.Entered {
		failure.Hint = cmp.Or(failure.entered, entered[failure.Hint], failure.Hint)
	}
	return failure
}
