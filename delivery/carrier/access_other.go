//go:build !unix

package carrier

import (
	"io/fs"
	"os"
	"syscall"
)

// mayWrite reports whether there is a folder. Whether the process may write into it is known only
// when it does.
func mayWrite(folder string) error {
	info, err := os.Stat(folder)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "write into", Path: folder, Err: syscall.ENOTDIR}
	}
	return err
}
