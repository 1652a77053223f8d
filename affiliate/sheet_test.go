package affiliate

import (
	"testing"
	"time"
)

// A day of UTC+8 is known when it is over and published, and never before; the known time only grows.
func TestDaysAreKnownWhenTheyArePublished(t *testing.T) {
	sheet := Sheet{Grain: GrainDay, DayBegins: 16 * time.Hour, Published: 24 * time.Hour}
	at := func(text string) time.Time {
		when, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	for now, want := range map[string]string{
		"2026-07-02T16:00:00Z": "2026-07-01T16:00:00Z",
		"2026-07-02T15:59:59Z": "2026-06-30T16:00:00Z",
		"2026-07-03T00:00:00Z": "2026-07-01T16:00:00Z",
	} {
		if got := sheet.KnownUntil(Commissions, at(now)); !got.Equal(at(want)) {
			t.Errorf("at %s commissions are known until %s, not %s", now, got, want)
		}
		if got := sheet.KnownUntil(Invitees, at(now)); !got.Equal(at(now)) {
			t.Errorf("at %s invitees are known until %s", now, got)
		}
	}
	sheet.Grain = GrainTrade
	if now := at("2026-07-02T16:00:00Z"); !sheet.KnownUntil(Commissions, now).Equal(now) {
		t.Error("trades are known at once")
	}
}
