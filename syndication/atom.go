package syndication

import (
	"encoding/xml"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// EntryList is a feed of entries, the newest first.
type EntryList struct {
	ID      string // an IRI that stays the same
	Title   string
	Detail  string
	Author  string
	Page    string // address of the page that shows the same; empty: none
	Updated time.Time
	Entries []Item
}

// Item is one entry.
type Item struct {
	ID      string // an IRI that stays the same when the words change
	Title   string
	Text    string // several lines
	Page    string // address; empty: none
	Created time.Time
	Updated time.Time
}

type atomFeed struct {
	XMLName  xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	ID       string      `xml:"id"`
	Title    string      `xml:"title"`
	Subtitle string      `xml:"subtitle,omitempty"`
	Updated  string      `xml:"updated"`
	Author   atomAuthor  `xml:"author"`
	Links    []atomLink  `xml:"link"`
	Entries  []atomEntry `xml:"entry"`
}

type atomAuthor struct {
	Name string `xml:"name"`
}

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Type string `xml:"type,attr"`
	Href string `xml:"href,attr"`
}

type atomEntry struct {
	ID        string      `xml:"id"`
	Title     string      `xml:"title"`
	Published string      `xml:"published"`
	Updated   string      `xml:"updated"`
	Links     []atomLink  `xml:"link"`
	Content   atomContent `xml:"content"`
}

type atomContent struct {
	Type string `xml:"type,attr"`
	Text string `xml:",chardata"`
}

// Atom returns the feed as Atom.
func Atom(f EntryList) ([]byte, error) {
	out := atomFeed{ID: f.ID, Title: printed(f.Title), Subtitle: printed(f.Detail), Updated: instant(f.Updated), Author: atomAuthor{printed(f.Author)}, Links: links(f.Page)}
	for _, e := range f.Entries {
		out.Entries = append(out.Entries, atomEntry{
			ID: e.ID, Title: printed(e.Title), Published: instant(e.Created), Updated: instant(e.Updated),
			Links: links(e.Page), Content: atomContent{"text", printed(e.Text)},
		})
	}
	text, err := xml.MarshalIndent(out, "", "\t")
	if err != nil {
		return nil, fmt.Errorf("writing a feed: %w", err)
	}
	return append([]byte(xml.Header), append(text, '\n')...), nil
}

func links(page string) []atomLink {
	if page == "" {
		return nil
	}
	return []atomLink{{"alternate", "text/html", page}}
}

func instant(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

// printed leaves out the characters that XML cannot hold.
func printed(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && unicode.IsControl(r) || r == '\uFFFE' || r == '\uFFFF' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}
