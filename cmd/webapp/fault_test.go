package main

import (
	"bytes"
	"strings"
	"testing"
)

type faulty struct {
	Boom boom `cmd:""`
}

type boom struct{}

// Run panics.
func (boom) Run() error { panic("boom") }

// A fault in a command ends it with a sentence and status 1, and its stack is in the log.
func TestFaultOfACommand(t *testing.T) {
	var out, said bytes.Buffer
	p := &program{stdin: strings.NewReader(""), stdout: &out, stderr: &said}
	if status := p.run(t.Context(), []string{"boom"}, &faulty{}); status != statusFailed || out.Len() > 0 {
		t.Errorf("status %d, on stdout %q", status, &out)
	}
	if text := said.String(); !strings.Contains(text, "a fault of this program, boom: boom") || !strings.Contains(text, "panic caught") || !strings.Contains(text, "fault_test.go") {
		t.Errorf("it says %q", text)
	}
}
