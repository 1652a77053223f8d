package bitget

import "testing"

// The examples of the interface paper.
func TestSignatures(t *testing.T) {
	const secret = "9b1c2d3e4f5a60718293a4b5c6d7e8f90123456789abcdef0123456789abcdef"
	if got, want := sign(secret, "1782864000123", "GET", "/api/v2/broker/customer-commissions", "startTime=1780243200000&endTime=1782835200000&limit=100", ""), "ERgrRMPzCZ7lf6ekWvWbGQYGmOkosJvUywlrHy3aR40="; got != want {
		t.Errorf("the signature is %s, not %s", got, want)
	}
	if got, want := sign(secret, "1782864000123", "POST", "/api/v2/broker/customer-list", "", `{"pageNo":"1","pageSize":"100"}`), "cg3vJ+TdpjU6Tfw8bXeiAllvHBo6RfEubN1QcXYd7/s="; got != want {
		t.Errorf("the signature is %s, not %s", got, want)
	}
}

// A day is the same whether it comes as an instant or as a date; what is none is a fault.
func TestDays(t *testing.T) {
	for text, want := range map[string]string{"2026-06-02": "2026-06-01T16:00:00.000Z", "1780329600000": "2026-06-01T16:00:00.000Z", "1780329600001": "2026-06-01T16:00:00.000Z", "2026-6-2": "", "": "", "1780329600": ""} {
		got, ok := dayOf(text)
		if ok != (want != "") || ok && got.String() != want {
			t.Errorf("%q is %s, %t", text, got, ok)
		}
	}
}
