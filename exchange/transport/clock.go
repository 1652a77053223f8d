package transport

import (
	"sync"
	"time"

	"rebatedesk/affiliate"
)

// drift is the assumed rate at which a known offset becomes inexact.
const drift = time.Millisecond // per second

// maxOffset limits the difference between the two clocks. Beyond it one of them is wrong:
// we would query other days than the manager means, and an empty answer would look
// complete.
const maxOffset = 36 * time.Hour

// clock estimates the exchange's clock: the local clock plus an offset learned from
// answers. The exchange refuses timestamps that are more than 30 seconds off.
type clock struct {
	local func() time.Time

	mu      sync.Mutex
	known   bool
	offset  time.Duration // the exchange's time minus ours
	blur    time.Duration // possible error of the offset, in either direction
	learned time.Time     // local time when the offset was learned
	strange time.Duration // the last offset beyond maxOffset; 0 if none
}

// refused returns the last offset beyond maxOffset.
func (k *clock) refused() time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.strange
}

// now returns the exchange's time, and whether its offset is known.
func (k *clock) now() (time.Time, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.local().Add(k.offset), k.known
}

// millis returns the exchange's time, unknown if its offset is.
func (k *clock) millis() affiliate.Millis {
	now, known := k.now()
	if !known {
		return 0
	}
	return affiliate.MillisOf(now)
}

// forget makes the clock accept the next answer, however inexact.
func (k *clock) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.known = false
}

// learn takes the exchange's time from the answer to a request that was in transit from
// sent to received. server is exact to the given precision.
//
// The exchange read its clock at some point in between, so the error is up to half the
// round trip. A slow answer does not replace a quick one, unless both cannot be right: then
// a clock was set, and the newer answer counts.
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
