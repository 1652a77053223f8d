package listing

import (
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
)

// Within drops the records outside of the days of a window: an answer may have some at its ends. A record
// whose time is not known stays.
func Within[T any](got *exchange.Reading[T], w exchange.Window, at func(T) affiliate.Millis) {
	span := w.Days.Range(time.UTC)
	outside := func(record T) bool { when := at(record); return when.Known() && !span.Contains(when) }
	apart := func(q affiliate.Quarantined[T]) bool { return outside(q.Record) }
	got.Records = slices.DeleteFunc(got.Records, outside)
	got.Quarantined = slices.DeleteFunc(got.Quarantined, apart)
	got.Spared = slices.DeleteFunc(got.Spared, apart)
}
