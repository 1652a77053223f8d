package figures

import (
	"cmp"
	"slices"
	"strconv"
)

// TwiceMedian returns twice the median of some numbers, which is exact: the median of an
// even count is the mean of the two middle numbers. At least one number is required.
func TwiceMedian[N ~int | ~int64](list []N) N {
	list = slices.Clone(list)
	slices.SortFunc(list, cmp.Compare[N])
	return list[(len(list)-1)/2] + list[len(list)/2]
}

// HalfDays is a number of half days, since a median of whole days may end with a half. 0
// means not known.
type HalfDays int

// WholeDays returns a gap of whole days.
func WholeDays(n int) HalfDays { return HalfDays(2 * n) }

// Known reports whether the gap is known.
func (g HalfDays) Known() bool { return g > 0 }

// String returns the number of days, "1" or "1.5". It is empty if not known.
func (g HalfDays) String() string {
	switch {
	case !g.Known():
		return ""
	case g%2 == 0:
		return strconv.Itoa(int(g) / 2)
	}
	return strconv.Itoa(int(g)/2) + ".5"
}

// Words returns the number with its noun: "1 day", "1.5 days".
func (g HalfDays) Words() string {
	if g == WholeDays(1) {
		return "1 day"
	}
	return g.String() + " days"
}

// Exceeded reports whether the given number of days is more than the given multiple of a
// known gap.
func (g HalfDays) Exceeded(days, times int) bool { return g.Known() && 2*days > times*int(g) }
