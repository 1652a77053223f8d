package bitget

import (
	"time"

	"rebatedesk/exchange/transport"
)

// every keeps an account below ten calls a second of each kind.
const every = 110 * time.Millisecond

var (
	timeEndpoint = transport.Endpoint{Name: "server time", Method: "GET", Path: "/api/v2/public/time", Weight: transport.Weight{IP: 1}, Reading: true}

	commissionsEndpoint = affiliateEndpoint("affiliate commissions", "GET", "/api/v2/broker/customer-commissions")
	inviteesEndpoint    = affiliateEndpoint("affiliate invitees", "POST", "/api/v2/broker/customer-list")
	payoutsEndpoint     = affiliateEndpoint("settled commissions", "GET", "/api/v2/broker/agent-commission")
)

func affiliateEndpoint(name, method, path string) transport.Endpoint {
	return transport.Endpoint{Name: name, Method: method, Path: path, Weight: transport.Weight{IP: 1, UID: 1}, Signed: true, Reading: true, Every: every}
}
