// Package earnings has the handlers of what was earned: the overview, the commissions by
// several views, and the findings that need attention.
package earnings

import (
	"rebatedesk/web/handler"
)

// Area holds the handlers.
type Area struct{ *handler.Base }

func New(b *handler.Base) *Area { return &Area{b} }
