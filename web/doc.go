// Package web is the web server: routes, guards, errors and the embedded static files.
// The handlers that turn a query into a page or a file are in packages by area below
// it, and their pages in the package of the same name below web/templates.
//
// A handler parses the query, calls package reports, and renders the result. Package
// reports decides what a figure means, web/templates how it looks, and web/charts how
// it is drawn. Until sign-in exists the server answers to loopback names only.
package web
