package transport

import (
	"sync"
	"time"

	"rebatedesk/affiliate"
)

// drift is how fast we assume a known offset to become inexact.
const drift = time.Millisecond // per second

// maxOffset bounds the difference between the two clocks. Beyond it one of them is
// wrong: we would ask for other days than the manager means, and an empty answer
// would look complete.
const maxOffset = 36 * time.Hour

// clock estimates the exchange's clock: the local one plus an offset learned from
// answers. The exchange refuses timestamps more than 30 seconds off.
type clock struct {
	local func() time.Time

	mu      sync.Mutex
	known   bool
	offset  time.Duration // the exchange's time minus ours
	blur    time.Duration // the offset may be this much off, either way
	learned time.Time     // local time of learning
	strange time.Duration // the last offset beyond maxOffset; 0 = none
}

// refused is the last offset beyond maxOffset.
func (k *clock) refused() time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.strange
}

// now is the exchange's time, and whether its offset is known.
func (k *clock) now() (time.Time, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.local().Add(k.offset), k.known
}

// millis is the exchange's time, unknown where its offset is.
func (k *clock) millis() affiliate.Millis {
	now, known := k.now()
	if !known {
		return 0
	}
	return affiliate.MillisOf(now)
}

// forget makes the next answer count, however inexact.
func (k *clock) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.known = false
}

// learn takes the exchange's time from the answer to a request that was under way
// from sent to received. server is exact to the given precision.
//
// The exchange read its clock somewhere on the way, so the error is up to half the
// round trip. A slow answer does not replace a quick one, unless both cannot be
// right: then a clock was set, and the newer one counts.
func (k *clock) learn(server, sent, received time.Time, precision time.Duration) {
	half := received.Sub(sent) / 2
	offset := server.Add(precision / 2).Sub(sent.Add(half))
	blur := max(0, half) + precision/2

	k.mu.Lock()
	defer k.mu.Unlock()
	if offset.Abs() > maxOffset {
		k.strange = offset
		return
	}
	doubt := k.blur + drift*time.Duration(received.Sub(k.learned).Abs()/time.Second)
	if k.known && blur > doubt && (offset-k.offset).Abs() <= blur+doubt {
		return
	}
	k.known, k.offset, k.blur, k.learned = true, offset, blur, received
}
