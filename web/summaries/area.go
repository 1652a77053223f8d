// Package summaries has the handlers of the mails: schedules, alerts, deliveries, and
// the link that ends them.
package summaries

import (
	"rebatedesk/web/handler"
)

// Area holds the handlers of the mails.
type Area struct {
	*handler.Base
	NoLinks bool                // the public address of the server is unknown
	stops   handler.RateLimiter // of clients that follow the links of mails
	drafts  draftsKept
}

func New(b *handler.Base, noLinks bool) *Area {
	return &Area{Base: b, NoLinks: noLinks,
		stops: handler.RateLimiter{Every: stopEvery, AtOnce: stopsAtOnce}}
}
