// Package people has the handlers of who brings it in: invitees, invite codes,
// cohorts and sub-affiliates, and what is written about them.
package people

import (
	"rebatedesk/reports"
	"rebatedesk/web/handler"
)

// Area is who brings it in: invitees, invite codes, cohorts and
// sub-affiliates.
type Area struct {
	*handler.Base
	Desk *reports.Service // what people write; nil: nothing can be written
}

func New(b *handler.Base, desk *reports.Service) *Area { return &Area{b, desk} }
