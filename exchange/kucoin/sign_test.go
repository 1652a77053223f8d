package kucoin

import "testing"

const secret = "9b1c2d3e4f5a60718293a4b5c6d7e8f90123456789abcdef0123456789abcdef"

// The examples of the interface paper.
func TestSignatures(t *testing.T) {
	const query = "tradeType=SPOT&tradeStartAt=1780243200000&tradeEndAt=1782835200000&pageSize=500"
	if got, want := sign(secret, "1782864000123", "GET", "/api/v2/affiliate/queryTransactionByTime", query, ""), "u4A8hbEbLDjicpe2EfIkeeLqtYTrf6f2F/1204sMWa8="; got != want {
		t.Errorf("the signature is %s, not %s", got, want)
	}
	if got, want := passphrase(secret, "Example-phrase-1"), "rTW4fqlBG8AZtqZFYblhnYPeNyceTNvkKdaxY7MObws="; got != want {
		t.Errorf("the passphrase is sent as %s, not %s", got, want)
	}
}
