// Package rates has the handlers of the agreed rates, and of what was paid against them.
package rates

import (
	"rebatedesk/reports"
	"rebatedesk/web/handler"
)

// Area holds the handlers of rates.
type Area struct {
	*handler.Base
	Desk *reports.Service // writing; nil: it is off
}

func New(b *handler.Base, desk *reports.Service) *Area { return &Area{b, desk} }
