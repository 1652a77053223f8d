package web

import (
	"testing"
	"time"
)

// SetPageTimeout is how long a page may take until the test has ended.
func SetPageTimeout(t testing.TB, d time.Duration) {
	usual := pageTimeout
	pageTimeout = d
	t.Cleanup(func() { pageTimeout = usual })
}
