// Package commissions lists commission records, and what changed of them after their
// days had been collected.
package commissions
