package payments

// Query returns the statement of [Bills] and its arguments.
func (f BillFilter) Query() (string, []any) { return f.query() }
