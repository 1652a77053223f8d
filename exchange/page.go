package exchange

import "rebatedesk/exchange/wire"

// Page is one page of records, in the exchange's order.
type Page[T any] = wire.Page[T]
