package audit

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// Line is one line of the audit log: who did what. A function that writes a change together
// with its line takes the line as its argument `by`, with Actor, Via and Address filled in.
type Line struct {
	ID      int64            // 1, 2, 3 without a gap; set by the store
	At      affiliate.Millis // set by the store
	Actor   string           // name of the user; empty if no user is signed in
	Via     string           // session, token, command or server
	Address string           // of the client; empty if unknown
	Action  string           // "sign-in", "export", "user added"
	Object  string           // target of the action: a user, an account, a page
	Detail  string
	Outcome string // empty: done
}

var (
	// ErrBroken is returned by audited writes if the log does not end as it was left.
	// Further lines would hide the tampering.
	ErrBroken = errors.New("the audit log was tampered with, so nothing can be added to it: webapp verify tells more; restore a sound backup")
)

// Write adds lines to the audit log, all or none. A change of data is instead written
// together with its line by the function that makes the change.
func Write(ctx context.Context, s *store.Store, lines ...Line) error {
	err := s.UpdateAside(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		for _, line := range lines {
			if err := Append(ctx, s, tx, stamp, line); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("writing the audit log: %w", err)
	}
	return nil
}

// Append adds a line within the write that it reports.
func Append(ctx context.Context, s *store.Store, tx *store.Tx, stamp affiliate.Millis, line Line) error {
	return appendBy(ctx, s.AuditKey(), tx, stamp, line)
}

// appendBy is [Append] with a key.
func appendBy(ctx context.Context, key []byte, tx *store.Tx, stamp affiliate.Millis, line Line) error {
	if key == nil {
		return store.ErrNoAuditKey
	}
	head, err := auditEnd(ctx, tx, key)
	if err != nil {
		return err
	}
	row := auditRow{Line: line.cut()}
	row.ID, row.At = head.rows+1, stamp
	row.mac = row.code(key, head.mac)
	_, err = tx.ExecContext(ctx, `
		INSERT INTO audit (id, at_ms, actor, via, address, action, object, detail, outcome, mac)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		row.ID, row.At, row.Actor, row.Via, row.Address, row.Action, row.Object, row.Detail, row.Outcome, row.mac)
	if err != nil {
		return err
	}
	head.rows, head.mac = row.ID, row.mac
	_, err = tx.ExecContext(ctx, `UPDATE audit_head SET rows = ?, mac = ?, seal = ?`, head.rows, head.mac, head.code(key))
	return err
}

// auditEnd returns the head of the log, and creates it if the log is new.
func auditEnd(ctx context.Context, tx *store.Tx, key []byte) (auditHead, error) {
	head, err := readAuditHead(ctx, tx)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return beginAudit(ctx, tx, key)
	case err != nil:
		return head, err
	case head.keyID != store.AuditKeyID(key):
		return head, store.ErrAuditKey
	case !hmac.Equal(head.seal, head.code(key)):
		return head, ErrBroken
	}
	return head, nil
}

// beginAudit creates the head of a log without rows. If rows exist, the head has been
// removed by tampering.
func beginAudit(ctx context.Context, tx *store.Tx, key []byte) (auditHead, error) {
	head := auditHead{keyID: store.AuditKeyID(key), mac: make([]byte, sha256.Size)}
	var rows bool
	if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM audit)`).Scan(&rows); err != nil {
		return head, err
	}
	if rows {
		return head, ErrBroken
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO audit_head (id, key_id, rows, mac, seal) VALUES (1, ?, 0, ?, ?)`,
		head.keyID, head.mac, head.code(key))
	return head, err
}

// auditRow is a line with its code.
type auditRow struct {
	Line
	mac []byte
}

// code returns the code over the row and the code of the row before it.
func (r auditRow) code(key, before []byte) []byte {
	return store.AuditCode(key, []byte("row"), before, store.EncodeNumber(r.ID), store.EncodeNumber(int64(r.At)),
		[]byte(r.Actor), []byte(r.Via), []byte(r.Address), []byte(r.Action), []byte(r.Object), []byte(r.Detail), []byte(r.Outcome))
}

// auditHead holds the number of rows and the code of the newest row.
type auditHead struct {
	keyID     string
	rows      int64
	mac, seal []byte
}

func (h auditHead) code(key []byte) []byte {
	return store.AuditCode(key, []byte("head"), []byte(h.keyID), store.EncodeNumber(h.rows), h.mac)
}

func readAuditHead(ctx context.Context, tx *store.Tx) (h auditHead, err error) {
	err = tx.QueryRowContext(ctx, `SELECT key_id, rows, mac, seal FROM audit_head WHERE id = 1`).Scan(&h.keyID, &h.rows, &h.mac, &h.seal)
	return h, err
}

// cut shortens and cleans the texts of a line so that they can be stored: some come from
// unauthenticated clients.
func (a Line) cut() Line {
	for _, field := range []struct {
		text *string
		most int // characters
	}{{&a.Actor, 100}, {&a.Via, 20}, {&a.Address, 60}, {&a.Action, 60}, {&a.Object, 300}, {&a.Detail, 1000}, {&a.Outcome, 300}} {
		*field.text = CutText(*field.text, field.most)
	}
	return a
}

// CutText shortens a text and replaces characters that no text should hold. The engine
// treats a zero byte as the end in some places.
func CutText(text string, most int) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	count := 0
	for i := range text {
		if count++; count > most {
			return text[:i] + "…"
		}
	}
	return text
}
