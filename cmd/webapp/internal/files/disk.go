//go:build linux || darwin || freebsd

package files

import "syscall"

// FreeSpace returns how many bytes the program may still write to the disk of
// folder.
func FreeSpace(folder string) (bytes int64, known bool, err error) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(folder, &disk); err != nil {
		return 0, false, err
	}
	return int64(uint64(disk.Bavail) * uint64(disk.Bsize)), true, nil
}
