package export

import "rebatedesk/affiliate"

const millisADay = 24 * 60 * 60 * 1000

// clock writes instants as RFC 3339 in UTC with milliseconds. It keeps the day it wrote
// last: a column of times repeats it for thousands of rows, and formatting it each time
// would take most of the time of a long export.
type clock struct {
	day  int64
	text string // of the day; empty before the first
}

// append writes an instant, which must be known.
func (c *clock) append(b []byte, at affiliate.Millis) []byte {
	day, rest := int64(at)/millisADay, int64(at)%millisADay
	if rest < 0 { // before 1970
		day, rest = day-1, rest+millisADay
	}
	if c.text == "" || day != c.day {
		c.day, c.text = day, at.Time().Format("2006-01-02T")
	}
	b = append(b, c.text...)
	b = append(appendDigits(b, rest/3_600_000, 2), ':')
	b = append(appendDigits(b, rest/60_000%60, 2), ':')
	b = append(appendDigits(b, rest/1000%60, 2), '.')
	return append(appendDigits(b, rest%1000, 3), 'Z')
}

// appendDigits writes n with leading zeros.
func appendDigits(b []byte, n int64, digits int) []byte {
	for range digits {
		b = append(b, '0')
	}
	for i := len(b) - 1; n > 0; i-- {
		b[i] = byte('0' + n%10)
		n /= 10
	}
	return b
}
