// Package files holds the file operations of commands: reading a file without trusting its
// size, permissions, and free disk space.
package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// ReadLimited reads a file of at most limit bytes. Its errors name the file and never its
// content.
func ReadLimited(path string, limit int64) (content []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, PlainError(path, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	content, err = io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, PlainError(path, err)
	}
	if int64(len(content)) > limit {
		return nil, fmt.Errorf("%q is larger than %d bytes", path, limit)
	}
	return content, nil
}

// PlainError returns a file error without the name of the system call.
func PlainError(path string, err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return fmt.Errorf("%q: %w", path, err)
}

// Limits of free disk space, in bytes.
const (
	// FullBelow is the space below which the next write may fail: the write-ahead log can
	// grow by that amount before a checkpoint. Without writes no user can sign in.
	FullBelow = 64 << 20
	// TightBelow is the space below which to warn.
	TightBelow = 512 << 20
)
