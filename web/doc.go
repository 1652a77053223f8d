// Package web is the web server: routes, the guards in front of them, errors and
// the embedded static files. The handlers that turn a query into a page or a file
// stand in packages by area below it, their pages in the package of the same name
// below web/templates.
//
// A handler parses, asks package reports, and renders; what a figure means is
// decided there, how it looks in web/templates, how it is drawn in web/charts.
// Until sign-in exists the server answers to loopback names only.
package web
