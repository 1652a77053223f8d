package audit

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"

	"rebatedesk/store"
)

// These are the ways in which the audit log can fail a check, with their remedies.
const (
	auditTampered = "somebody changed the database behind this program's back: keep a copy of it as evidence, and restore the newest sound backup"
	auditPutBack  = auditTampered + "; if you have put a backup back by hand, webapp verify --restored WHY records that in the log; if an anchor is of another database, move its file away"
	auditUnread   = "put back the file that was there, or move it away; webapp verify --anchor compares the log with an anchor from elsewhere"
	auditNoKey    = "give webapp verify that key, as REBATEDESK_MASTER_KEY or in its file: <DB>.key, or rebatedesk.key in the working folder with a server"
)

// auditCheck proves the audit log line by line, up to the first wrong one: every line after
// it depends on it.
type auditCheck struct {
	*store.VerifyResult
	r         *store.Tx
	key       []byte
	head      auditHead
	authentic bool  // the head is unchanged since this program wrote it
	rows      int64 // that exist
	unread    int   // faults of anchors that cannot be read
}

// VerifyState checks that the audit log is what was written, complete and in order, and that it
// contains the anchors, which were read before the state was opened. A nil key proves nothing,
// which is a fault if there is something to prove.
func VerifyState(ctx context.Context, r *store.Tx, key []byte, anchors ...Anchor) (store.VerifyResult, error) {
	c := auditCheck{VerifyResult: &store.VerifyResult{Check: "audit log", Remedy: auditTampered}, r: r, key: key}
	if err := r.QueryRowContext(ctx, `SELECT count(*) FROM audit`).Scan(&c.rows); err != nil {
		return *c.VerifyResult, err
	}
	c.Seen = fmt.Sprintf("%d lines", c.rows)
	if err := c.anchored(ctx, anchors); err != nil {
		return *c.VerifyResult, err
	}
	err := c.prove(ctx)
	if c.unread > 0 && c.Count() == c.unread {
		c.Remedy = auditUnread
	}
	return *c.VerifyResult, err
}

// prove checks the log with its key.
func (c *auditCheck) prove(ctx context.Context) error {
	if err := c.guards(ctx); err != nil {
		return err
	}
	var err error
	c.head, err = readAuditHead(ctx, c.r)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return c.headless(ctx)
	case err != nil:
		return err
	case c.key == nil:
		c.Fault("it cannot be proved without the master key that it was begun with")
		c.Remedy, c.Unproved = auditNoKey, len(c.Faults) == 1
		return nil
	}
	c.authentic = c.head.keyID == store.AuditKeyID(c.key) && hmac.Equal(c.head.seal, c.head.code(c.key))
	if !c.authentic {
		c.Fault("its head is forged: how many lines there were is not known")
	}
	return c.walk(ctx)
}

// guards checks that the triggers are those of the migrations.
func (c *auditCheck) guards(ctx context.Context) error {
	left, err := c.r.GuardsGone(ctx)
	if err != nil {
		return err
	}
	if left != 0 {
		c.Fault("%d of the guards that keep lines from being changed are gone or altered", left)
	}
	return nil
}

