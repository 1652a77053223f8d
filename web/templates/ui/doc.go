// Package ui draws what the pages of all areas share: the frame, forms, filters,
// tables, charts and words. Each area has a package of its own beside it, which
// imports this one and no other area's. Everything that comes from the exchange or from a query
// string goes through templ's escaping; there is no raw HTML, no inline script
// and no style attribute, because the content security policy forbids them.
//
// It asks nothing and decides nothing about figures: reports come in as
// package reports gives them, and handlers choose the page.
package ui

//go:generate go tool templ generate
