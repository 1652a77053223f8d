package store

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"rebatedesk/affiliate"
)

// inviteCodes keeps the invite codes of one state. Every write of commissions needs them, and
// they seldom change.
type inviteCodes struct {
	sync.Mutex
	changed affiliate.Millis // stamp of the write that changed a code last, see [Tx.CodesChanged]
	of      *KnownCodes
}

// KnownCodes are the known invite codes of invitees. A code of ours counts where the exchange tells
// none.
type KnownCodes struct {
	told map[int64]map[affiliate.UID]string // by account, with those of ours
	own  map[affiliate.UID]string           // ours
}

// Of returns the codes of the invitees of an account. The caller must not change them.
func (c *KnownCodes) Of(account int64) map[affiliate.UID]string {
	if told := c.told[account]; told != nil {
		return told
	}
	return c.own // the exchange tells no code of this account
}

// InviteCodes returns the invite codes of the invitees of an account whose code is known.
// It reads them again if one has changed, also if another process changed it. The caller
// must not change them.
func (t *Tx) InviteCodes(ctx context.Context, account int64) (map[affiliate.UID]string, error) {
	var changed affiliate.Millis
	if err := t.QueryRowContext(ctx, `SELECT codes_ms FROM meta WHERE id = 1`).Scan(&changed); err != nil {
		return nil, fmt.Errorf("reading invite codes: %w", err)
	}
	kept := &t.store.codes
	kept.Lock()
	defer kept.Unlock()
	if kept.of == nil || kept.changed != changed {
		of, err := t.ReadInviteCodes(ctx)
		if err != nil {
			return nil, err
		}
		kept.changed, kept.of = changed, of
	}
	return kept.of.Of(account), nil
}

// ReadInviteCodes returns the invite codes of all accounts as they are stored, which
// [Tx.InviteCodes] gives unless a user changed them by hand.
func (t *Tx) ReadInviteCodes(ctx context.Context) (*KnownCodes, error) {
	codes := &KnownCodes{told: map[int64]map[affiliate.UID]string{}, own: map[affiliate.UID]string{}}
	own, err := t.QueryContext(ctx, `SELECT uid, invite_code FROM people WHERE invite_code > ''`)
	if err != nil {
		return nil, fmt.Errorf("reading our invite codes: %w", err)
	}
	defer own.Close()
	for own.Next() {
		var uid affiliate.UID
		var code string
		if err := own.Scan(&uid, &code); err != nil {
			return nil, fmt.Errorf("reading our invite codes: %w", err)
		}
		codes.own[uid] = code
	}
	if err := own.Err(); err != nil {
		return nil, fmt.Errorf("reading our invite codes: %w", err)
	}
	rows, err := t.QueryContext(ctx, `SELECT account_id, uid, invite_code FROM invitees WHERE invite_code > ''`)
	if err != nil {
		return nil, fmt.Errorf("reading invite codes: %w", err)
	}
	defer rows.Close()
	names := map[string]string{} // each code is kept once
	for rows.Next() {
		var account int64
		var uid affiliate.UID
		var code string
		if err := rows.Scan(&account, &uid, &code); err != nil {
			return nil, fmt.Errorf("reading invite codes: %w", err)
		}
		if names[code] == "" {
			names[code] = code
		}
		if codes.told[account] == nil {
			codes.told[account] = maps.Clone(codes.own)
		}
		codes.told[account][uid] = names[code]
	}
	return codes, rows.Err()
}

// CodesChanged records that the write with the stamp changes invite codes. The write must
// not ask for [Tx.InviteCodes] itself, since it may yet be undone.
func (t *Tx) CodesChanged(ctx context.Context, stamp affiliate.Millis) error {
	_, err := t.ExecContext(ctx, `UPDATE meta SET codes_ms = ?`, stamp)
	return err
}
