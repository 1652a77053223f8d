package okx

import (
	"time"

	"rebatedesk/exchange/transport"
)

var (
	timeEndpoint = transport.Endpoint{Name: "server time", Method: "GET", Path: "/api/v5/public/time", Weight: transport.Weight{IP: 1}, Reading: true}

	inviteesEndpoint = endpoint("invitees", "/api/v5/affiliate/invitee/list", 350*time.Millisecond)  // 3 a second
	billsEndpoint    = endpoint("bills", "/api/v5/asset/bills", 180*time.Millisecond)                // 6 a second
	historyEndpoint  = endpoint("older bills", "/api/v5/asset/bills-history", 1050*time.Millisecond) // 1 a second
)

// endpoint is a signed call with the least time between two of them.
func endpoint(name, path string, every time.Duration) transport.Endpoint {
	return transport.Endpoint{Name: name, Method: "GET", Path: path, Weight: transport.Weight{IP: 1, UID: 1}, Signed: true, Reading: true, Every: every}
}
