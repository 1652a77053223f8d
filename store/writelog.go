package store

import (
	"bufio"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"os"
)

// SQLite applies the log of writes beside a database (-wal) to whichever file bears the name. If a
// backup is copied over a database and the log stays, the result is a mixture of two databases,
// which no check of SQLite finds. So each write counts a serial number in the header of the file,
// and each copy begins at a number of its own. The numbers in a log follow that of its database.
// See ADR 36.

// serialAt is the place of the serial number in the first page: SQLite leaves these four bytes, the
// application id, to programs.
const serialAt = 68

// nextSerial counts a write. 0 is the number of a file that was never counted.
func nextSerial(ctx context.Context, tx *sql.Tx) error {
	var serial int32
	if err := tx.QueryRowContext(ctx, `PRAGMA application_id`).Scan(&serial); err != nil {
		return err
	}
	switch {
	case serial == 0:
		serial = newSerial()
	case serial == -1:
		serial = 1
	default:
		serial++
	}
	_, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA application_id = %d`, serial))
	return err
}

// newSerial returns the number at which a file begins to count.
func newSerial() int32 { return max(rand.Int32(), 1) }

// CountAnew gives a closed copy of a database a number of its own, so that the log of another file
// is not taken for its own.
func CountAnew(ctx context.Context, db *sql.DB) error {
	_, err := db.ExecContext(ctx, fmt.Sprintf(`PRAGMA application_id = %d`, newSerial()))
	return err
}

// checkWriteLog refuses a database beside which the log of another one lies. Without proof it
// refuses nothing.
func checkWriteLog(path string) error {
	for range 10 { // another process may begin a new log meanwhile
		before, err := readWriteLog(path + "-wal")
		if err != nil || !before.counts {
			return err
		}
		serial, err := serialOf(path)
		if err != nil || serial == 0 {
			return nil // opening it says what is wrong, or it was never counted
		}
		// The file has the state before the log, or any state of the log. 0 is no number.
		base := before.first - 1
		if base == 0 {
			base = -1
		}
		if uint32(serial-base) <= uint32(before.last-base) {
			return nil
		}
		after, err := readWriteLog(path + "-wal")
		if again, wrong := serialOf(path); err == nil && wrong == nil && after == before && again == serial {
			return &PlaceError{
				Wrong: fmt.Sprintf("lies beside the log of writes of another database (%s-wal), as when a backup was copied over a database: together they would be a mixture of both", path),
				Mend:  fmt.Sprintf("move %[1]s-wal and %[1]s-shm away to use the copy, or put the earlier file back; nothing was opened or changed", path),
			}
		}
	}
	return nil
}

// serialOf returns the serial number of the file without its log. SQLite reads it, since closing a
// file of its own would end SQLite's locks on some systems.
func serialOf(path string) (serial int32, err error) {
	db, err := sql.Open("sqlite", Dsn(path, url.Values{"mode": {"ro"}, "immutable": {"1"}}))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	err = db.QueryRow(`PRAGMA application_id`).Scan(&serial)
	return serial, err
}

// writeLog is what a log says of its serial numbers.
type writeLog struct {
	salts       [8]byte // of this log
	first, last int32   // of its writes that are whole
	counts      bool    // it has any
}

// The format of a log, see https://www.sqlite.org/fileformat2.html#walformat.
const (
	logHeader   = 32
	frameHeader = 24
	logMagic    = 0x377f0682 // and the next number, for checksums of big-endian words
)

// readWriteLog reads the serial numbers of a log as SQLite would replay it: up to the last frame of
// a whole write whose checksum is right. A file that is no log has none.
func readWriteLog(path string) (log writeLog, err error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return log, nil
	}
	if err != nil {
		return log, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	in := bufio.NewReaderSize(file, 1<<20)
	var header [logHeader]byte
	if _, err := io.ReadFull(in, header[:]); err != nil {
		return log, whole(err)
	}
	magic, size := binary.BigEndian.Uint32(header[:]), binary.BigEndian.Uint32(header[8:])
	if magic&^1 != logMagic || size < 512 || size > 64<<10 {
		return log, nil
	}
	sum := checksum{order: binary.LittleEndian}
	if magic&1 == 1 {
		sum.order = binary.BigEndian
	}
	if sum.add(header[:24]); !sum.is(header[24:]) {
		return log, nil
	}
	log.salts = [8]byte(header[16:24])
	var pending []int32 // of a write that is not whole yet
	frame := make([]byte, frameHeader+size)
	for {
		if _, err := io.ReadFull(in, frame); err != nil {
			return log, whole(err)
		}
		sum.add(frame[:8])
		sum.add(frame[frameHeader:])
		if [8]byte(frame[8:16]) != log.salts || !sum.is(frame[16:24]) {
			return log, nil
		}
		if binary.BigEndian.Uint32(frame) == 1 {
			if serial := int32(binary.BigEndian.Uint32(frame[frameHeader+serialAt:])); serial != 0 {
				pending = append(pending, serial)
			}
		}
		if binary.BigEndian.Uint32(frame[4:]) == 0 {
			continue
		}
		if len(pending) > 0 {
			if !log.counts {
				log.first, log.counts = pending[0], true
			}
			log.last = pending[len(pending)-1]
		}
		pending = pending[:0]
	}
}

// whole ignores that a file ends.
func whole(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// checksum is that of a log, over all that came before.
type checksum struct {
	order binary.ByteOrder
	a, b  uint32
}

func (c *checksum) add(words []byte) {
	for i := 0; i+8 <= len(words); i += 8 {
		c.a += c.order.Uint32(words[i:]) + c.b
		c.b += c.order.Uint32(words[i+4:]) + c.a
	}
}

// is reports whether a checksum is the one that a log has, whose words are big-endian.
func (c *checksum) is(said []byte) bool {
	return c.a == binary.BigEndian.Uint32(said) && c.b == binary.BigEndian.Uint32(said[4:])
}
