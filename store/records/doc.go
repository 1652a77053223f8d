// Package records stores what the exchange lists: commissions, invitees and sub-affiliate
// days, slice by slice, with their coverage, the runs that read them, rates and
// restatements. Rows are opened and closed, never changed, so that every earlier state can
// be read again.
package records
