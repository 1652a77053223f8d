package exchange

import (
	"net/http"
	"slices"
	"strings"
)

// Weight is what one call costs of the two request budgets (section 8). An
// endpoint without a UID weight is counted by address only.
type Weight struct{ IP, UID int }

// Larger is the greater of both weights.
func (w Weight) Larger() int { return max(w.IP, w.UID) }

// Endpoint is one entry of the interface document.
type Endpoint struct {
	Section   string // of the interface document, "4.17"; empty where it is not in the document
	Name      string // as a manager would call it
	Method    string
	Path      string // below the base address, in version 2
	Weight    Weight
	Signed    bool // carries the ACCESS headers (section 5)
	Reading   bool // changes nothing at the exchange, so it may be sent again
	Contract  bool // belongs to the contract address
	Affiliate bool // for affiliate accounts only; exists in versions 2 and 3
}

// PathIn is the path in the given version of the interface. Only the affiliate
// endpoints have another one in "v3".
func (e Endpoint) PathIn(version string) string {
	if e.Affiliate && version == "v3" {
		return strings.Replace(e.Path, "/api/v2/", "/api/v3/", 1)
	}
	return e.Path
}

// String is the name and, where there is one, the section.
func (e Endpoint) String() string {
	if e.Section == "" {
		return e.Name
	}
	return e.Name + " (" + e.Section + ")"
}

// endpoint names, the keys of the table.
const (
	endpointServerTime       = "server time"
	endpointCommissions      = "affiliate commissions"
	endpointInvitees         = "affiliate invitees"
	endpointSubAffiliateDays = "sub-affiliate days"
)

// endpoints is the table. The weights are those of section 8; server time is
// not in the document and is taken to cost one.
var endpoints = []Endpoint{
	{
		Name: endpointServerTime, Method: http.MethodGet,
		Path: "/api/v2/public/time", Weight: Weight{IP: 1}, Reading: true,
	},
	{
		Section: "4.17", Name: endpointCommissions, Method: http.MethodGet,
		Path:   "/api/v2/rebate/affiliate/getAffiliateCommission",
		Weight: Weight{IP: 20, UID: 20}, Signed: true, Reading: true, Affiliate: true,
	},
	{
		Section: "4.18", Name: endpointInvitees, Method: http.MethodGet,
		Path:   "/api/v2/rebate/affiliate/getAffiliateUIDs",
		Weight: Weight{IP: 20, UID: 20}, Signed: true, Reading: true, Affiliate: true,
	},
	{
		Section: "4.19", Name: endpointSubAffiliateDays, Method: http.MethodPost,
		Path:   "/api/v2/rebate/affiliate/querySubChannelTransactions",
		Weight: Weight{IP: 10, UID: 10}, Signed: true, Reading: true, Affiliate: true,
	},
}

// Endpoints is the table of everything this package can call, in the order of
// the interface document.
func Endpoints() []Endpoint { return slices.Clone(endpoints) }

// endpointNamed finds an entry of the table. It panics on a name that is not
// there: the names are constants of this package.
func endpointNamed(name string) Endpoint {
	for _, e := range endpoints {
		if e.Name == name {
			return e
		}
	}
	panic("exchange: no endpoint is named " + name)
}
