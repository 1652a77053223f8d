package simulator

import (
	"hash/fnv"
	"math"
)

// mixed is a hash of its arguments. Whatever follows from it can be computed
// at any time, in any order and again: prices have no history to keep.
func mixed(parts ...uint64) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, part := range parts {
		h ^= part
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
		h += 0x9e3779b97f4a7c15
	}
	return h
}

// named is the key of a purpose under a seed.
func named(seed int64, purpose string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(purpose)) // a hash never fails
	return mixed(uint64(seed), h.Sum64())
}

// centred spreads a hash evenly over [-1, 1).
func centred(h uint64) float64 { return float64(h>>11)/(1<<52) - 1 }

// octaves are what a walk consists of: smooth noise from two months down to
// five minutes. Together they move a coin by two or three percent a day.
var octaves = [...]struct {
	minutes   int64
	amplitude float64 // of the logarithm
}{
	{64 * 1440, 0.20}, {16 * 1440, 0.10}, {4 * 1440, 0.05}, {1440, 0.025},
	{360, 0.012}, {90, 0.006}, {20, 0.003}, {5, 0.0012},
}

// walk is the dollar price of a coin as a function of time.
type walk struct {
	key   uint64
	price float64 // in the long run
	swing float64 // 1 is as lively as bitcoin, 0 does not move
}

// dollars is the price at a full minute, counted since 1970.
func (w walk) dollars(minute int64) float64 {
	if w.swing == 0 {
		return w.price
	}
	sum := 0.0
	for i, o := range octaves {
		sum += o.amplitude * noise(w.key, uint64(i), minute, o.minutes)
	}
	return w.price * math.Exp(w.swing*sum)
}

// noise is smooth between points that lie a period apart, within [-1, 1).
func noise(key, octave uint64, minute, period int64) float64 {
	point := minute / period
	part := float64(minute%period) / float64(period)
	from, to := centred(mixed(key, octave, uint64(point))), centred(mixed(key, octave, uint64(point+1)))
	return from + (to-from)*part*part*(3-2*part)
}
