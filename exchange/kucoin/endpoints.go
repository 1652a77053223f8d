package kucoin

import (
	"time"

	"rebatedesk/exchange/transport"
)

// every keeps an account at five calls a second: the limit is not published.
const every = 200 * time.Millisecond

var (
	timeEndpoint = transport.Endpoint{Name: "server time", Method: "GET", Path: "/api/v1/timestamp", Weight: transport.Weight{IP: 1}, Reading: true}

	commissionsEndpoint = affiliateEndpoint("affiliate commissions", "/api/v2/affiliate/queryTransactionByTime")
	inviteesEndpoint    = affiliateEndpoint("affiliate invitees", "/api/v2/affiliate/queryInvitees")
	payoutsEndpoint     = affiliateEndpoint("affiliate payouts", "/api/v2/affiliate/queryMyCommission")
)

func affiliateEndpoint(name, path string) transport.Endpoint {
	return transport.Endpoint{Name: name, Method: "GET", Path: path, Weight: transport.Weight{IP: 1, UID: 1}, Signed: true, Reading: true, Every: every}
}
