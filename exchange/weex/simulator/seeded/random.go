package seeded

import (
	"math"
	"math/rand/v2"
	"sort"
)

// Exponential returns an exponentially distributed time in milliseconds.
func Exponential(r *rand.Rand, mean float64) int64 { return int64(r.ExpFloat64() * mean) }

// Pareto returns a Pareto-distributed size from 1 to limit: mostly small, occasionally
// huge.
func Pareto(r *rand.Rand, alpha, limit float64) float64 {
	return min(limit, math.Pow(1-r.Float64(), -1/alpha))
}

// Pick chooses an index by weight; cumulative holds the running sums.
func Pick(r *rand.Rand, cumulative []float64) int {
	u := r.Float64() * cumulative[len(cumulative)-1]
	return min(sort.SearchFloat64s(cumulative, u), len(cumulative)-1)
}

// Cumulative returns the cumulative weights that Pick needs.
func Cumulative(weights []float64) []float64 {
	sums, total := make([]float64, len(weights)), 0.0
	for i, w := range weights {
		total += w
		sums[i] = total
	}
	return sums
}
