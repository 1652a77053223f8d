// Package sums answers how much: exact totals by day, invitee, pair, product, code and
// cohort. It uses roll-ups if they can answer, and records otherwise.
package sums
