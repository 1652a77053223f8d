package config

import (
	"fmt"
	"log/slog"
	"strings"

	"rebatedesk/store"
)

// Database is the place of the database: the path of a file, or the URL of a PostgreSQL
// database, which may hold a password. It prints without the password.
type Database string

// Reveal returns the path, or the URL with its password.
func (d Database) Reveal() string { return string(d) }

// String returns the path, or the URL without its password and options.
func (d Database) String() string { return store.PlaceOf(string(d)) }

// Format prints [Database.String] for every verb.
func (d Database) Format(w fmt.State, _ rune) { _, _ = fmt.Fprint(w, d.String()) }

// MarshalText returns [Database.String].
func (d Database) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// LogValue returns [Database.String].
func (d Database) LogValue() slog.Value { return slog.StringValue(d.String()) }

// Remote reports whether the database is on a server.
func (d Database) Remote() bool { return store.IsURL(string(d)) }

// besideRemote begins the names of the files of a database that is on a server. They are in
// the working folder.
const besideRemote = "rebatedesk"

// Beside returns the path of a file or folder that belongs to the database, such as that of
// the master key: the path of the database with a suffix.
func (d Database) Beside(suffix string) string {
	if d.Remote() {
		return besideRemote + suffix
	}
	return string(d) + suffix
}

// ParseDatabase accepts the path of a file or the URL of a PostgreSQL database.
func ParseDatabase(text string) (Database, *ValueProblem) {
	scheme, _, isURL := strings.Cut(text, "://")
	switch {
	case store.IsURL(text):
		if wrong, ok := store.CheckURL(text).(*store.PlaceError); ok {
			return "", &ValueProblem{wrong.Wrong, wrong.Mend}
		}
	case isURL, strings.HasPrefix(scheme, "postgres:"), strings.HasPrefix(text, "file:"), text == ":memory:", strings.ContainsRune(text, 0):
		return "", &ValueProblem{"is neither the path of a file nor the URL of a PostgreSQL database", "give a plain path, such as rebatedesk.db, or postgres://user@host/database"}
	}
	return Database(text), nil
}
