// Package templates draws the pages: templ components and the finished values
// they are given. Everything that comes from the exchange or from a query
// string goes through templ's escaping; there is no raw HTML, no inline script
// and no style attribute, because the content security policy forbids them.
//
// It asks nothing and decides nothing about figures: reports come in as
// package reports gives them, and handlers of package web choose the page.
package templates

//go:generate go tool templ generate
