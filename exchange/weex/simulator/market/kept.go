package market

import "sync"

// kept keeps a figure for each of the minutes last asked for, more than a day of them. Figures
// of a minute never change, and every look at the market asks for those of a day. A nil kept
// keeps nothing.
type kept[T any] struct {
	mu      sync.Mutex
	minutes [2048]int64 // plus 1; 0 = none
	figures [2048]T
}

// get returns the figure of a minute, by compute if it is not kept.
func (k *kept[T]) get(minutes int64, compute func() T) T {
	if k == nil || minutes < 0 {
		return compute()
	}
	at := minutes % int64(len(k.minutes))
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.minutes[at] != minutes+1 {
		k.minutes[at], k.figures[at] = minutes+1, compute()
	}
	return k.figures[at]
}
