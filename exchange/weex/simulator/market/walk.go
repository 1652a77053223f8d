package market

import (
	"math"

	"rebatedesk/exchange/weex/simulator/seeded"
)

// octaves are the components of a walk: smooth noise with periods from two months down to
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
	price float64 // average over time
	swing float64 // 1 is as volatile as bitcoin, 0 does not move
}

// dollars returns the price at a full minute, counted since 1970.
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

// noise is smooth between points that are one period apart, within [-1, 1).
func noise(key, octave uint64, minute, period int64) float64 {
	point := minute / period
	part := float64(minute%period) / float64(period)
	from, to := seeded.Centred(seeded.Mix(key, octave, uint64(point))), seeded.Centred(seeded.Mix(key, octave, uint64(point+1)))
	return from + (to-from)*part*part*(3-2*part)
}
