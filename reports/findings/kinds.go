package findings

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"rebatedesk/reports/recent"
	"rebatedesk/store/outbox"
)

// Kind is one fact that something is wrong or worth knowing. What is nil or empty is not made of it.
type Kind struct {
	Finding Finding // any one: the name of its type is the name of the kind
	Check   *Check  // how it is found; nil: it is none, or the check of another kind finds it
	Alert   *Alert
	Events  []Event // an alert tells programs of the first of them that one of its facts is, or of the last
	// Headline summarizes facts in a few words; w has the limits of an alert.
	Headline func(w *Watched, facts []outbox.Fact) string
	Gauges   []Gauge
	Measure  func(context.Context, *Measuring) error // adds the samples of Gauges
}

// Check finds kinds of findings in the present.
type Check struct {
	Place    int    // among the checks: those with a smaller one come before
	Of       string // what it looks for: "missing days"
	Said     string // the same with its limits, as it is listed below what was found; may be empty
	NoPast   bool   // it finds nothing in a past state
	Bound    bool   // it may be made for users who see some invitees only
	Segments bool   // it may be made for the invitees of a segment
	Find     func(context.Context, *recent.Snapshot) ([]Finding, error)
}

// Alert is a kind as a condition that users set and are told of.
type Alert struct {
	Name  string // stored with each alert
	Place int    // among the conditions: those with a smaller one come before
	Title string // in a few words
	When  string // in sentences, when it is told
	Help  string // the same in the help of the command, with its flags

	// What its users set besides; zero and empty are not asked for.
	Hours   int    // how long it must last: what is usual
	Percent int    // of the usual: what is usual
	Amount  string // explains the amount, which has a coin
	Coin    string // explains the coin, which may be left out

	Segments bool // it may be about the invitees of a segment
	Users    bool // it may be about the invitees to whom a user is bound
	Lapses   bool // what was held back is dropped once it no longer holds

	Words   func(*Watched) string // the condition of one alert in words
	Signals func(context.Context, *Watched) ([]Signal, error)
}

// Event is a kind as an event that channels are told of.
type Event struct {
	Name  string // stored with each channel, and told to programs
	Place int    // among the events: those with a smaller one come before
	Label string // in the form of a channel
	When  string // in the description for programs
	Key   string // how the keys of its facts begin
	State string // how they end, if the kind has several events
	// Signals finds it; nil: whatever makes it happen tells of it.
	Signals func(context.Context, *Watched) ([]Signal, error)
}

// Gauge is a figure for monitoring.
type Gauge struct {
	Name, Help string
	Amount     bool // it is an amount of a coin, of which monitoring keeps about 15 digits
	Labels     []string
}

var kinds []*Kind

// register adds a kind to the vocabulary.
func register(k Kind) *Kind {
	kinds = append(kinds, &k)
	return &k
}

// Kinds lists the vocabulary.
func Kinds() []*Kind { return kinds }

// Checks lists the checks in the order in which they are made.
func Checks() (list []*Check) {
	for _, k := range kinds {
		if k.Check != nil {
			list = append(list, k.Check)
		}
	}
	slices.SortFunc(list, func(a, b *Check) int { return a.Place - b.Place })
	return list
}

// Alerts lists the conditions in the order in which they are offered.
func Alerts() (list []*Alert) {
	for _, k := range kinds {
		if k.Alert != nil {
			list = append(list, k.Alert)
		}
	}
	slices.SortFunc(list, func(a, b *Alert) int { return a.Place - b.Place })
	return list
}

// AlertNames lists the names of the conditions that have something, in the order of [Alerts].
func AlertNames(has func(*Alert) bool) (names []string) {
	for _, a := range Alerts() {
		if has == nil || has(a) {
			names = append(names, a.Name)
		}
	}
	return names
}

// Events lists the events in the order in which they are offered.
func Events() (list []Event) {
	for _, k := range kinds {
		list = append(list, k.Events...)
	}
	slices.SortFunc(list, func(a, b Event) int { return a.Place - b.Place })
	return list
}

// EventNames lists the names of [Events].
func EventNames() (names []string) {
	for _, e := range Events() {
		names = append(names, e.Name)
	}
	return names
}

// AlertKind returns the kind of a condition; nil if there is none of that name.
func AlertKind(name string) *Kind {
	for _, k := range kinds {
		if k.Alert != nil && k.Alert.Name == name {
			return k
		}
	}
	return nil
}

// EventKind returns the kind of an event, with the event; nil if there is none of that name.
func EventKind(name string) (*Kind, Event) {
	for _, k := range kinds {
		for _, e := range k.Events {
			if e.Name == name {
				return k, e
			}
		}
	}
	return nil, Event{}
}

// Is reports whether a fact with the key is of the event.
func (e Event) Is(key string) bool {
	return strings.HasPrefix(key, e.Key) && strings.HasSuffix(key, e.State)
}

// EventOf returns the name of the event that an alert tells programs of. Conditions that are no event
// of a channel have names of their own.
func (k *Kind) EventOf(facts []outbox.Fact) string {
	if len(k.Events) == 0 {
		return "alert." + k.Alert.Name
	}
	for _, e := range k.Events {
		if slices.ContainsFunc(facts, func(f outbox.Fact) bool { return strings.HasSuffix(f.Key, e.State) }) {
			return e.Name
		}
	}
	return k.Events[len(k.Events)-1].Name
}

// Names lists the names of the kinds of findings, for programs.
func Names() (names []string) {
	for _, k := range kinds {
		if k.Finding != nil {
			names = append(names, NameOf(k.Finding))
		}
	}
	return names
}

// NameOf returns the name of the kind of a finding, for programs: that of its type, such as "gap" of a
// [Gap].
func NameOf(f Finding) string { return strings.ToLower(reflect.TypeOf(f).Name()) }
