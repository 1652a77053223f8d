// Package overview makes the front page, and takes apart why a figure is as it is.
package overview
