package market

import (
	"slices"
	"time"

	"rebatedesk/affiliate"
	kept "rebatedesk/store/market"
)

// Interval is the length of a candle. Candles begin at whole multiples of it since 1970, so
// those of a day are UTC days.
type Interval struct {
	Name   string
	Length time.Duration
}

// Intervals are the lengths that charts offer.
var Intervals = []Interval{
	{"1m", time.Minute}, {"5m", 5 * time.Minute}, {"15m", 15 * time.Minute}, {"1h", time.Hour}, {"4h", 4 * time.Hour}, {"1d", 24 * time.Hour},
}

// IntervalNamed finds an interval by its name.
func IntervalNamed(name string) (Interval, bool) {
	i := slices.IndexFunc(Intervals, func(i Interval) bool { return i.Name == name })
	if i < 0 {
		return Interval{}, false
	}
	return Intervals[i], true
}

// Start returns the start of the candle that an instant belongs to.
func (i Interval) Start(at affiliate.Millis) affiliate.Millis { return at - at%i.millis() }

func (i Interval) millis() affiliate.Millis { return affiliate.Millis(i.Length.Milliseconds()) }

// SlotState says how much is known of a time.
type SlotState string

// States of a slot.
const (
	SlotWhole   SlotState = "complete"
	SlotRunning SlotState = "still running" // complete up to now
	SlotPartial SlotState = "trades may be missing"
	SlotUnseen  SlotState = "not seen" // nothing is known
)

// Slot is one place of a chart: a time, with its candle if it has a trade.
type Slot struct {
	kept.Candle
	State SlotState
}

// Traded reports whether the slot has a candle.
func (s Slot) Traded() bool { return s.Trades > 0 }

// Gap reports whether trades of the slot may be missing.
func (s Slot) Gap() bool { return s.State == SlotPartial || s.State == SlotUnseen }

// Slots returns n slots of an interval up to now, oldest first, from the candles of their
// minutes and the stretches of which all trades are known, both oldest first. Nothing is
// interpolated: a slot without a trade has no candle.
func Slots(minutes []kept.Candle, known []kept.KnownStretch, interval Interval, n int, now affiliate.Millis) []Slot {
	length := interval.millis()
	first := interval.Start(now) - affiliate.Millis(n-1)*length
	slots := make([]Slot, n)
	for i := range slots {
		start := first + affiliate.Millis(i)*length
		slots[i] = Slot{Candle: kept.Candle{Start: start}, State: stateOf(known, start, start+length, now)}
	}
	volumes := make([]affiliate.Sum, n)
	for _, m := range minutes {
		i := int((m.Start - first) / length)
		if m.Start < first || i >= n {
			continue
		}
		slots[i].add(m)
		volumes[i].Add(m.Volume)
	}
	for i := range slots {
		if slots[i].Volume.Known() {
			slots[i].Volume = affiliate.Number(volumes[i].String())
		}
		slots[i].judge()
	}
	return slots
}

// judge corrects the state of a slot by its candle.
func (s *Slot) judge() {
	if s.Traded() && s.State == SlotUnseen {
		s.State = SlotPartial
	}
}

// recall gives the slot a candle that was made before.
func (s *Slot) recall(candle kept.Candle) {
	s.Candle = candle
	s.judge()
}

// add adds a later candle.
func (s *Slot) add(m kept.Candle) {
	if !s.Traded() {
		s.Open, s.High, s.Low = m.Open, m.High, m.Low
	}
	if m.High.Cmp(s.High) > 0 {
		s.High = m.High
	}
	if m.Low.Cmp(s.Low) < 0 {
		s.Low = m.Low
	}
	s.Close, s.Volume = m.Close, m.Volume
	s.Trades += m.Trades
}

// stateOf returns how much is known of a time, the end not included.
func stateOf(known []kept.KnownStretch, from, to, now affiliate.Millis) SlotState {
	state := SlotUnseen
	for _, s := range known {
		switch {
		case s.Asked < from || s.From >= to:
		case s.From <= from && s.Asked >= to-1:
			return SlotWhole
		case s.From <= from && to > now:
			return SlotRunning
		default:
			state = SlotPartial
		}
	}
	return state
}
