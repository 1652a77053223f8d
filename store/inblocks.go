package store

// inDays reports whether the roll-up of days can answer the question.
func (r *Tx) inDays(f CommissionFilter) bool {
	return r.inBlocks(f, byUID) && r.inBlocks(f, bySymbol)
}

// inBlocks reports whether the blocks with lines of a kind can answer the
// question. What they cannot is read from the rows.
func (r *Tx) inBlocks(f CommissionFilter, k kind) bool {
	if !r.Rolled() || f.AsOf.Known() || f.Text != "" {
		return false
	}
	if k == byUID {
		return f.Symbol == ""
	}
	return f.UID == "" && f.Code == ""
}

// inRollup is the condition on the roll-up of days.
func inRollup(f CommissionFilter) where {
	var w where
	w.add(`c.day BETWEEN ? AND ?`, f.Days.First.String(), f.Days.Last.String())
	f.common(&w)
	return w
}
