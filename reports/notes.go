package reports

import (
	"context"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/people"
)

// InviteeNotes holds the notes and tags that users wrote about one invitee.
type InviteeNotes struct {
	Notes []people.Note     // current notes, newest first
	Tags  []string          // of the invitee
	Known []people.TagCount // all tags in use, to choose from
}

// InviteeNotes reads the notes and tags of one invitee, listed or not. They are the current
// ones, whatever instant a report is about.
func (s *Service) InviteeNotes(ctx context.Context, account affiliate.Account, uid affiliate.UID) (n InviteeNotes, err error) {
	r, err := s.store.Read(ctx)
	if err != nil {
		return n, err
	}
	defer r.Close()
	if n.Notes, err = people.Notes(ctx, r, account, uid); err != nil {
		return n, err
	}
	if n.Tags, err = people.TagsOf(ctx, r, uid); err != nil {
		return n, err
	}
	n.Known, err = Fresh(ctx, s, query.Query{Zone: s.store.Zone(), Today: affiliate.DayOf(s.now(), s.store.Zone())}, invitees.TagsInUse)
	return n, err
}

// AddNote adds a note about an invitee that is known in any form. A rejected write is a
// *store.RuleError.
func (s *Service) AddNote(ctx context.Context, n people.Note) error {
	return people.AddNote(ctx, s.store, n)
}

// DeleteNote marks a note as deleted.
func (s *Service) DeleteNote(ctx context.Context, account affiliate.Account, uid affiliate.UID, id int64) error {
	return people.DeleteNote(ctx, s.store, account, uid, id)
}

// AddTag gives an invitee a tag.
func (s *Service) AddTag(ctx context.Context, account affiliate.Account, uid affiliate.UID, tag string, by audit.Line) error {
	return people.AddTag(ctx, s.store, account, uid, tag, by)
}

// RemoveTag takes a tag from an invitee.
func (s *Service) RemoveTag(ctx context.Context, uid affiliate.UID, tag string, by audit.Line) error {
	return people.RemoveTag(ctx, s.store, uid, tag, by)
}

// MustSee returns an error if the caller may not see an invitee, of any account if none is
// named: the *store.RuleError of an invitee of whom nothing is known.
func MustSee(ctx context.Context, s *Service, account affiliate.Account, uid affiliate.UID) error {
	if s.bound.Everything() {
		return nil
	}
	sees, err := Fresh(ctx, s, query.Query{}, func(_ context.Context, q *snapshot.Snapshot) (bool, error) {
		if account != "" {
			return q.Visible.Has(account, uid), nil
		}
		return slices.ContainsFunc(q.Known, func(any affiliate.Account) bool { return q.Visible.Has(any, uid) }), nil
	})
	if err == nil && !sees {
		return &store.RuleError{Problem: store.UnknownInvitee, Missing: true}
	}
	return err
}
