package people

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// MaxNote is the maximum number of characters of a note.
const MaxNote = 2000

// Note is a user's note about an invitee.
type Note struct {
	ID      int64
	Account affiliate.Account
	UID     affiliate.UID
	Author  string // empty: written before users existed
	Text    string // lines end with \n
	Created affiliate.Millis
}

// Notes lists the undeleted notes of one invitee, newest first.
func Notes(ctx context.Context, r *store.Tx, account affiliate.Account, uid affiliate.UID) ([]Note, error) {
	rows, err := r.QueryContext(ctx, `
		SELECT n.id, a.name, n.uid, n.author, n.text, n.created_ms
		FROM invitee_notes n JOIN accounts a ON a.id = n.account_id
		WHERE a.name = ? AND n.uid = ? AND n.deleted_ms IS NULL
		ORDER BY n.created_ms DESC, n.id DESC`, account, uid)
	if err != nil {
		return nil, fmt.Errorf("reading the notes of %s: %w", uid, err)
	}
	defer rows.Close()
	var notes []Note
	for rows.Next() {
		var n Note
		if err := rows.Scan(&n.ID, &n.Account, &n.UID, &n.Author, &n.Text, &n.Created); err != nil {
			return nil, fmt.Errorf("reading the notes of %s: %w", uid, err)
		}
		notes = append(notes, n)
	}
	return notes, rows.Err()
}

// AddNote stores a note of an invitee. A text equal to the invitee's newest note by the same
// author is not added again, so a form sent twice makes one note. A broken rule is a *RuleError.
func AddNote(ctx context.Context, s *store.Store, n Note) error {
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error { return WriteNote(ctx, tx, n, stamp) })
	if err != nil {
		return fmt.Errorf("adding a note of %s: %w", n.UID, err)
	}
	return nil
}

// WriteNote is [AddNote] inside a transaction.
func WriteNote(ctx context.Context, tx *store.Tx, n Note, stamp affiliate.Millis) error {
	text, err := noteText(n.Text)
	if err != nil {
		return err
	}
	account, err := store.KnownInvitee(ctx, tx, n.Account, n.UID)
	if err != nil {
		return err
	}
	var newest, author string
	err = tx.QueryRowContext(ctx, `
		SELECT text, author FROM invitee_notes WHERE account_id = ? AND uid = ? AND deleted_ms IS NULL
		ORDER BY created_ms DESC, id DESC LIMIT 1`, account, n.UID).Scan(&newest, &author)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	if err == nil && newest == text && author == n.Author {
		return nil
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO invitee_notes (id, account_id, uid, author, text, created_ms) VALUES (?, ?, ?, ?, ?, ?)`,
		store.RandomID(), account, n.UID, n.Author, text, stamp)
	return err
}

// NotesAt lists the notes of some invitees as they stood at an instant, where unknown means now,
// oldest first.
func NotesAt(ctx context.Context, r *store.Tx, of affiliate.Members, at affiliate.Millis) ([]Note, error) {
	var w store.Where
	w.OfMembers("n", of)
	if at.Known() {
		w.Add(`n.created_ms <= ? AND (n.deleted_ms IS NULL OR n.deleted_ms > ?)`, int64(at), int64(at))
	} else {
		w.Add(`n.deleted_ms IS NULL`)
	}
	list, err := store.Scanned(ctx, r, func(rows *sql.Rows) (n Note, err error) {
		err = rows.Scan(&n.ID, &n.Account, &n.UID, &n.Author, &n.Text, &n.Created)
		return n, err
	}, `
		SELECT n.id, a.name, n.uid, n.author, n.text, n.created_ms
		FROM invitee_notes n JOIN accounts a ON a.id = n.account_id
		WHERE `+w.String()+`
		ORDER BY n.created_ms, n.id`, w.Args...)
	if err != nil {
		return nil, fmt.Errorf("reading all notes: %w", err)
	}
	return list, nil
}

// DeleteNote marks a note of an invitee as deleted: it stays stored but is no longer shown.
// It is no error if the note is already gone.
func DeleteNote(ctx context.Context, s *store.Store, account affiliate.Account, uid affiliate.UID, id int64) error {
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		_, err := tx.ExecContext(ctx, `
			UPDATE invitee_notes SET deleted_ms = ?
			WHERE id = ? AND uid = ? AND deleted_ms IS NULL AND account_id = (SELECT id FROM accounts WHERE name = ?)`,
			stamp, id, uid, account)
		return err
	})
	if err != nil {
		return fmt.Errorf("deleting note %d of %s: %w", id, uid, err)
	}
	return nil
}

// noteText returns a text as it is stored: with line breaks and tabs, but without other
// control characters and invisible characters.
func noteText(text string) (string, error) {
	text = strings.TrimSpace(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text))
	switch {
	case !strings.ContainsFunc(text, store.IsVisible):
		return "", store.Refuse("The note is empty.")
	case utf8.RuneCountInString(text) > MaxNote:
		return "", store.Refuse("The note is longer than %d characters.", MaxNote)
	case !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }):
		return "", store.Refuse("The note has control characters.")
	}
	return text, store.RefuseInvisible("The note", text, affiliate.InvisibleInLines)
}
