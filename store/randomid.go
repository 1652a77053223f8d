package store

import (
	"crypto/rand"
	"encoding/binary"
)

// RandomID returns the number of a new row that its user sees in addresses. Numbers in order would
// tell a user how many rows others have. It has at most 53 bits, so that every program can hold it;
// that two are equal is as good as impossible, and is an error of the engine.
func RandomID() int64 {
	var b [8]byte
	rand.Read(b[:]) // never fails: it ends the process instead
	const most = 1 << 52
	return most + int64(binary.BigEndian.Uint64(b[:])%most)
}
