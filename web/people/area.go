// Package people has the handlers of who brings it in: invitees, invite codes,
// cohorts and sub-affiliates, and what is written about them.
package people

import (
	"rebatedesk/web/handler"
)

// Area is who brings it in: invitees, invite codes, cohorts and
// sub-affiliates.
type Area struct {
	*handler.Base
	Desk handler.Desk // what people write; nil: nothing can be written
}

func New(b *handler.Base, desk handler.Desk) *Area { return &Area{b, desk} }
