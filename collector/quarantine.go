package collector

import (
	"errors"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/store/records"
)

// errUndated means that the window has to be split to tell the day of a record whose time could
// not be read.
var errUndated = errors.New("the window holds a record without a readable time")

// setApart notes what could not be read of a window, by day. A record of another day, as lists by another
// time than their records' have some, counts on the nearest one of the window.
func setApart[T any](got *fetched, w window, all exchange.Reading[T], at func(T) affiliate.Millis) {
	for _, q := range all.Quarantined {
		day := w.days.First
		if when := at(q.Record); when.Known() {
			day = affiliate.DayOf(when.Time(), time.UTC)
		} else {
			got.undated = got.undated || w.days.Len() > 1 && !w.whole
			if w.whole {
				day = w.days.Last // which is read again soon
			}
		}
		got.quarantine = append(got.quarantine, records.QuarantineRowOf(min(max(day, w.days.First), w.days.Last), q, false))
	}
	for _, q := range all.Spared {
		day := w.days.First // of an invitee without a registration time
		if when := at(q.Record); when.Known() {
			day = affiliate.DayOf(when.Time(), time.UTC)
		}
		got.quarantine = append(got.quarantine, records.QuarantineRowOf(min(max(day, w.days.First), w.days.Last), q, true))
	}
}

// apart returns for each day with records that could not be read how many they are, and names the
// first.
func apart(list []records.QuarantineRow) map[affiliate.Day]string {
	count, of := map[affiliate.Day]int{}, map[affiliate.Day][]records.QuarantineRow{}
	for _, q := range list {
		if !q.Spared {
			count[q.Day] += q.Copies
			of[q.Day] = append(of[q.Day], q)
		}
	}
	words := map[affiliate.Day]string{}
	for day, n := range count {
		words[day] = records.QuarantineWords(n, of[day])
	}
	return words
}

// isTied reports whether a list cannot be told because of the ties of one day.
func isTied(err error) bool {
	_, tied := errors.AsType[*exchange.TiedError](err)
	return tied
}

// around divides a window into the day of ties that cannot be told, and the days after and before
// it.
func (w window) around(err error) (parts []window) {
	tied, _ := errors.AsType[*exchange.TiedError](err)
	day := min(max(tied.Day, w.days.First), w.days.Last)
	for _, days := range []affiliate.Days{{First: day + 1, Last: w.days.Last}, {First: day, Last: day}, {First: w.days.First, Last: day - 1}} {
		if days.Len() > 0 {
			part := w
			part.days = days
			parts = append(parts, part)
		}
	}
	return parts
}
