// Package payments has the templates of the pages on which what was earned is compared with
// what was paid.
package payments
