package mail

import (
	"errors"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"rebatedesk/store"
	"rebatedesk/store/outbox"
)

// planned returns a valid schedule.
func planned(t testing.TB, change func(*outbox.Subscription)) Schedule {
	t.Helper()
	raw := outbox.Subscription{Ref: outbox.Ref{Kind: outbox.KindSchedule}, Name: "daily", Every: "daily", Weekday: time.Monday, MonthDay: 1, Hour: 7, Zone: "UTC", Deadline: 12,
		Recipients: []outbox.Recipient{{Address: "boss@example.com"}}}
	if change != nil {
		change(&raw)
	}
	s, err := ParseSchedule(raw)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSchedulesThatCannotBe(t *testing.T) {
	for want, change := range map[string]func(*outbox.Subscription){
		"hourly":           func(s *outbox.Subscription) { s.Every = "hourly" },
		"no time zone":     func(s *outbox.Subscription) { s.Zone = "Mars/Olympus" },
		"no time zone “Lo": func(s *outbox.Subscription) { s.Zone = "Local" },
		"no time 24":       func(s *outbox.Subscription) { s.Hour = 24 },
		"from 1 to 31":     func(s *outbox.Subscription) { s.MonthDay = 32 },
		"day of the week":  func(s *outbox.Subscription) { s.Weekday = 7 },
		"deadline":         func(s *outbox.Subscription) { s.Deadline = 24 },
		"below which":      func(s *outbox.Subscription) { s.SkipBelow = "1" },
		"of a correction":  func(s *outbox.Subscription) { s.CorrectAbove, s.CorrectCoin = "-1", "USDT" },
		"no section":       func(s *outbox.Subscription) { s.Sections = []string{"charts"} },
		"recipients":       func(s *outbox.Subscription) { s.Recipients = nil },
		"twice": func(s *outbox.Subscription) {
			s.Recipients = []outbox.Recipient{{Address: "a@b.c"}, {Address: "A@b.c"}}
		},
		"no mail address":    func(s *outbox.Subscription) { s.Recipients[0].Address = "a@b.c\r\nBcc: d@e.f" },
		"no mail address: g": func(s *outbox.Subscription) { s.Recipients[0].Address = "b\u202eucher@example.com" },
		"(hello)":            func(s *outbox.Subscription) { s.Recipients[0].Address = "x@y.z (hello)" },
		"Boss <":             func(s *outbox.Subscription) { s.Recipients[0].Address = "Boss <x@y.z>" },
	} {
		raw := planned(t, nil).Subscription
		raw.Recipients = []outbox.Recipient{{Address: "boss@example.com"}}
		change(&raw)
		_, err := ParseSchedule(raw)
		if _, ok := errors.AsType[*store.RuleError](err); !ok || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}
