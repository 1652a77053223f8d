// Package books compares what the exchange says was earned with what it paid: it finds the
// rule by which commissions are paid out, assigns each bill to the period that it pays for,
// and says which payments are missing, short, late or without a reason. It works on values
// alone, without access to the store.
package books
