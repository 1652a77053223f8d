package rollup

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"rebatedesk/affiliate"
)

// HourKey is a line of the roll-up of hours. Products are added up: payouts do not tell them
// apart.
type HourKey struct {
	Day    affiliate.Day // UTC
	Coin   affiliate.Coin
	Source affiliate.Source
}

// Compare orders lines as the table does.
func (k HourKey) Compare(o HourKey) int {
	return cmp.Or(cmp.Compare(k.Day, o.Day), cmp.Compare(k.Coin, o.Coin), cmp.Compare(k.Source, o.Source))
}

// HourSums are the commissions of the 24 hours of a UTC day.
type HourSums [24]affiliate.Sum

// ParseHourSums is the inverse of [HourSums.String].
func ParseHourSums(text string) (sums HourSums, err error) {
	rest, more := text, true
	for hour := range sums {
		var number string
		if !more {
			return sums, fmt.Errorf("%.200q has %d numbers instead of one for each of 24 hours", text, hour)
		}
		number, rest, more = strings.Cut(rest, " ")
		if number == "" || !sums[hour].Add(affiliate.Number(number)) {
			return sums, fmt.Errorf("%.200q is no number, of the hour %d", number, hour)
		}
	}
	if more {
		return sums, fmt.Errorf("%.200q has more numbers than a day has hours", text)
	}
	return sums, nil
}

// String returns the sums by hour, with spaces between.
func (s *HourSums) String() string {
	var text []byte
	for hour := range s {
		if hour > 0 {
			text = append(text, ' ')
		}
		text = s[hour].AppendTo(text)
	}
	return string(text)
}

// Add adds the sums of the same hours.
func (s *HourSums) Add(o *HourSums) {
	for hour := range s {
		s[hour].AddSum(o[hour])
	}
}

// Zero reports whether all sums are zero. Such a line is not stored: whether it has records
// makes no difference to what is to be paid.
func (s *HourSums) Zero() bool {
	var zero affiliate.Sum
	for hour := range s {
		if s[hour].Cmp(&zero) != 0 {
			return false
		}
	}
	return true
}

// hourCell is a UTC day and the number of a line's kind in the tally by UID.
type hourCell struct {
	day  affiliate.Day
	kind int32
}

const (
	hourMillis = affiliate.Millis(time.Hour / time.Millisecond)
	dayMillis  = 24 * hourMillis
)

// addHour adds the commission of a record whose kind has that number.
func (r *Delta) addHour(at affiliate.Millis, kind int32, commission affiliate.Sum) {
	day := at / dayMillis
	line := At(r.hours, hourCell{affiliate.Day(day), kind})
	line[(at-day*dayMillis)/hourMillis].AddSum(commission)
}

// Hours returns the collected commission by UTC hour.
func (r *Delta) Hours() map[HourKey]*HourSums {
	kinds := map[int32]LineKind{}
	for kind, number := range r.Tallies[ByUID].kinds {
		kinds[number] = kind
	}
	hours := make(map[HourKey]*HourSums, len(r.hours))
	for c, sums := range r.hours {
		kind := kinds[c.kind]
		At(hours, HourKey{c.day, kind.Coin, kind.Source}).Add(sums)
	}
	return hours
}
