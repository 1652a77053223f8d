package people

import (
	"context"
	"fmt"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/people"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// TagCount is a tag with the number of people who have it.
type TagCount struct {
	Tag      string
	Invitees int64
}

// TagsOf lists the tags of one person in alphabetical order.
func TagsOf(ctx context.Context, r *store.Tx, uid affiliate.UID) ([]string, error) {
	// The caller may see the person.
	tags, err := store.ReadColumn[string](ctx, r, store.ForMembers(`SELECT tag FROM people_tags WHERE uid = ? ORDER BY folded`), uid)
	if err != nil {
		return nil, fmt.Errorf("reading the tags of %s: %w", uid, err)
	}
	return tags, nil
}

// TagsByUID returns the tags of everybody who has any, each list in alphabetical order.
func TagsByUID(ctx context.Context, r *store.Tx) (map[affiliate.UID][]string, error) {
	// The caller looks up those who may be seen.
	rows, err := r.QueryContext(ctx, store.ForMembers(`SELECT uid, tag FROM people_tags ORDER BY folded, uid`))
	if err != nil {
		return nil, fmt.Errorf("reading the tags of all people: %w", err)
	}
	defer rows.Close()
	tags := map[affiliate.UID][]string{}
	for rows.Next() {
		var uid affiliate.UID
		var tag string
		if err := rows.Scan(&uid, &tag); err != nil {
			return nil, fmt.Errorf("reading the tags of all people: %w", err)
		}
		tags[uid] = append(tags[uid], tag)
	}
	return tags, rows.Err()
}

// Tags lists the tags in use in alphabetical order.
func Tags(ctx context.Context, r *store.Tx) ([]TagCount, error) {
	rows, err := r.QueryContext(ctx, `SELECT min(tag), count(*) FROM people_tags GROUP BY folded ORDER BY folded`)
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

// Tagged returns the set of UIDs that have a tag, ignoring its case. Tags are always current: a
// tag is not a fact that the exchange reported at some time.
func Tagged(ctx context.Context, r *store.Tx, tag string) (map[affiliate.UID]bool, error) {
	// The caller looks up those who may be seen.
	uids, err := store.ReadColumn[affiliate.UID](ctx, r, store.ForMembers(`SELECT uid FROM people_tags WHERE folded = ?`), affiliate.Folded(tag))
	if err != nil {
		return nil, fmt.Errorf("reading who is tagged: %w", err)
	}
	set := make(map[affiliate.UID]bool, len(uids))
	for _, uid := range uids {
		set[uid] = true
	}
	return set, nil
}

// AddTag gives an invitee of an account a tag, spelled as at its first use, together with its
// line of the audit log. It is no error if the invitee already has the tag; a broken rule is a
// *RuleError.
func AddTag(ctx context.Context, s *store.Store, account affiliate.Account, uid affiliate.UID, tag string, by audit.Line) error {
	tag, err := store.CheckLabel("The tag", tag, people.MaxTag)
	if err != nil {
		return err
	}
	if account == "" {
		return &store.RuleError{Problem: "Nothing is known of such an invitee of this account.", Missing: true}
	}
	return changeTags(ctx, s, account, uid, "tag added", tag, by, func(tags []string) ([]string, error) {
		if slices.ContainsFunc(tags, func(has string) bool { return affiliate.Folded(has) == affiliate.Folded(tag) }) {
			return tags, nil
		}
		if len(tags) >= people.MaxTags {
			return nil, store.Refuse("A person has at most %d tags: remove one first.", people.MaxTags)
		}
		return append(tags, tag), nil
	})
}

// RemoveTag removes a tag from a person, together with its line of the audit log. It is no
// error if the person does not have it.
func RemoveTag(ctx context.Context, s *store.Store, uid affiliate.UID, tag string, by audit.Line) error {
	return changeTags(ctx, s, "", uid, "tag removed", tag, by, func(tags []string) ([]string, error) {
		return slices.DeleteFunc(tags, func(has string) bool { return affiliate.Folded(has) == affiliate.Folded(tag) }), nil
	})
}

// changeTags changes the tags of a person, who must be an invitee of the account if one is
// named.
func changeTags(ctx context.Context, s *store.Store, account affiliate.Account, uid affiliate.UID, action, tag string, by audit.Line, change func([]string) ([]string, error)) error {
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		if account != "" {
			if _, err := store.KnownInvitee(ctx, tx, account, uid); err != nil {
				return err
			}
		}
		before, err := One(ctx, tx, uid)
		if err != nil {
			return err
		}
		now := before
		if now.Tags, err = change(slices.Clone(before.Tags)); err != nil {
			return err
		}
		by.Action, by.Object, by.Detail = action, string(uid), tag
		return write(ctx, s, tx, stamp, before, now, by)
	})
	if err != nil {
		return fmt.Errorf("changing the tags of %s: %w", uid, err)
	}
	return nil
}
