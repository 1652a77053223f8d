// Package mail is the scheduled summary: which period is due when, what its
// message says, and the outbox that brings it to each of its recipients.
//
// It takes every figure from package reports and keeps nothing itself: the
// schedules, the outbox and what was said in sent summaries are in the store.
package mail
