// Package ui draws what the pages of all areas share: the frame, forms, filters,
// tables, charts and words. Each area has a separate package next to it, which imports
// this one and no other area's. All text from the exchange or from a query string is
// escaped by templ; there is no raw HTML, no inline script and no style attribute,
// because the content security policy forbids them.
//
// The package sends no queries and decides nothing about figures: it receives reports
// from package reports, and handlers choose the page.
package ui

//go:generate go tool templ generate
