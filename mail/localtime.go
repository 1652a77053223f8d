package mail

import "time"

// localTime is the instant at which clocks of a zone show a time of a day. Where
// clocks go back it is the first of the two; where they go forward and never
// show the time, it is the instant of the change.
//
// time.Date promises neither.
func localTime(year int, month time.Month, day, hour, minute int, zone *time.Location) time.Time {
	shown := time.Date(year, month, day, hour, minute, 0, 0, time.UTC)
	// Of all offsets that hold within a day or so, one is that of the instant.
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
			after = start // the clocks were put past it
		}
		if end.IsZero() {
			break
		}
		t = end
	}
	return after.In(zone)
}
