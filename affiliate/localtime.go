package affiliate

import "time"

// LocalTime returns the instant at which clocks of a zone show a time of a day. If
// clocks go back and show it twice, it is the first of the two; if they go forward and
// never show it, it is the instant of the change.
//
// time.Date promises neither.
func LocalTime(year int, month time.Month, day, hour, minute int, zone *time.Location) time.Time {
	shown := time.Date(year, month, day, hour, minute, 0, 0, time.UTC)
	// Among all offsets that apply within a day or so, one is that of the instant.
	from, until := shown.Add(-36*time.Hour), shown.Add(36*time.Hour)
	var after time.Time
	for t := from; t.Before(until); {
		start, end := t.In(zone).ZoneBounds()
		_, offset := t.In(zone).Zone()
		at := shown.Add(-time.Duration(offset) * time.Second)
		if !at.Before(start) && (end.IsZero() || at.Before(end)) {
			return at.In(zone)
		}
		if at.Before(start) && after.IsZero() {
			after = start // the clocks skipped it
		}
		if end.IsZero() {
			break
		}
		t = end
	}
	return after.In(zone)
}
