// Package worklist reports the invitees to call today, with the reasons, and what came of earlier
// contacts.
package worklist
