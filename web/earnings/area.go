// Package earnings has the handlers of what is earned: the overview, the
// commissions and what needs attention.
package earnings

import (
	"rebatedesk/web/handler"
)

// Area is what is earned: the overview, the commissions and what needs
// attention.
type Area struct{ *handler.Base }

func New(b *handler.Base) *Area { return &Area{b} }
