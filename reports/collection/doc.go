// Package collection reports how far the exchange has been read: its streams, the calendar
// of their days, and the runs of the collector.
package collection
