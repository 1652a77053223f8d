// Package segments stores saved questions about invitees.
package segments
