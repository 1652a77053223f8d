// Package returns reports what was spent on codes, tags, segments and single people, and what
// came back as commission.
package returns
