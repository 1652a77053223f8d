// Package syndication writes what other programs subscribe to: calendars (RFC 5545) and feeds (RFC 4287).
// It has no access to figures, and equal input gives equal bytes.
package syndication

import (
	"bytes"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"rebatedesk/affiliate"
)

// DateList is a calendar of whole days.
type DateList struct {
	Name    string
	Product string // that made it
	Stamp   time.Time
	Every   time.Duration // how often it is worth reading again; whole minutes
	Dates   []Date
}

// Date is an event of one day.
type Date struct {
	UID     string // stays the same when the words change
	Day     affiliate.Day
	Summary string
	Detail  string // several lines
	URL     string // empty: none
	Urgent  bool
}

// MediaTypes of the two formats.
const (
	CalendarType = "text/calendar; charset=utf-8"
	AtomType     = "application/atom+xml; charset=utf-8"
)

// Calendar returns the calendar as iCalendar.
func Calendar(c DateList) []byte {
	var b bytes.Buffer
	line := func(name, value string) { fold(&b, name+":"+value) }
	line("BEGIN", "VCALENDAR")
	line("VERSION", "2.0")
	line("PRODID", escaped("-//"+c.Product+"//EN"))
	line("CALSCALE", "GREGORIAN")
	line("NAME", escaped(c.Name)) // RFC 7986; older programs read the next line
	line("X-WR-CALNAME", escaped(c.Name))
	line("REFRESH-INTERVAL;VALUE=DURATION", minutes(c.Every))
	line("X-PUBLISHED-TTL", minutes(c.Every))
	for _, d := range c.Dates {
		line("BEGIN", "VEVENT")
		line("UID", escaped(d.UID))
		line("DTSTAMP", c.Stamp.UTC().Format("20060102T150405Z"))
		line("DTSTART;VALUE=DATE", d.Day.Format("20060102"))
		line("DTEND;VALUE=DATE", (d.Day + 1).Format("20060102")) // excluded
		line("SUMMARY", escaped(d.Summary))
		if d.Detail != "" {
			line("DESCRIPTION", escaped(d.Detail))
		}
		if d.URL != "" {
			line("URL", d.URL)
		}
		if d.Urgent {
			line("PRIORITY", "1")
		}
		line("TRANSP", "TRANSPARENT") // nobody is busy because of it
		line("END", "VEVENT")
	}
	line("END", "VCALENDAR")
	return b.Bytes()
}

// minutes writes a duration as RFC 5545 does.
func minutes(d time.Duration) string { return "PT" + strconv.Itoa(int(d/time.Minute)) + "M" }

// escaped writes a text value. Control characters, which no line may have, are left out.
func escaped(text string) string {
	var b strings.Builder
	for _, r := range strings.ToValidUTF8(text, "\uFFFD") {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\\' || r == ';' || r == ',':
			b.WriteByte('\\')
			b.WriteRune(r)
		case unicode.IsControl(r):
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// lineBytes is the longest line, without its end.
const lineBytes = 75

// fold writes a line, in parts that do not divide a character.
func fold(b *bytes.Buffer, line string) {
	room := lineBytes
	for len(line) > room {
		cut := room
		for !utf8.RuneStart(line[cut]) {
			cut--
		}
		b.WriteString(line[:cut])
		b.WriteString("\r\n ")
		line, room = line[cut:], lineBytes-1
	}
	b.WriteString(line)
	b.WriteString("\r\n")
}
