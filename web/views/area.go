// Package views has the handlers of the saved views.
package views

import (
	"rebatedesk/reports"
	"rebatedesk/web/handler"
)

// Area is the saved views.
type Area struct {
	*handler.Base
	Desk *reports.Service // nil: there are none
}

func New(b *handler.Base, desk *reports.Service) *Area { return &Area{b, desk} }
