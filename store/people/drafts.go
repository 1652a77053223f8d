package people

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// FileDraft is a file that was shown as a preview.
type FileDraft struct {
	Name    string
	Content []byte
}

// draftLife is how long a preview can be confirmed.
const draftLife = affiliate.Millis(24 * time.Hour / time.Millisecond)

// SaveDraft keeps a file until its import is confirmed, for a day at most, and returns the token
// by which [TakeDraft] finds it.
func SaveDraft(ctx context.Context, s *store.Store, actor, name string, content []byte) (string, error) {
	token := rand.Text()
	err := s.UpdateQuietly(ctx, func(tx *store.Tx) error {
		now := affiliate.MillisOf(s.Now())
		if _, err := tx.ExecContext(ctx, `DELETE FROM people_drafts WHERE created_ms < ? OR actor = ?`, int64(now-draftLife), actor); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO people_drafts (token, created_ms, actor, file, content) VALUES (?, ?, ?, ?, ?)`, token, int64(now), actor, name, content)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("keeping a file: %w", err)
	}
	return token, nil
}

// TakeDraft returns the file of a user with a token and forgets it. One that is gone is a
// *[store.RuleError].
func TakeDraft(ctx context.Context, s *store.Store, token, actor string) (d FileDraft, err error) {
	err = s.UpdateQuietly(ctx, func(tx *store.Tx) error {
		err := tx.QueryRowContext(ctx, `SELECT file, content FROM people_drafts WHERE token = ? AND actor = ?`, token, actor).Scan(&d.Name, &d.Content)
		if errors.Is(err, sql.ErrNoRows) {
			return &store.RuleError{Problem: "This preview is no longer there: it was imported, replaced by a newer one, or is older than a day. Choose the file again.", Missing: true, Stale: true}
		}
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM people_drafts WHERE token = ?`, token)
		return err
	})
	if err != nil {
		return FileDraft{}, fmt.Errorf("taking a file: %w", err)
	}
	return d, nil
}
