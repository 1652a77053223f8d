// Package worklist has the handlers of the worklist: the invitees to call, and what managers
// did about it.
package worklist

import (
	"rebatedesk/reports"
	"rebatedesk/web/handler"
)

// Area holds the handlers of the worklist.
type Area struct {
	*handler.Base
	Desk *reports.Service // writing; nil: it is off
}

func New(b *handler.Base, desk *reports.Service) *Area { return &Area{b, desk} }
