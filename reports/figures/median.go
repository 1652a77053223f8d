package figures

import (
	"cmp"
	"slices"
	"strconv"
)

// TwiceMedian is the median of some numbers, doubled, so that it is exact: of an
// even number of them it is the mean of the two in the middle. There must be one.
func TwiceMedian[N ~int | ~int64](list []N) N {
	list = slices.Clone(list)
	slices.SortFunc(list, cmp.Compare[N])
	return list[(len(list)-1)/2] + list[len(list)/2]
}

// HalfDays is a number of half days, since a median of whole days may end with a
// half. 0 is not known.
type HalfDays int

// WholeDays makes a gap of whole days.
func WholeDays(n int) HalfDays { return HalfDays(2 * n) }

// Known reports whether there is a gap.
func (g HalfDays) Known() bool { return g > 0 }

// String is the number of days, "1" or "1.5"; empty where it is not known.
func (g HalfDays) String() string {
	switch {
	case !g.Known():
		return ""
	case g%2 == 0:
		return strconv.Itoa(int(g) / 2)
	}
	return strconv.Itoa(int(g)/2) + ".5"
}

// Words name the days: "1 day", "1.5 days".
func (g HalfDays) Words() string {
	if g == WholeDays(1) {
		return "1 day"
	}
	return g.String() + " days"
}

// Exceeded reports whether so many days are more than a known gap, so many times
// over.
func (g HalfDays) Exceeded(days, times int) bool { return g.Known() && 2*days > times*int(g) }
