// Package summaries has the handlers of what is sent by mail: schedules, alerts,
// deliveries, and the link that ends it.
package summaries

import (
	"rebatedesk/web/handler"
)

// Area is what is sent by mail.
type Area struct {
	*handler.Base
	NoLinks bool        // it is not known where browsers find the server
	stops   rateLimiter // of those who follow the links of mails
	byHand  rateLimiter // of those who have mails sent
}

func New(b *handler.Base, noLinks bool) *Area {
	return &Area{Base: b, NoLinks: noLinks,
		stops: rateLimiter{every: stopEvery, atOnce: stopsAtOnce}, byHand: rateLimiter{every: byHandEvery, atOnce: byHandAtOnce}}
}
