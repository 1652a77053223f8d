package seeded

import (
	"hash/fnv"
	"math/rand/v2"
)

// Mix hashes its arguments. Values derived from it can be computed at any time, in any
// order and repeatedly: prices need no stored history.
func Mix(parts ...uint64) uint64 {
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

// Subseed returns the key of a purpose under a seed.
func Subseed(seed int64, purpose string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(purpose)) // a hash never fails
	return Mix(uint64(seed), h.Sum64())
}

// Centred spreads a hash evenly over [-1, 1).
func Centred(h uint64) float64 { return float64(h>>11)/(1<<52) - 1 }

// Rand returns an independent random source for a purpose, so that one more draw in one
// place changes nothing elsewhere.
func Rand(seed int64, purpose string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(purpose)) // a hash never fails
	return rand.New(rand.NewPCG(uint64(seed), h.Sum64()))
}
