package okx

import "testing"

// The example of the interface paper.
func TestSignature(t *testing.T) {
	const secret = "9b1c2d3e4f5a60718293a4b5c6d7e8f90123456789abcdef0123456789abcdef"
	const query = "page=1&limit=100&periodType=total&orderBy=cTime&orderDir=asc"
	if got, want := sign(secret, "2026-07-01T00:00:00.123Z", "GET", "/api/v5/affiliate/invitee/list", query, ""), "pjQzDiuNjC/IrTvURhrioax00WDuqWblRAByiwz6xd8="; got != want {
		t.Errorf("the signature is %s, not %s", got, want)
	}
}
