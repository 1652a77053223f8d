// Package annotations stores what managers write about days.
package annotations
