// Package mail makes scheduled summaries. It determines which period is due when,
// writes the messages, and delivers them to each recipient through the outbox.
//
// It takes every figure from package reports and keeps no data itself: the schedules,
// the outbox and the contents of sent summaries are in the store.
package mail
