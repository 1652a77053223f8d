package web

import (
	"errors"

	"rebatedesk/internal/guard"
)

// guarded runs f. A panic in it is counted, logged and returned as an error.
func (s *Server) guarded(where string, f func() error) error {
	err := guard.Run(s.Log, where, f)
	if _, panicked := errors.AsType[*guard.Panic](err); panicked {
		s.panics.Add(1)
	}
	return err
}
