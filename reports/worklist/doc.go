// Package worklist reports whom it is worth calling today and why, and what came of earlier
// contacts.
package worklist
