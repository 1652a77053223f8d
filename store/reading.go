package store

import "context"

// Reading reads something from one state of a database.
func Reading[T any](ctx context.Context, s *Store, f func(*Tx) (T, error)) (result T, err error) {
	r, err := s.Read(ctx)
	if err != nil {
		return result, err
	}
	defer r.Close()
	return f(r)
}
