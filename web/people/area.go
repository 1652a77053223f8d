// Package people has the handlers of invitees, invite codes, cohorts and
// sub-affiliates, and of the notes about them.
package people

import (
	"rebatedesk/reports"
	"rebatedesk/web/handler"
)

// Area holds the handlers of invitees, invite codes, cohorts and sub-affiliates.
type Area struct {
	*handler.Base
	Desk *reports.Service // notes and labels; nil: writing is off
}

func New(b *handler.Base, desk *reports.Service) *Area { return &Area{b, desk} }
