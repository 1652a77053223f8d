// Package audit stores the audit log, a chain of lines under a key, and verifies it.
package audit