// headless checks a log without a head: one that was not begun.
func (c *auditCheck) headless(ctx context.Context) error {
	if c.rows > 0 {
		c.Fault("its head was removed: how many lines there were is not known")
		return nil
	}
	// Every row of these tables was written together with a line of the log.
	tables, err := c.r.Tables(ctx)
	if err != nil {
		return err
	}
	for _, table := range []string{"users", "exchange_accounts"} {
		if !slices.Contains(tables, table) {
			continue
		}
		var rows bool
		if err := c.r.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM `+table+`)`).Scan(&rows); err != nil {
			return err
		}
		if rows {
			c.Fault("all its lines and its head were removed: there are rows in %s, which cannot come without lines", table)
		}
	}
	return nil
}

// walk reads the lines in order and reports the first wrong one.
func (c *auditCheck) walk(ctx context.Context) error {
	before, next := make([]byte, sha256.Size), int64(1)
	for row, err := range c.lines(ctx) {
		switch {
		case err != nil:
			return err
		case row.ID < next:
			c.Fault("line %d was inserted: the first line has the number 1", row.ID)
			return nil
		case c.authentic && row.ID > c.head.rows:
			c.Fault("line %d was inserted at the end: the log has %d lines", row.ID, c.head.rows)
			return nil
		case row.ID > next:
			c.Fault("%s removed in the middle", numbered(next, row.ID-1))
			return nil
		case !hmac.Equal(row.mac, row.code(c.key, before)):
			return c.explain(ctx, row, before)
		}
		before, next = row.mac, row.ID+1
	}
	if c.authentic && next <= c.head.rows {
		c.Fault("%s removed at the end", numbered(next, c.head.rows))
	} else if c.authentic && !hmac.Equal(before, c.head.mac) {
		c.Fault("line %d is not the one that the log ended with", next-1)
	}
	return nil
}

// numbered names lines by their numbers, with the verb that follows.
func numbered(first, last int64) string {
	if first == last {
		return fmt.Sprintf("line %d was", first)
	}
	return fmt.Sprintf("lines %d to %d were", first, last)
}

// explain says what happened to a line that does not follow the previous one.
func (c *auditCheck) explain(ctx context.Context, wrong auditRow, before []byte) error {
	if c.authentic && c.rows < c.head.rows {
		missing := c.head.rows - c.rows
		moved, err := c.movedUp(ctx, wrong, missing)
		if err != nil {
			return err
		}
		if moved {
			c.Fault("%s removed in the middle, and those behind renumbered", numbered(wrong.ID, wrong.ID+missing-1))
			return nil
		}
	}
	place, err := c.find(ctx, wrong, before)
	switch {
	case err != nil:
		return err
	case place == 0:
		c.Fault("line %d was changed: %s, %q by %.60q", wrong.ID, wrong.At, wrong.Action, wrong.Actor)
	case c.authentic && c.rows > c.head.rows:
		c.Fault("line %d was inserted: what stood there stands at %d", wrong.ID, place)
	default:
		c.Fault("line %d was reordered: what stood there stands at %d", wrong.ID, place)
	}
	return nil
}

// movedUp reports whether a line and the next one previously had numbers that were higher
// by that many.
func (c *auditCheck) movedUp(ctx context.Context, row auditRow, by int64) (bool, error) {
	for behind, err := range c.lines(ctx) {
		if err != nil {
			return false, err
		}
		if behind.ID == row.ID+1 {
			behind.ID += by
			return hmac.Equal(behind.mac, behind.code(c.key, row.mac)), nil
		}
	}
	return hmac.Equal(row.mac, c.head.mac), nil
}

// find looks for the line that belongs in the place of a wrong one, and returns its number,
// or 0 if no line fits. Its code may or may not have moved with it.
func (c *auditCheck) find(ctx context.Context, wrong auditRow, before []byte) (int64, error) {
	for row, err := range c.lines(ctx) {
		if err != nil {
			return 0, err
		}
		if row.ID == wrong.ID {
			continue
		}
		place := row.ID
		row.ID = wrong.ID
		if code := row.code(c.key, before); hmac.Equal(code, row.mac) || hmac.Equal(code, wrong.mac) {
			return place, nil
		}
	}
	return 0, nil
}

// lines yields all rows with their codes, by number.
func (c *auditCheck) lines(ctx context.Context) iter.Seq2[auditRow, error] {
	return func(yield func(auditRow, error) bool) {
		rows, err := c.r.QueryContext(ctx, `SELECT `+auditColumns+` FROM audit ORDER BY id`)
		if err != nil {
			yield(auditRow{}, err)
			return
		}
		defer rows.Close()
		for rows.Next() {
			row, err := scanAudit(rows)
			if !yield(row, err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(auditRow{}, err)
		}
	}
}
