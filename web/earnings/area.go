// Package earnings has the handlers of the earnings: the overview, the commissions and
// the findings that need attention.
package earnings

import (
	"rebatedesk/web/handler"
)

// Area holds the handlers of the overview, the commissions and the findings that need
// attention.
type Area struct{ *handler.Base }

func New(b *handler.Base) *Area { return &Area{b} }
