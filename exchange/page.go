package exchange

import "rebatedesk/exchange/wire"

// Page is one page of records, in the order the exchange gave them.
type Page[T any] = wire.Page[T]
