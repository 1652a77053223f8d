// Package outbox stores schedules and alerts, the messages they produced, and the result of
// each delivery.
package outbox
