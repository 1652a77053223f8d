// Package ticket has the pages that send orders: tickets and their checks, the review and the
// outcome of an intent, the log of all intents, cancellations, and the stop of all sending. Only its
// routes need the permission to trade.
package ticket

import (
	"rebatedesk/web/console"
)

// Area holds the handlers.
type Area struct{ *console.Base }
