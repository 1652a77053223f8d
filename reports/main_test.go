package reports_test

import (
	"cmp"
	"fmt"
	"os"
	"runtime/debug"
	"testing"

	"rebatedesk/internal/memdir"
	"rebatedesk/internal/soak"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // memory is there, and collecting it took a tenth of the time
	if err := cmp.Or(memdir.Use(), soak.Draws(30)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
