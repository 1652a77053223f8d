// Package drivers draws the page that explains a change in commission, and its part of the
// overview.
package drivers
