// Package outbox stores schedules and alerts, the messages they made, and how each was
// delivered.
package outbox
