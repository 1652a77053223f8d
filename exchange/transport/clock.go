package transport

import (
	"sync"
	"time"

	"rebatedesk/affiliate"
)

// drift is how fast a known offset is taken to lose its exactness.
const drift = time.Millisecond // per second

// maxOffset is how far the two clocks may be apart. Beyond, one of them is
// plainly wrong: windows planned by it would ask for other days than the
// manager means, and an empty answer to them would look like a complete one.
const maxOffset = 36 * time.Hour

// clock is the exchange's clock as far as we know it: the local one and an
// offset learned from answers. The exchange refuses a timestamp that is more
// than 30 seconds off.
type clock struct {
	local func() time.Time

	mu      sync.Mutex
	known   bool
	offset  time.Duration // the exchange's time minus ours
	blur    time.Duration // the offset may be this much off, either way
	learned time.Time     // local time of learning
	strange time.Duration // the last offset that was not believed; 0 = none
}

// refused is the last offset that was not believed.
func (k *clock) refused() time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.strange
}

// now is the exchange's time, and whether its offset is known at all.
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

// forget makes the next answer count, however blurred it is.
func (k *clock) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.known = false
}

// learn takes the exchange's time out of an answer to a request that was under
// way from sent to received. server is exact to the given precision.
//
// The exchange looked at its clock somewhere on the way, so half of the way is
// the doubt. A slow answer therefore does not displace a quick one, unless the
// two cannot both be right: then a clock was set, and the newer one counts.
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
