package ui

import (
	"testing"
	"time"

	"rebatedesk/collector"
	"rebatedesk/exchange"
)

// What fails is told as its class says, since when, how far figures reach, and what to do where
// waiting does not help.
func TestFailureWords(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 29, 11, 30, 0, 0, time.UTC)
	since, to, next := now.Add(-9*time.Minute), now.Add(-10*time.Minute), now.Add(6*time.Minute)
	raw := "3 times in a row: affiliate invitees (4.18): no answer: dial tcp 127.0.0.1:9: connect: connection refused; check"
	for name, c := range map[string]struct {
		f       collector.Failure
		several bool
		running bool
		want    string
	}{
		"silent":         {collector.Failure{Class: exchange.ClassTransport, Error: raw, Hint: "check the network", Since: since, ReadTo: to}, false, false, "The exchange has not answered since 11:21 UTC. Figures go up to 11:20 UTC. Next try 11:36 UTC."},
		"never answered": {collector.Failure{Class: exchange.ClassTransport, Error: raw, Hint: "check the address of the exchange that was entered", Since: since}, false, false, "The exchange has not answered since 11:21 UTC. Check the address of the exchange that was entered. Next try 11:36 UTC."},
		"days ago":       {collector.Failure{Class: exchange.ClassUpstream, Error: raw, Since: since.AddDate(0, 0, -3), ReadTo: to}, false, true, "The exchange has not given a usable answer since 26 Nov 2026 11:21 UTC. Figures go up to 11:20 UTC. It is tried again now."},
		"key":            {collector.Failure{Account: "main", Class: exchange.ClassAuth, Error: raw, Hint: "check REBATEDESK_API_KEY", Since: since, ReadTo: to}, true, false, "The exchange has refused the key for the account main since 11:21 UTC. Figures go up to 11:20 UTC. Check REBATEDESK_API_KEY. Next try 11:36 UTC."},
		"this server":    {collector.Failure{Error: "the disk is full", Since: since}, false, false, "Nothing could be collected since 11:21 UTC. The disk is full. Next try 11:36 UTC."},
		"a part":         {collector.Failure{Class: exchange.ClassUpstream, Error: "HTTP 502", Hint: "later", ReadTo: to}, false, false, "A part could not be read: the exchange has not given a usable answer. Next try 11:36 UTC."},
		"too many":       {collector.Failure{Class: exchange.ClassRateLimit, Error: raw, Hint: "lower it", Since: since, ReadTo: to}, false, false, "The exchange has refused requests, as there were too many, since 11:21 UTC. Figures go up to 11:20 UTC. Next try 11:36 UTC."},
		"clock":          {collector.Failure{Class: exchange.ClassClock, Error: raw, Hint: "check the clock of this machine", Since: since, ReadTo: to}, false, false, "The exchange has refused the time of this server since 11:21 UTC. Figures go up to 11:20 UTC. Check the clock of this machine. Next try 11:36 UTC."},
		"no right":       {collector.Failure{Class: exchange.ClassPermission, Error: raw, Hint: "give the key the right to read", Since: since}, false, false, "The exchange has not let the key read since 11:21 UTC. Give the key the right to read. Next try 11:36 UTC."},
		"not understood": {collector.Failure{Class: exchange.ClassMalformed, Error: raw, Hint: "check the address", Since: since, ReadTo: to}, false, false, "The exchange has not given a usable answer since 11:21 UTC. Figures go up to 11:20 UTC. Check the address. Next try 11:36 UTC."},
	} {
		r := CollectionRun{Zone: time.UTC, Progress: collector.Progress{Running: c.running, Several: c.several, Now: now, Next: next, Failures: []collector.Failure{c.f}}}
		if got := r.FailureWords(c.f) + " " + r.FailureRest(c.f); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", name, got, c.want)
		}
	}
	running := CollectionRun{Progress: collector.Progress{Running: true, Failures: []collector.Failure{{Error: "a part"}, {Error: "all", Since: since}}}}
	if told := running.told(); len(told) != 1 || told[0].Error != "all" {
		t.Errorf("during a collection %+v is told", told)
	}
}
