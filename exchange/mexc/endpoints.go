package mexc

import (
	"time"

	"rebatedesk/exchange/transport"
)

// every lets the calls of an account go one at a time, far below 500 in ten seconds.
const every = 25 * time.Millisecond

var (
	timeEndpoint = transport.Endpoint{Name: "server time", Method: "GET", Path: "/api/v3/time", Weight: transport.Weight{IP: 1}, Reading: true}

	commissionsEndpoint = affiliateEndpoint("affiliate commissions", "/api/v3/rebate/affiliate/commission/detail")
	inviteesEndpoint    = affiliateEndpoint("affiliate invitees", "/api/v3/rebate/affiliate/commission")
)

func affiliateEndpoint(name, path string) transport.Endpoint {
	return transport.Endpoint{Name: name, Method: "GET", Path: path, Weight: transport.Weight{IP: 1, UID: 1}, Signed: true, Reading: true, Every: every}
}
