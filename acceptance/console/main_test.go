package console_test

import (
	"testing"

	"rebatedesk/acceptance/site"
)

// Streams of prices wait for the next poll.
func TestMain(m *testing.M) { site.MainWaiting(m, 5) }
