package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// ErrForeign is returned for a database that is not one of this program.
var ErrForeign = errors.New("is no database of Rebatedesk")

// OpenUnchanged opens a database unchanged: it does not create it, migrate it or write to
// it. The store can only be read and backed up. A database written by a newer program
// returns an *ErrNewer.
func OpenUnchanged(ctx context.Context, place string, o Options) (*Store, error) {
	return openUnchanged(ctx, place, "rw", o)
}

// OpenReadOnly is [OpenUnchanged] without a trace: it does not even copy the write-ahead
// log into the file when it closes.
func OpenReadOnly(ctx context.Context, place string, o Options) (*Store, error) {
	return openUnchanged(ctx, place, "ro", o)
}

// openUnchanged opens the database with a mode of SQLite. "ro" never changes the file,
// whereas the last connection of "rw" copies the write-ahead log into it when it closes.
func openUnchanged(ctx context.Context, place, mode string, o Options) (*Store, error) {
	s := newStore(place, o)
	if err := s.use(place, mode); err != nil {
		return nil, err
	}
	err := s.openReaders()
	if err == nil {
		err = s.engine.check(ctx, s.read)
	}
	if err == nil {
		err = s.ours(ctx)
	}
	if err == nil {
		err = s.engine.layout(ctx, s.read)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, errors.Join(refused(err), s.Close()))
	}
	return s, nil
}

// OpenForInspection is [OpenUnchanged] for a database of any version, also one that does not
// belong to this program.
func OpenForInspection(ctx context.Context, place string) (*Store, error) {
	s := newStore(place, Options{})
	err := s.use(place, "rw")
	if err == nil {
		err = s.openReaders()
	}
	if err == nil {
		err = s.engine.check(ctx, s.read)
	}
	if err != nil {
		return nil, errors.Join(refused(err), s.Close())
	}
	return s, nil
}

// ours refuses a database that this program did not write or would not understand.
func (s *Store) ours(ctx context.Context) error {
	version, err := s.engine.version(ctx, s.read)
	if s.engine.foreign(err) {
		return ErrForeign
	}
	if err != nil {
		return err
	}
	if version == 0 && IsURL(s.path) {
		return fs.ErrNotExist // a server has databases without tables, a folder has no file
	}
	tables, err := ReadColumn[string](ctx, s.read, s.engine.catalogue().tables)
	if err != nil {
		return err
	}
	for _, name := range []string{"meta", "commissions", "coverage"} {
		if version == 0 || !slices.Contains(tables, name) {
			return ErrForeign
		}
	}
	if known := KnownSchema(); version > known {
		return &ErrNewer{Database: version, Program: known}
	}
	return nil
}
