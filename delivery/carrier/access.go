//go:build unix

package carrier

import (
	"io/fs"
	"syscall"
)

// mayWrite reports whether the process may put files into a folder.
func mayWrite(folder string) error {
	const write, enter = 2, 1 // access(2)
	if err := syscall.Access(folder, write|enter); err != nil {
		return &fs.PathError{Op: "write into", Path: folder, Err: err}
	}
	return nil
}
