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

// A panic fails its part alone, and is logged and counted, also one that was caught further down;
// an error fails the whole.
func TestPart(t *testing.T) {
	var out bytes.Buffer
	w := Catcher{Log: slog.New(slog.NewTextHandler(&out, nil))}
	own := errors.New("own")
	for _, c := range []struct {
		f      func() error
		failed bool
		err    error
	}{
		{func() error { return nil }, false, nil},
		{func() error { return own }, false, own},
		{func() error { panic("boom") }, true, nil},
		{func() error { return Do(nil, "further down", func() error { panic("deep") }) }, true, nil},
	} {
		if failed, err := w.Part("a part", c.f); failed != c.failed || err != c.err {
			t.Errorf("%t, %v; want %t, %v", failed, err, c.failed, c.err)
		}
	}
	if text := out.String(); w.Caught() != 2 || strings.Count(text, "guard_test.go") < 2 || !strings.Contains(text, "boom") || !strings.Contains(text, `where="further down" cause=deep`) {
		t.Errorf("%d panics were counted; the log is %s", w.Caught(), &out)
	}
}
