// Package outbox stores what is sent when it is due, and what became of it: schedules and alerts
// with their messages, channels, and scheduled deliveries with their files.
package outbox
