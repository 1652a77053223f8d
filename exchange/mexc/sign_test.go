package mexc

import (
	"testing"
	"time"
)

// The example of the interface paper.
func TestSignature(t *testing.T) {
	const secret = "9b1c2d3e4f5a60718293a4b5c6d7e8f90123456789abcdef0123456789abcdef"
	const asked = "startTime=1780243200000&endTime=1782835200000&page=1&pageSize=100"
	const want = asked + "&recvWindow=5000&timestamp=1782864000123&signature=2001ba003da53d3b9f97ef164a2cbb53ee655b39ae6289464ac3fd20923c57b0"
	if got := signed(secret, asked, time.UnixMilli(1782864000123)); got != want {
		t.Errorf("sent is %s, not %s", got, want)
	}
}

// Times of invitations come in seconds, or in milliseconds; what is neither is a fault.
func TestInstants(t *testing.T) {
	for text, want := range map[string]string{"1767225600": "2026-01-01T00:00:00.000Z", "1767225600000": "2026-01-01T00:00:00.000Z", "176722560": "", "x": ""} {
		got, ok := instantOf(text)
		if ok != (want != "") || ok && got.String() != want {
			t.Errorf("%q is %s, %t", text, got, ok)
		}
	}
	if got, ok := instantOf(""); !ok || got.Known() {
		t.Errorf("no time is %s, %t", got, ok)
	}
}
