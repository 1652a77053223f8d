// Package forecast has the handlers of the page on where a month will end.
package forecast

import (
	"rebatedesk/reports"
	"rebatedesk/web/handler"
)

// Area holds the handlers of forecasts.
type Area struct {
	*handler.Base
	Desk *reports.Service // writing; nil: it is off
}

func New(b *handler.Base, desk *reports.Service) *Area { return &Area{b, desk} }
