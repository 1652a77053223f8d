// Package worklist stores what managers did about the invitees whom it is worth calling.
package worklist
