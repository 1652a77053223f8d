// Package statements makes the statements of a month to sub-affiliates: what is due to each
// by the agreed terms, what changed since a statement was issued, and its files.
package statements
