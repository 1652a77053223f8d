package kucoin

import (
	"time"

	"rebatedesk/exchange/transport"
)

// every keeps an account below five calls a second, that for the time among them: the limit is not published.
const every = 210 * time.Millisecond

var (
	timeEndpoint = transport.Endpoint{Name: "server time", Method: "GET", Path: "/api/v1/timestamp", Weight: transport.Weight{IP: 1}, Reading: true, Every: every}

	commissionsEndpoint = affiliateEndpoint("affiliate commissions", "/api/v2/affiliate/queryTransactionByTime")
	inviteesEndpoint    = affiliateEndpoint("affiliate invitees", "/api/v2/affiliate/queryInvitees")
	payoutsEndpoint     = affiliateEndpoint("affiliate payouts", "/api/v2/affiliate/queryMyCommission")
)

func affiliateEndpoint(name, path string) transport.Endpoint {
	return transport.Endpoint{Name: name, Method: "GET", Path: path, Weight: transport.Weight{IP: 1, UID: 1}, Signed: true, Reading: true, Every: every}
}
