// Package histories has the pages about what happened in an account: fills, bills of both accounts
// and transfers, of the exchange and as they are stored here.
package histories

import (
	"rebatedesk/web/console"
)

// Area holds the handlers.
type Area struct {
	*console.Base
	readings   readings
	currencies currencies
}
