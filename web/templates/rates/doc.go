// Package rates has the pages of the agreed rates, and of what was paid against them.
package rates

// Addresses of the pages.
const (
	RatesPath = "/rates"
	TermsPath = "/rates/terms"
)
