package still

import "math"

// fromZero divides an axis that extends from low to high and includes zero.
func fromZero(low, high float64) (values []float64, decimals int) {
	low, high = min(low, 0), max(high, 0)
	if high <= low {
		high = low + 1
	}
	return within(low, high)
}

// within divides an axis that extends from low to high at three to six round values at equal
// distances. The first is not above low, the last not below high. All of them differ when printed
// with the given number of decimals.
func within(low, high float64) (values []float64, decimals int) {
	if high <= low {
		apart := math.Max(math.Abs(low)*0.001, 1e-8)
		low, high = low-apart, high+apart
	}
	step := roundStep((high - low) / 4)
	first, last := math.Floor(low/step+1e-9), math.Ceil(high/step-1e-9)
	for n := first; n <= last; n++ {
		values = append(values, n*step+0) // no negative zero
	}
	return values, max(0, int(-math.Floor(math.Log10(step)+1e-9)))
}

// roundStep returns the smallest of 1, 2 and 5 times a power of ten that is not below a
// length.
func roundStep(length float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(length)))
	for _, factor := range []float64{1, 2, 5} {
		if length <= factor*power*(1+1e-9) {
			return factor * power
		}
	}
	return 10 * power
}
