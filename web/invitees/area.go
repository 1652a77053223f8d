// Package invitees has the handlers of invitees and of groups of them, cohorts and segments,
// and of what people write about them.
package invitees

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
