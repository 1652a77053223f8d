// Package sums answers how much: exact totals by day, invitee, pair, product, code and
// cohort. Roll-ups answer where they can, and records where they cannot.
package sums
