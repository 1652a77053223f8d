package audit

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// Anchors of before a line with one of these actions do not hold for the log.
const (
	// ActionRestored is the action of the line that a log gets after its database was restored.
	ActionRestored = "database restored"
	// ActionRekeyed is that of the line that it gets when its codes are made with another key.
	ActionRekeyed = "master key changed"
)

// Anchor says how far an audit log had come. Kept outside the database, it shows whether the
// database was put back to an earlier state: a log that only grows contains every earlier anchor.
type Anchor struct {
	Lines int64            // number of lines; 0: the log was empty
	MAC   string           // code of the newest line, in hexadecimal digits
	First string           // beginning of the code of the first line, which tells logs apart; empty: unknown
	At    affiliate.Millis // when it was taken; unknown if it was given by hand
	Place string           // where it is kept, for people

	Backup bool  // it is kept with a backup, which may be of another database
	Unread error // why what is kept at Place could not be read; [fs.ErrNotExist]: there is nothing
}

// String returns LINES:MAC:FIRST, as [ParseAnchor] reads it.
func (a Anchor) String() string {
	if a.First == "" {
		return fmt.Sprintf("%d:%s", a.Lines, a.MAC)
	}
	return fmt.Sprintf("%d:%s:%s", a.Lines, a.MAC, a.First)
}

// Line returns the anchor with its time, as files have it, without a line break.
func (a Anchor) Line() string { return a.String() + " " + a.At.String() }

// firstDigits is the length of [Anchor.First].
const firstDigits = 16

var anchorForm = regexp.MustCompile(`^(0|[1-9][0-9]{0,17}):([0-9a-f]{64})(?::([0-9a-f]{16}))?(?: ([0-9T:.-]+Z))?$`)

// ParseAnchor reads LINES:MAC or LINES:MAC:FIRST, with a time behind it or without.
func ParseAnchor(text string) (a Anchor, err error) {
	parts := anchorForm.FindStringSubmatch(strings.TrimSpace(text))
	if parts == nil {
		return a, errors.New("it is no anchor of an audit log, such as 36: and 64 hexadecimal digits")
	}
	if a.Lines, err = strconv.ParseInt(parts[1], 10, 64); err != nil {
		return a, err
	}
	a.MAC, a.First = parts[2], parts[3]
	if parts[4] != "" {
		at, err := time.Parse(time.RFC3339Nano, parts[4])
		if err != nil {
			return a, errors.New("the time of the anchor is none")
		}
		a.At = affiliate.MillisOf(at)
	}
	return a, nil
}

// maxKept is the size of a file beyond which it is taken for another one.
const maxKept = 64 << 10

// ReadKept reads a small file in which an anchor is kept. It waits for nobody, as the reader of a pipe
// does. The error is [fs.ErrNotExist] if there is nothing at path, and names the path otherwise.
func ReadKept(path string) (text []byte, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is a folder or a pipe, and no file", path)
	case info.Size() > maxKept:
		return nil, fmt.Errorf("%s is too large for the file that should be there", path)
	}
	return io.ReadAll(io.LimitReader(f, maxKept))
}

// ReadAnchor returns how far the log of a state has come, as of an instant, or of a moment after its
// newest line if a clock was set back. found is false if the log was never begun.
func ReadAnchor(ctx context.Context, r *store.Tx, at time.Time) (a Anchor, found bool, err error) {
	head, err := readAuditHead(ctx, r)
	if errors.Is(err, sql.ErrNoRows) {
		return a, false, nil
	}
	if err != nil {
		return a, false, fmt.Errorf("reading how far the audit log is: %w", err)
	}
	a = Anchor{Lines: head.rows, MAC: hex.EncodeToString(head.mac), At: affiliate.MillisOf(at)}
	first, _, err := macOf(ctx, r, 1)
	if err != nil {
		return a, true, err
	}
	a.First = first[:min(len(first), firstDigits)]
	var newest affiliate.Millis
	err = r.QueryRowContext(ctx, `SELECT at_ms FROM audit WHERE id = ?`, a.Lines).Scan(&newest)
	if errors.Is(err, sql.ErrNoRows) {
		return a, true, nil
	}
	if err != nil {
		return a, true, fmt.Errorf("reading the audit log: %w", err)
	}
	a.At = max(a.At, newest+1)
	return a, true, nil
}

// macOf returns the code of a line in hexadecimal digits; there is none of a line that is missing.
func macOf(ctx context.Context, r *store.Tx, line int64) (text string, found bool, err error) {
	var mac []byte
	err = r.QueryRowContext(ctx, `SELECT mac FROM audit WHERE id = ?`, line).Scan(&mac)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("reading the audit log: %w", err)
	}
	return hex.EncodeToString(mac), true, nil
}

