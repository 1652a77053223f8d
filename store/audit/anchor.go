package audit

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// ActionRestored is the action of the line that a log gets after its database was restored. Anchors of
// before that line do not hold for it.
const ActionRestored = "database restored"

// Anchor says how far an audit log had come. Kept outside the database, it shows whether the
// database was put back to an earlier state: a log that only grows contains every earlier anchor.
type Anchor struct {
	Lines int64            // number of lines; 0: the log was empty
	MAC   string           // code of the newest line, in hexadecimal digits
	First string           // beginning of the code of the first line, which tells logs apart; empty: unknown
	At    affiliate.Millis // when it was taken; unknown if it was given by hand
	Place string           // where it is kept, for people
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

// ReadAnchor returns how far the log of a state has come, as of an instant. found is false if the
// log was never begun.
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
	a.First = first[:min(len(first), firstDigits)]
	return a, true, err
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
	Foreign                       // the anchor belongs to the log of another database
	Excused                       // the database was restored after the anchor was taken
	Broken                        // the log was put back, or lines of it were replaced
)

// StandIn compares an anchor with the log of a state.
func (a Anchor) StandIn(ctx context.Context, r *store.Tx) (AnchorStanding, error) {
	if a.Lines == 0 {
		return Holds, nil
	}
	first, begun, err := macOf(ctx, r, 1)
	if err != nil {
		return Broken, err
	}
	if begun && a.First != "" && !strings.HasPrefix(first, a.First) {
		return Foreign, nil
	}
	mac, _, err := macOf(ctx, r, a.Lines)
	if err != nil || mac == a.MAC {
		return Holds, err
	}
	restored, err := lastRestored(ctx, r)
	if err == nil && a.At.Known() && restored >= a.At {
		return Excused, nil
	}
	return Broken, err
}

// lastRestored returns when the log last says that its database was restored.
func lastRestored(ctx context.Context, r *store.Tx) (at affiliate.Millis, err error) {
	err = r.QueryRowContext(ctx, `SELECT coalesce(max(at_ms), 0) FROM audit WHERE action = ?`, ActionRestored).Scan(&at)
	return at, err
}

// anchored compares the log with anchors that are kept outside the database.
func (c *auditCheck) anchored(ctx context.Context, anchors []Anchor) error {
	held := 0
	for _, a := range anchors {
		standing, err := a.StandIn(ctx, c.r)
		switch {
		case err != nil:
			return err
		case standing == Holds:
			held++
		case standing == Broken && a.Lines > c.rows:
			c.Fault("it was put back to an earlier state: it has %d lines, and %s says that there were %d%s", c.rows, a.Place, a.Lines, on(a.At))
		case standing == Broken:
			c.Fault("line %d is another one than %s says%s: lines were taken back and others written", a.Lines, a.Place, on(a.At))
		}
	}
	switch {
	case held > 0:
		c.Seen += fmt.Sprintf(" (%d of %d anchors outside the database compared)", held, len(anchors))
	case len(c.Faults) == 0 && c.rows > 0:
		c.Seen += " (no anchor outside the database to compare with)"
	}
	if len(c.Faults) > 0 {
		c.Remedy = auditPutBack
	}
	return nil
}

func on(at affiliate.Millis) string {
	if !at.Known() {
		return ""
	}
	return " on " + at.String()
}
