// Package invitecodes reports what each invite code brought.
package invitecodes