// AnchorStanding says how an anchor and a log stand to each other.
type AnchorStanding int

// The standings.
const (
	Holds   AnchorStanding = iota // the log contains the anchor
	Foreign                       // the log begins with another line: it is of another database, or was begun anew
	Excused                       // the database was restored, or its key changed, after the anchor was taken
	Broken                        // the log was put back, or lines of it were replaced
)

// StandIn compares an anchor with the log of a state. The key of the log proves what it says of
// restores and of other keys; without one that is believed.
func (a Anchor) StandIn(ctx context.Context, r *store.Tx, key []byte) (AnchorStanding, error) {
	if a.Lines == 0 {
		return Holds, nil
	}
	first, begun, err := macOf(ctx, r, 1)
	if err != nil {
		return Broken, err
	}
	standing := Broken
	if begun && a.First != "" && !strings.HasPrefix(first, a.First) {
		standing = Foreign
	} else if mac, _, err := macOf(ctx, r, a.Lines); err != nil || mac == a.MAC {
		return Holds, err
	}
	if !a.At.Known() {
		return standing, nil
	}
	excused, err := excusedSince(ctx, r, key, a.At)
	if err == nil && excused {
		return Excused, nil
	}
	return standing, err
}

// excusedSince reports whether the log says that its database was restored, or its key changed, at an
// instant or later.
func excusedSince(ctx context.Context, r *store.Tx, key []byte, at affiliate.Millis) (bool, error) {
	rows, err := store.Scanned(ctx, r, scanAudit, `SELECT `+auditColumns+` FROM audit WHERE action IN (?, ?) AND at_ms >= ? ORDER BY id`, ActionRestored, ActionRekeyed, at)
	if err != nil {
		return false, fmt.Errorf("reading the audit log: %w", err)
	}
	for _, row := range rows {
		if key == nil {
			return true, nil
		}
		before := make([]byte, sha256.Size)
		if row.ID > 1 {
			text, _, err := macOf(ctx, r, row.ID-1)
			if err != nil {
				return false, err
			}
			if before, err = hex.DecodeString(text); err != nil {
				return false, err
			}
		}
		if hmac.Equal(row.mac, row.code(key, before)) {
			return true, nil
		}
	}
	return false, nil
}

// anchored compares the log with anchors that are kept outside the database.
func (c *auditCheck) anchored(ctx context.Context, anchors []Anchor) error {
	held, others := 0, 0
	for _, a := range anchors {
		if a.Unread != nil {
			c.without(a)
			continue
		}
		standing, err := a.StandIn(ctx, c.r, c.key)
		switch {
		case err != nil:
			return err
		case standing == Holds:
			held++
		case standing == Foreign && a.Backup:
			others++
		case standing == Foreign:
			c.Fault("its first line is another one than %s says%s: either all its lines were deleted and it was begun anew, or that anchor is of another database and belongs elsewhere", a.Place, on(a.At))
		case standing == Broken && a.Lines > c.rows:
			c.Fault("it was put back to an earlier state: it has %d lines, and %s says that there were %d%s", c.rows, a.Place, a.Lines, on(a.At))
		case standing == Broken:
			c.Fault("line %d is another one than %s says%s: lines were taken back and others written", a.Lines, a.Place, on(a.At))
		}
	}
	if c.Count() > c.unread {
		c.Remedy = auditPutBack
	}
	switch {
	case held > 0:
		c.Seen += fmt.Sprintf(" (%d of %d anchors outside the database compared", held, held+others)
	case c.Sound() && c.rows > 0:
		c.Seen += " (no anchor outside the database to compare with"
	default:
		return nil
	}
	if others > 0 {
		c.Seen += fmt.Sprintf("; %d of backups of another database", others)
	}
	c.Seen += ")"
	return nil
}

// without notes an anchor that there is none of, which weakens the check, or that cannot be read.
func (c *auditCheck) without(a Anchor) {
	switch {
	case !errors.Is(a.Unread, fs.ErrNotExist):
		c.unread++
		c.Fault("it could not be compared with %s: %v", a.Place, a.Unread)
	case c.rows > 0:
		c.Warnings = append(c.Warnings, fmt.Sprintf("no anchor beside the database: there is no %s; unless the database was moved here or comes from an earlier version, somebody removed it. The server writes it anew: compare the log with an anchor from elsewhere first, with --anchor", a.Place))
	}
}

func on(at affiliate.Millis) string {
	if !at.Known() {
		return ""
	}
	return " on " + at.String()
}
