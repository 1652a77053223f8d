package sums

import (
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/rollup"
)

// inDays reports whether the roll-up of days can answer the query.
func inDays(r *store.Tx, f records.CommissionFilter) bool {
	return inBlocks(r, f, rollup.ByUID) && inBlocks(r, f, rollup.BySymbol)
}

// inBlocks reports whether the blocks with lines of a kind can answer the query. Otherwise
// the rows are read.
func inBlocks(r *store.Tx, f records.CommissionFilter, k rollup.Grouping) bool {
	if !r.Rolled() || f.AsOf.Known() || f.Text != "" {
		return false
	}
	if f.Members.Single() && k != rollup.ByUID && k != rollup.ByPair {
		return false // the lines do not say whose they are
	}
	switch k {
	case rollup.ByUID:
		return f.Symbol == ""
	case rollup.ByCode:
		return f.Symbol == "" && f.UID == ""
	case rollup.ByPair:
		return f.UID != ""
	}
	return f.UID == "" && f.Code == ""
}

// pairsOfPeople reports whether the months by invitee and pair can answer the query, with rows
// of the days at its edges.
func pairsOfPeople(r *store.Tx, f records.CommissionFilter) bool {
	return r.Rolled() && !f.AsOf.Known() && f.Text == ""
}

// inRollup returns the condition on the roll-up of days.
func inRollup(f records.CommissionFilter) store.Where {
	var w store.Where
	w.Add(`c.day BETWEEN ? AND ?`, f.Days.First.String(), f.Days.Last.String())
	f.Common(&w)
	return w
}
