//go:build !linux && !darwin && !freebsd

package main

// freeSpace is not known on this system.
func freeSpace(string) (bytes int64, known bool, err error) { return 0, false, nil }
