package simulated

import (
	"testing"
	"time"
)

// What was made does not depend on how it is asked for, and late and vanishing trades exist.
func TestProgrammeIsTheSameHoweverAsked(t *testing.T) {
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	p := New(Options{Seed: 7, Now: func() time.Time { return now }})
	all := p.All(p.Begin(), now)
	var parts []Trade
	for from := p.Begin(); from.Before(now); from = from.Add(7 * time.Hour) {
		parts = append(parts, p.All(from, from.Add(7*time.Hour))...)
	}
	if len(all) < 500 || len(all) != len(parts) {
		t.Fatalf("%d trades at once, %d in parts", len(all), len(parts))
	}
	late, gone, back := 0, 0, 0
	for i, one := range all {
		if !one.At.Equal(parts[i].At) || one.Invitee != parts[i].Invitee || !one.Commission.Equal(parts[i].Commission) {
			t.Fatalf("trade %d is %+v at once and %+v in parts", i, one, parts[i])
		}
		if one.Listed.After(one.At) {
			late++
		}
		if !one.Gone.IsZero() {
			gone++
		}
		if one.Commission.IsNegative() {
			back++
		}
	}
	if late == 0 || gone == 0 || back == 0 {
		t.Errorf("%d late, %d that vanish, %d taken back", late, gone, back)
	}
	if listed := p.Trades(p.Begin(), now); len(listed) == 0 || len(listed) >= len(all) {
		t.Errorf("%d of %d trades are listed", len(listed), len(all))
	}
}
