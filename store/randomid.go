package store

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// leastID is where the numbers of [RandomID] begin; there are as many.
const leastID = 1 << 52

// RandomID returns the number of a new row that its user sees in addresses. Numbers in order would
// tell a user how many rows others have. It has at most 53 bits, so that every program can hold it;
// that two are equal is as good as impossible, and is an error of the engine.
func RandomID() int64 {
	var b [8]byte
	rand.Read(b[:]) // never fails: it ends the process instead
	return leastID + int64(binary.BigEndian.Uint64(b[:])%leastID)
}

// NextID returns the number of the row that takes the place of another: always the same one, so that a
// row has one successor only. It looks like a number of [RandomID].
func NextID(id int64) int64 {
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(id)))
	return leastID + int64(binary.BigEndian.Uint64(sum[:])%leastID)
}

// ShortID returns the number of a new row of a table, as [RandomID] does, with nine digits: people type
// it. No row of the table has it, whose column id must be its key.
func ShortID(ctx context.Context, tx *Tx, table string) (int64, error) {
	const least, most = 100_000_000, 1_000_000_000
	for {
		id := least + RandomID()%(most-least)
		var taken bool
		if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM `+table+` WHERE id = ?)`, id).Scan(&taken); err != nil {
			return 0, fmt.Errorf("numbering a row of %s: %w", table, err)
		}
		if !taken {
			return id, nil
		}
	}
}
