// Package crashpoint names the steps of the write paths, from the first row of
// the schema to the end of a run, from the draft of an order to its outcome and
// from a summary to its delivery, so that tests can end the process at each of
// them. In the program itself nobody watches, and a step costs one comparison.
package crashpoint

import "sync/atomic"

// Point is a step of the write path.
type Point int

// The steps, in the order of the work. Those within a transaction lie between
// two of its statements: a process that ends there must leave nothing of it.
const (
	SchemaApplied Point = iota

	DeadRunsEnded
	RunOpened
	WindowRead

	RollupsEmptied
	RollupsRemade
	RowsCompared
	RollupsLessened
	RowClosed
	CommissionOpened
	CommissionsOpened
	RollupOfDaysWritten
	RollupsWritten
	RollupsTidied
	InviteeChangeNoted
	InviteeWritten
	SubAffiliateDaysClosed
	SubAffiliateDayOpened

	SliceReplaced
	SliceCovered
	SliceLogged
	SliceCounted
	SliceCommitted
	FailureNoted

	RunClosed
	RunCommitted

	IntentWritten
	IntentCommitted
	SendingWritten
	SendingCommitted
	OrderAnswered
	OutcomeWritten
	OutcomeCommitted

	SummaryWritten
	DeliveriesWritten
	SummaryQueued
	DeliveryTaken
	DeliveryTalked
	DeliveryNoted
	FactsWritten
	DigestNoted

	points
)

var names = [points]string{
	SchemaApplied:          "schema: a migration applied, not committed",
	DeadRunsEnded:          "run: those that died ended, this one not opened",
	RunOpened:              "run: opened and committed",
	WindowRead:             "window: read, not given to the store",
	RollupsEmptied:         "roll-ups: emptied for another zone",
	RollupsRemade:          "roll-ups: made anew in another zone",
	RowsCompared:           "commissions: rows read and compared",
	RollupsLessened:        "commissions: roll-ups lessened, rows still open",
	RowClosed:              "rows: one closed",
	CommissionOpened:       "commissions: one opened",
	CommissionsOpened:      "commissions: all opened, roll-ups not written",
	RollupOfDaysWritten:    "roll-ups: days written, invitees not",
	RollupsWritten:         "roll-ups: written, empty ones not dropped",
	RollupsTidied:          "roll-ups: empty ones of a day dropped",
	InviteeChangeNoted:     "invitees: change noted, not made",
	InviteeWritten:         "invitees: one written",
	SubAffiliateDaysClosed: "sub-affiliate days: closed, none opened",
	SubAffiliateDayOpened:  "sub-affiliate days: one opened",
	SliceReplaced:          "slice: rows written, not covered",
	SliceCovered:           "slice: covered, not logged",
	SliceLogged:            "slice: logged, run not counted",
	SliceCounted:           "slice: all written, not committed",
	SliceCommitted:         "slice: committed",
	FailureNoted:           "failure: noted, not logged",
	RunClosed:              "run: closed, not committed",
	RunCommitted:           "run: closed and committed",
	IntentWritten:          "intent: written, not committed",
	IntentCommitted:        "intent: committed, nothing sent",
	SendingWritten:         "sending: written, not committed",
	SendingCommitted:       "sending: committed, nothing sent",
	OrderAnswered:          "order: answered, the outcome not written",
	OutcomeWritten:         "outcome: written, not committed",
	OutcomeCommitted:       "outcome: committed",
	SummaryWritten:         "summary: written, its deliveries not",
	DeliveriesWritten:      "summary: all written, not committed",
	SummaryQueued:          "summary: committed",
	DeliveryTaken:          "delivery: taken up, nothing sent",
	DeliveryTalked:         "delivery: the server answered, not noted",
	DeliveryNoted:          "delivery: noted",
	FactsWritten:           "alert: facts and message written, its deliveries not",
	DigestNoted:            "digest: its periods written as told, its message not",
}

func (p Point) String() string { return names[p] }

// All lists the steps of collecting in their order.
func All() []Point { return from(SchemaApplied, RunCommitted) }

// Orders lists the steps of an order in their order.
func Orders() []Point { return from(IntentWritten, OutcomeCommitted) }

// Mail lists the steps of a summary in their order.
func Mail() []Point { return from(SummaryWritten, DeliveryNoted) }

// Alerts lists the steps of an alert. They are those of a summary, and one more.
func Alerts() []Point { return append(Mail(), FactsWritten) }

// Digests lists the steps of a mail that tells of several periods. They are those
// of a summary, and one more.
func Digests() []Point { return append(Mail(), DigestNoted) }

func from(first, last Point) []Point {
	steps := make([]Point, last-first+1)
	for i := range steps {
		steps[i] = first + Point(i)
	}
	return steps
}

var watcher atomic.Pointer[func(Point)]

// Pass says that the work has come to a step.
func Pass(p Point) {
	if watch := watcher.Load(); watch != nil {
		(*watch)(p)
	}
}

// Watch has every step told to watch, in the goroutine that does the work;
// nil ends it. It is for tests only.
func Watch(watch func(Point)) {
	if watch == nil {
		watcher.Store(nil)
		return
	}
	watcher.Store(&watch)
}
