// Package store keeps what was collected in SQLite and gives it back: the
// connection, the migrations, the transactions and all SQL of the project,
// one file per table.
//
// It keeps records exactly as they are told and knows nothing of how they were
// fetched or how they will be shown. A slice of records is written whole, in
// one transaction with its roll-ups, its coverage and its log line, so readers
// only ever see whole slices. A [Reader] answers questions about one state:
// sums by day, invitee, pair and invite code, rankings, cohorts and counts of
// active traders, each narrowed by a [CommissionFilter]. Amounts are TEXT and
// are added exactly, in Go or by decimal_sum and decimal_add, never by the
// engine's own floating arithmetic.
package store
