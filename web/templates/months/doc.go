// Package months has the pages on which months are closed.
package months
