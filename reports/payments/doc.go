// Package payments reports what was earned against what the exchange paid: the rule by which
// it pays, a line for each period, coin and kind, what is outstanding and since when, and the
// tables of bills and payments.
package payments
