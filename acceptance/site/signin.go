package site

import (
	"bytes"
	"sync"
)

// LockedBuffer is a buffer for a log with concurrent writers.
type LockedBuffer struct {
	Mutex sync.Mutex
	bytes.Buffer
}

func (b *LockedBuffer) Write(p []byte) (int, error) {
	b.Mutex.Lock()
	defer b.Mutex.Unlock()
	return b.Buffer.Write(p)
}
