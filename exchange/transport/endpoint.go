package transport

import (
	"strings"
	"time"
)

// Weight is the cost of one call in the two request budgets (section 8). An endpoint
// without a UID weight is counted by address only.
type Weight struct{ IP, UID int }

// Larger returns the greater of the two weights.
func (w Weight) Larger() int { return max(w.IP, w.UID) }

// Endpoint is one entry of the interface document.
type Endpoint struct {
	Section   string // of the interface document, "4.17"; empty where it is not in the document
	Name      string // in a manager's words
	Method    string
	Path      string // relative to the base address, in version 2
	Weight    Weight
	Signed    bool // carries the ACCESS headers (section 5)
	Reading   bool // changes nothing at the exchange, so it may be sent again
	Contract  bool // belongs to the contract address
	Affiliate bool // for affiliate accounts only; exists in versions 2 and 3

	// Every is the least time between two calls of an account to the endpoint. Calls of an account
	// to endpoints that have one go one at a time. Zero = the budget alone decides.
	Every time.Duration
}

// PathIn returns the path in the given version of the interface. Only the affiliate
// endpoints have a different one in "v3".
func (e Endpoint) PathIn(version string) string {
	if e.Affiliate && version == "v3" {
		return strings.Replace(e.Path, "/api/v2/", "/api/v3/", 1)
	}
	return e.Path
}

// String returns the name and, if any, the section.
func (e Endpoint) String() string {
	if e.Section == "" {
		return e.Name
	}
	return e.Name + " (" + e.Section + ")"
}
