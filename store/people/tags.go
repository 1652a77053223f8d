package people

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// Limits of tags.
const (
	MaxTags = 20 // per invitee
	MaxTag  = 40 // characters
)

// TagSeparator separates tags in exports, and occurs in no tag.
const TagSeparator = ";"

// TagCount is a tag with the number of invitees that have it.
type TagCount struct {
	Tag      string
	Invitees int64
}

// Person is an invitee of an account.
type Person struct {
	Account affiliate.Account
	UID     affiliate.UID
}

// TagsOf lists the tags of one invitee in alphabetical order.
func TagsOf(ctx context.Context, r *store.Tx, account affiliate.Account, uid affiliate.UID) ([]string, error) {
	tags, err := store.ReadColumn[string](ctx, r, `
		SELECT t.tag FROM invitee_tags t JOIN accounts a ON a.id = t.account_id
		WHERE a.name = ? AND t.uid = ? ORDER BY t.folded`, account, uid)
	if err != nil {
		return nil, fmt.Errorf("reading the tags of %s: %w", uid, err)
	}
	return tags, nil
}

// TagsByInvitee returns the tags of every invitee that has any, each list in alphabetical
// order.
func TagsByInvitee(ctx context.Context, r *store.Tx) (map[Person][]string, error) {
	rows, err := r.QueryContext(ctx, `
		SELECT a.name, t.uid, t.tag FROM invitee_tags t JOIN accounts a ON a.id = t.account_id ORDER BY t.folded`)
	if err != nil {
		return nil, fmt.Errorf("reading the tags of all invitees: %w", err)
	}
	defer rows.Close()
	tags := map[Person][]string{}
	for rows.Next() {
		var p Person
		var tag string
		if err := rows.Scan(&p.Account, &p.UID, &tag); err != nil {
			return nil, fmt.Errorf("reading the tags of all invitees: %w", err)
		}
		tags[p] = append(tags[p], tag)
	}
	return tags, rows.Err()
}

// Tags lists all tags in use in alphabetical order.
func Tags(ctx context.Context, r *store.Tx) ([]TagCount, error) {
	rows, err := r.QueryContext(ctx, `SELECT min(tag), count(*) FROM invitee_tags GROUP BY folded ORDER BY folded`)
	if err != nil {
		return nil, fmt.Errorf("reading tags: %w", err)
	}
	defer rows.Close()
	var tags []TagCount
	for rows.Next() {
		var t TagCount
		if err := rows.Scan(&t.Tag, &t.Invitees); err != nil {
			return nil, fmt.Errorf("reading tags: %w", err)
		}
		tags = append(tags, t)
	}
	return tags, rows.Err()
}

// Tagged returns the set of invitees that have a tag, ignoring its case. Tags are always
// current: a tag is not a fact that the exchange reported at some time.
func Tagged(ctx context.Context, r *store.Tx, tag string) (map[Person]bool, error) {
	rows, err := r.QueryContext(ctx, `
		SELECT a.name, t.uid FROM invitee_tags t JOIN accounts a ON a.id = t.account_id WHERE t.folded = ?`, store.Folded(tag))
	if err != nil {
		return nil, fmt.Errorf("reading who is tagged: %w", err)
	}
	defer rows.Close()
	set := map[Person]bool{}
	for rows.Next() {
		var p Person
		if err := rows.Scan(&p.Account, &p.UID); err != nil {
			return nil, fmt.Errorf("reading who is tagged: %w", err)
		}
		set[p] = true
	}
	return set, rows.Err()
}

// WhereTagged adds the condition that the rows of alias, which have an account_id and a
// uid, belong to invitees with a tag. An empty tag adds no condition.
func WhereTagged(w *store.Where, alias, tag string) {
	if tag != "" {
		w.Add(`(`+alias+`.account_id, `+alias+`.uid) IN (SELECT account_id, uid FROM invitee_tags WHERE folded = ?)`, store.Folded(tag))
	}
}

// AddTag gives an invitee a tag, spelled as at its first use. It is no error if the invitee
// already has the tag; a broken rule is a *RuleError.
func AddTag(ctx context.Context, s *store.Store, account affiliate.Account, uid affiliate.UID, tag string) error {
	tag, err := store.CheckLabel("The tag", tag, MaxTag)
	if err != nil {
		return err
	}
	if strings.Contains(tag, TagSeparator) {
		return store.Refuse("The tag has a semicolon, which separates tags in exports: add two tags, or write it without.")
	}
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		account, err := store.KnownInvitee(ctx, tx, account, uid)
		if err != nil {
			return err
		}
		return addTag(ctx, tx, account, uid, tag, stamp)
	})
	if err != nil {
		return fmt.Errorf("tagging %s: %w", uid, err)
	}
	return nil
}

func addTag(ctx context.Context, tx *store.Tx, account int64, uid affiliate.UID, tag string, stamp affiliate.Millis) error {
	has, err := store.ReadColumn[string](ctx, tx, `SELECT folded FROM invitee_tags WHERE account_id = ? AND uid = ?`, account, uid)
	switch {
	case err != nil:
		return err
	case slices.Contains(has, store.Folded(tag)):
		return nil
	case len(has) >= MaxTags:
		return store.Refuse("An invitee has at most %d tags: remove one first.", MaxTags)
	}
	err = tx.QueryRowContext(ctx, `SELECT tag FROM invitee_tags WHERE folded = ? ORDER BY created_ms LIMIT 1`, store.Folded(tag)).Scan(&tag)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO invitee_tags (folded, account_id, uid, tag, created_ms) VALUES (?, ?, ?, ?, ?)`,
		store.Folded(tag), account, uid, tag, stamp)
	return err
}

// RemoveTag removes a tag from an invitee. It is no error if the invitee does not have it.
func RemoveTag(ctx context.Context, s *store.Store, account affiliate.Account, uid affiliate.UID, tag string) error {
	err := s.Update(ctx, func(tx *store.Tx, _ affiliate.Millis) error {
		_, err := tx.ExecContext(ctx, `
			DELETE FROM invitee_tags
			WHERE folded = ? AND uid = ? AND account_id = (SELECT id FROM accounts WHERE name = ?)`, store.Folded(tag), uid, account)
		return err
	})
	if err != nil {
		return fmt.Errorf("removing a tag of %s: %w", uid, err)
	}
	return nil
}
