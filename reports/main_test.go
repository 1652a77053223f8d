package reports_test

import (
	"fmt"
	"os"
	"runtime/debug"
	"testing"

	"rebatedesk/internal/memdir"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // memory is there, and collecting it took a tenth of the time
	if err := memdir.Use(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
