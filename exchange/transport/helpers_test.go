package transport

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// No error, log or answer may contain these credentials.
const (
	canaryKey        = Secret("canary-key-7c1f")
	canarySecret     = Secret("canary-secret-93ab")
	canaryPassphrase = Secret("canary-passphrase-e05d")
)

var background = context.Background()

func assertNoCanary(t *testing.T, s string) {
	t.Helper()
	for _, c := range []Secret{canaryKey, canarySecret, canaryPassphrase} {
		for _, form := range []string{c.Reveal(), fmt.Sprintf("%x", c.Reveal()), fmt.Sprintf("%X", c.Reveal())} {
			if at := strings.Index(s, form); at >= 0 {
				t.Errorf("a secret is shown: …%.80s", s[max(0, at-30):])
			}
		}
	}
}
