// Package payments has the handlers of the pages on which what was earned is compared with
// what was paid, and of the notes and rules that people add.
package payments

import (
	"rebatedesk/reports"
	"rebatedesk/web/handler"
)

// Area holds the handlers of payments.
type Area struct {
	*handler.Base
	Desk *reports.Service // notes and rules; nil: writing is off
}

func New(b *handler.Base, desk *reports.Service) *Area { return &Area{b, desk} }
