package reporttest

import (
	"errors"
)

// ClosedPipe accepts the given number of bytes and then fails.
type ClosedPipe struct{ Left int }

var ErrPipe = errors.New("nobody reads on")

func (p *ClosedPipe) Write(b []byte) (int, error) {
	if p.Left -= len(b); p.Left < 0 {
		return 0, ErrPipe
	}
	return len(b), nil
}
