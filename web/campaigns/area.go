// Package campaigns has the handlers of what brings invitees: invite codes, sub-affiliates, and
// costs with what they brought back.
package campaigns

import (
	"rebatedesk/reports"
	"rebatedesk/web/handler"
)

// Area holds the handlers.
type Area struct {
	*handler.Base
	Desk *reports.Service // writing; nil: it is off
}

func New(b *handler.Base, desk *reports.Service) *Area { return &Area{b, desk} }
