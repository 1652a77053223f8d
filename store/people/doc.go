// Package people stores what managers write about invitees: tags and notes.
package people
