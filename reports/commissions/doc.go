// Package commissions lists commission records, and how they changed after their days had
// been collected.
package commissions
