package exchange

import (
	"rebatedesk/affiliate"
	"rebatedesk/exchange/wire"
)

// Page is one page of records, in the exchange's order.
type Page[T any] = wire.Page[T]

// RecordError is about one record of a list that could not be read. The sequence that yields it
// goes on with the other records.
type RecordError[T any] struct {
	affiliate.Quarantined[T]
	Spared bool // only the field is left out; the record itself follows
}

func (e *RecordError[T]) Error() string {
	return "a record of the exchange could not be read: " + e.Quarantined.String()
}
