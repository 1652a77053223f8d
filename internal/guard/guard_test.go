package guard

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

// A panic is logged with its origin and becomes an error; an error passes unchanged.
func TestRun(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, nil))
	own := errors.New("own")
	if err := Do(log, "work", func() error { return own }); err != own || out.Len() > 0 {
		t.Errorf("%v; the log is %s", err, &out)
	}
	err := Do(log, "work", func() error { panic("boom") })
	p, ok := errors.AsType[*Panic](err)
	if !ok || p.Cause != "boom" || err.Error() != "a fault of this program, work: boom" {
		t.Errorf("%v", err)
	}
	if !strings.Contains(out.String(), "guard_test.go") || !strings.Contains(out.String(), "panic caught") {
		t.Errorf("the log is %s", &out)
	}
	if err := Do(nil, "work", func() error { var list []int; _ = list[1]; return nil }); err == nil {
		t.Error("an index out of range is no error")
	}
}
