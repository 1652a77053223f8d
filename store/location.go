package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// PlaceError means that a database cannot be used at the place that the settings name, and
// that waiting does not change it. It contains no password.
type PlaceError struct {
	Wrong string // the fault, as the end of a sentence about the place
	Mend  string
	cause error // of the server; nil without one
}

func (e *PlaceError) Error() string { return e.Wrong + "; " + e.Mend }
func (e *PlaceError) Unwrap() error { return e.cause }

// IsURL reports whether a database is named by the URL of a server, not by the path of a
// file.
func IsURL(place string) bool {
	return strings.HasPrefix(place, "postgres://") || strings.HasPrefix(place, "postgresql://")
}

// urlForm says how to write the URL of a database.
const urlForm = "give it as postgres://user@host:5432/database, several hosts as host1:5432,host2:5432, with special characters of user and password percent-encoded"

// CheckURL returns a *[PlaceError] for a URL that cannot be one of a database. It connects to
// nothing.
func CheckURL(place string) error {
	_, err := parseURL(place)
	return err
}

// parseURL reads the URL of a database. The errors of the driver are left out: they quote
// the URL.
func parseURL(place string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(place)
	switch {
	case err != nil:
		return nil, &PlaceError{Wrong: "is not the URL of a database", Mend: urlForm}
	case config.Database == "":
		return nil, &PlaceError{Wrong: "names no database", Mend: urlForm}
	}
	return config, nil
}

// PlaceOf names a database for people: the path of a file as it is, a URL without its
// password and options.
func PlaceOf(place string) string {
	if !IsURL(place) {
		return place
	}
	config, err := parseURL(place)
	if err != nil {
		return "postgres://…"
	}
	return placeOf(config)
}

// DatabaseAndUser returns the names of the database of a URL and of the user; empty for a file.
func DatabaseAndUser(place string) (database, user string) {
	if !IsURL(place) {
		return "", ""
	}
	config, err := parseURL(place)
	if err != nil {
		return "", ""
	}
	return config.Database, config.User
}

func placeOf(config *pgx.ConnConfig) string {
	hosts := []string{hostOf(config.Host, config.Port)}
	for _, other := range config.Fallbacks {
		if host := hostOf(other.Host, other.Port); !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	user := ""
	if config.User != "" {
		user = config.User + "@"
	}
	return "postgres://" + user + strings.Join(hosts, ",") + "/" + config.Database
}

// hostOf names a host, or the folder of a local socket.
func hostOf(host string, port uint16) string {
	return net.JoinHostPort(host, strconv.Itoa(int(port)))
}

// Exists reports whether a database of this program, or of another one, is at a place: a
// file, or tables of this program.
func Exists(ctx context.Context, place string) (there bool, err error) {
	if !IsURL(place) {
		_, err := os.Stat(place)
		return !errors.Is(err, fs.ErrNotExist), nil
	}
	s, err := OpenForInspection(ctx, place)
	if err != nil {
		return false, fmt.Errorf("database %s: %w", PlaceOf(place), err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	version, err := s.Schema(ctx)
	if errors.Is(err, ErrForeign) {
		return true, nil // opening it says so
	}
	return version > 0, err
}
