package syndication

import (
	"encoding/xml"
	"strings"
	"testing"
	"time"

	ics "github.com/arran4/golang-ical"

	"rebatedesk/affiliate"
)

// hostile are texts that break formats: separators, control characters, ends of lines, and
// characters of several bytes at every place where a line may be folded.
var hostile = []string{
	"", "a,b;c\\d:e", "two\nlines\r\nEND:VCALENDAR", "\x00\x1b[31m\ufffe", "\xff broken", "<b>&amp;]]></b>", strings.Repeat("é", 100), strings.Repeat("x", 74) + "😀", strings.Repeat("x", 61) + "😀😀😀",
}

// plain is what remains of a text: its characters but controls, and ends of lines.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

func TestCalendar(t *testing.T) {
	t.Parallel()
	day := affiliate.NewDay(2028, time.February, 29)
	for _, text := range hostile {
		calendar := Calendar(DateList{Name: text, Product: "Rebatedesk", Stamp: time.Unix(0, 0), Every: time.Hour, Dates: []Date{{UID: "1", Day: day, Summary: text, Detail: "d" + text}}})
		for line := range strings.SplitSeq(strings.TrimSuffix(string(calendar), "\r\n"), "\r\n") {
			if len(line) > 75 || strings.ContainsAny(line, "\r\n") || strings.ToValidUTF8(line, "") != line {
				t.Errorf("%q is no line", line)
			}
		}
		parsed, err := ics.ParseCalendar(strings.NewReader(string(calendar)))
		if err != nil || len(parsed.Events()) != 1 {
			t.Fatalf("%q: %v", text, err)
		}
		event := parsed.Events()[0]
		if got := ics.FromText(event.GetProperty(ics.ComponentPropertySummary).Value); got != plain(text) {
			t.Errorf("%q is read as %q", text, got)
		}
		if begins, err := event.GetAllDayStartAt(); err != nil || begins.Format(time.DateOnly) != "2028-02-29" {
			t.Errorf("begins %s (%v)", begins, err)
		}
		if ends, err := event.GetAllDayEndAt(); err != nil || ends.Format(time.DateOnly) != "2028-03-01" {
			t.Errorf("ends %s (%v)", ends, err)
		}
	}
}

func TestAtom(t *testing.T) {
	t.Parallel()
	for _, text := range hostile {
		feed, err := Atom(EntryList{ID: "tag:desk,2026:x", Title: text, Author: "a", Updated: time.Unix(1, 0), Entries: []Item{{ID: "tag:desk,2026:y", Title: "t", Text: text, Page: "https://desk.example.com/?a=1&b=2"}}})
		if err != nil {
			t.Fatal(err)
		}
		var read struct {
			Title string `xml:"title"`
			Entry struct {
				Content string `xml:"content"`
				Link    struct {
					Href string `xml:"href,attr"`
				} `xml:"link"`
			} `xml:"entry"`
		}
		if err := xml.Unmarshal(feed, &read); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		want := strings.ReplaceAll(plain(text), "\ufffe", "")
		if read.Title != want || read.Entry.Content != want || read.Entry.Link.Href != "https://desk.example.com/?a=1&b=2" {
			t.Errorf("%q is read as %+v", text, read)
		}
	}
}
