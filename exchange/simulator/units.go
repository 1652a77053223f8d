package simulator

const (
	minute = int64(60_000)
	hour   = 60 * minute
	day    = 24 * hour
)
