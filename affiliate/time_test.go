package affiliate_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
)

var zones = []string{"UTC", "Europe/Berlin", "America/Santiago", "Asia/Kathmandu", "Pacific/Apia", "Africa/Cairo", "America/Sao_Paulo", "Asia/Beirut"}

func zone(t interface{ Fatal(...any) }, name string) *time.Location {
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

// Days of any zone follow each other without a gap or an overlap, also where
// a clock change removes or repeats midnight.
func TestDaysTileTime(t *testing.T) {
	for _, name := range zones {
		loc := zone(t, name)
		for day := affiliate.NewDay(2005, 1, 1); day < affiliate.NewDay(2030, 1, 1); day++ {
			span := day.Range(loc)
			if hours := span.To.Sub(span.From).Hours(); name != "Pacific/Apia" && (hours < 23 || hours > 25) {
				t.Fatalf("%s in %s has %v hours", day, name, hours)
			}
			if span.Empty() {
				if name == "Pacific/Apia" && day == affiliate.NewDay(2011, time.December, 30) {
					continue // the island skipped that day
				}
				t.Fatalf("%s in %s is empty", day, name)
			}
			for _, at := range []time.Time{span.From, span.To.Add(-time.Nanosecond)} {
				if got := affiliate.DayOf(at, loc); got != day {
					t.Fatalf("%s lies on %s in %s, want %s", at, got, name, day)
				}
			}
		}
	}
}

func TestDayText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		day := affiliate.Day(rapid.IntRange(0, 60_000).Draw(t, "day"))
		back, err := affiliate.ParseDay(day.String())
		if err != nil || back != day {
			t.Fatalf("%s reads as %s (%v)", day, back, err)
		}
	})
	for _, text := range []string{"", "2026-02-30", "2026-1-1", "01.09.2026", "2026-09-01T00:00:00Z"} {
		if day, err := affiliate.ParseDay(text); err == nil {
			t.Errorf("%q reads as %s", text, day)
		}
	}
}

func TestMillis(t *testing.T) {
	at := affiliate.Millis(1755687731913)
	if got, want := at.String(), "2025-08-20T11:02:11.913Z"; got != want {
		t.Errorf("%d is %s, want %s", at, got, want)
	}
	if unknown := affiliate.Millis(0); unknown.String() != "" || unknown.Known() || !unknown.Time().IsZero() {
		t.Errorf("an unknown instant reads %q", unknown)
	}
	span := affiliate.Range{From: at.Time(), To: (at + 2).Time()}
	if !span.Contains(at) || !span.Contains(at+1) || span.Contains(at+2) || span.Contains(at-1) {
		t.Error("a range takes in its first instant and not its last")
	}
}

func TestClosedSetsKeepUnknownValues(t *testing.T) {
	if s := affiliate.SourceOf("3"); s != "3" || s.SourceType() != "3" || s.Label() != "Source 3" {
		t.Errorf("sourceType 3 became %q", s)
	}
	for _, s := range affiliate.Sources() {
		if affiliate.SourceOf(s.SourceType()) != s {
			t.Errorf("%s does not survive the wire", s)
		}
	}
	if p := affiliate.Product("MARGIN"); p.Known() || p.Label() != "MARGIN" {
		t.Errorf("product MARGIN became %q", p.Label())
	}
}
