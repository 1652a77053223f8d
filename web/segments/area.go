// Package segments has the handlers of segments of invitees.
package segments

import (
	"rebatedesk/reports"
	"rebatedesk/web/handler"
)

// Area holds the handlers of segments.
type Area struct {
	*handler.Base
	Desk *reports.Service // writing; nil: it is off
}

func New(b *handler.Base, desk *reports.Service) *Area { return &Area{b, desk} }
