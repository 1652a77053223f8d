// Package rates compares what was agreed with what was paid: for each record the rate that
// should have applied, and the deviations gathered into findings. Where nothing was agreed, it
// finds the records at which a rate that was constant changed.
//
// Sums of days answer where they can: on most days all records of an invitee have one rate.
// Records are read only of the other days. All amounts are exact.
package rates
