// Package views has the handlers of the saved views.
package views

import (
	"rebatedesk/reports"
	"rebatedesk/web/handler"
)

// Area holds the handlers of the saved views.
type Area struct {
	*handler.Base
	Desk *reports.Service // nil: saved views are off
}

func New(b *handler.Base, desk *reports.Service) *Area { return &Area{b, desk} }
