package audit

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// rekeyed is how many lines are read at once while their codes are made again.
const rekeyed = 500

// ErrNotSound is the error for a log whose codes must not be made again.
var ErrNotSound = errors.New("the audit log is not sound, and new codes would hide it")

// Rekey proves the whole log with the key of the store and the anchors, which were read before the
// transaction began, makes all its codes again with another key, and adds a line under that key,
// which names the anchor of before. It returns what it proved. A log that is not sound is
// [ErrNotSound]. Until the store uses the new key, it refuses audited writes.
func Rekey(ctx context.Context, s *store.Store, tx *store.Tx, stamp affiliate.Millis, key []byte, by Line, anchors ...Anchor) (found store.VerifyResult, err error) {
	if len(key) < sha256.Size || s.AuditKey() == nil {
		return found, store.ErrNoAuditKey
	}
	if found, err = VerifyState(ctx, tx, s.AuditKey(), anchors...); err != nil {
		return found, err
	}
	if !found.Sound() {
		return found, fmt.Errorf("%w: %s; %s", ErrNotSound, found.Faults[0], found.Remedy)
	}
	before, begun, err := ReadAnchor(ctx, tx, stamp.Time())
	if err != nil {
		return found, err
	}
	if begun {
		by.Detail += ", audit log before: " + before.String()
		if err := tx.Unguarded(ctx, func() error { return recode(ctx, tx, key, before.Lines) }); err != nil {
			return found, fmt.Errorf("making the codes of the audit log again: %w", err)
		}
	}
	by.Action = ActionRekeyed
	return found, appendBy(ctx, key, tx, stamp, by)
}

// recode replaces the codes of all lines and of the head.
func recode(ctx context.Context, tx *store.Tx, key []byte, lines int64) error {
	head := auditHead{keyID: store.AuditKeyID(key), mac: make([]byte, sha256.Size)}
	for head.rows < lines {
		page, err := store.Scanned(ctx, tx, scanAudit, `SELECT `+auditColumns+` FROM audit WHERE id > ? ORDER BY id LIMIT ?`, head.rows, rekeyed)
		if err != nil {
			return err
		}
		if len(page) == 0 {
			return errors.New("it has fewer lines than it had")
		}
		for _, row := range page {
			head.rows, head.mac = row.ID, row.code(key, head.mac)
			if _, err := tx.ExecContext(ctx, `UPDATE audit SET mac = ? WHERE id = ?`, head.mac, head.rows); err != nil {
				return err
			}
		}
	}
	_, err := tx.ExecContext(ctx, `UPDATE audit_head SET key_id = ?, mac = ?, seal = ?`, head.keyID, head.mac, head.code(key))
	return err
}
