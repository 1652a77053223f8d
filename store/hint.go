package store

import (
	"errors"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Hint says what is wrong with the database's disk or file and how to fix it, given the
// error of a write or read. It is empty for other errors. In every case, a failed write
// left nothing behind.
func Hint(err error) string {
	failure, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return postgresHint(err)
	}
	switch failure.Code() & 0xff { // the upper bits say where the error occurred
	case sqlite3.SQLITE_FULL:
		return "no space left: make room on the disk of the database; what was being written is not stored, and the next run goes on from there"
	case sqlite3.SQLITE_IOERR:
		return "the disk of the database fails to read or write: check the disk and its connection; what was being written is not stored, and the next run goes on from there"
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return "the database may not be written: give this user the right to write the file and its folder"
	case sqlite3.SQLITE_CANTOPEN:
		return "the database cannot be opened: check that the file and its folder are there and belong to this user"
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return "another program holds the database: end it, or wait for it"
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return "the database file is damaged: restore a backup"
	}
	return ""
}
