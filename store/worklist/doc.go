// Package worklist stores what managers did about the invitees of the worklist.
package worklist
