// Package store opens the database and keeps what all its domains share: the
// connection, the migrations, transactions, batches, exact sums in SQL, and the
// rules for what people write. Each domain is a package below it: records, rollup,
// sums, identity, audit, outbox, orders, people, upkeep.
//
// A domain's functions take either a [Tx], and then read or write within it, or the
// [Store], and then open a transaction of their own. A transaction that reads sees
// one state of the database, whatever is written meanwhile. Amounts are TEXT and are
// added exactly, in Go or by decimal_sum and decimal_add, never by the engine's own
// floating arithmetic.
package store
