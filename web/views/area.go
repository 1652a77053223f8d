// Package views has the handlers of the saved views.
package views

import (
	"rebatedesk/web/handler"
)

// Area is the saved views.
type Area struct {
	*handler.Base
	Desk handler.Desk // nil: there are none
}

func New(b *handler.Base, desk handler.Desk) *Area { return &Area{b, desk} }
