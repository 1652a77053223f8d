// Package store opens the database and holds what all its domains share: the connection,
// the migrations, transactions, batches, exact sums in SQL, and the rules for text that
// people enter. Each domain is a package below it: records, rollup, sums, identity, audit,
// outbox, orders, people, upkeep.
//
// A domain's functions take either a [Tx], and read or write within it, or the [Store], and
// open a separate transaction. A transaction that reads sees one state of the database,
// whatever is written meanwhile. Amounts are TEXT and are added exactly, in Go or by
// decimal_sum and decimal_add, never by the engine's floating-point arithmetic.
package store
