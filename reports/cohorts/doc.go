// Package cohorts follows the invitees who registered in the same week or month.
package cohorts
