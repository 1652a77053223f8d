// Package invitecodes reports the results of each invite code.
package invitecodes
