package access

import (
	"fmt"
	"os"
	"testing"

	"rebatedesk/internal/memdir"
)

func TestMain(m *testing.M) {
	if err := memdir.Use(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
