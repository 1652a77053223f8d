// Package changes has the page about what became known of the commission between two instants.
package changes
