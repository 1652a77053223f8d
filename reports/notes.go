package reports

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// InviteeNotes is what people wrote about one invitee.
type InviteeNotes struct {
	Notes []store.Note     // that stand, newest first
	Tags  []string         // of the invitee
	Known []store.TagCount // all tags in use, to choose from
}

// InviteeNotes reads the notes and tags of one invitee, listed or not. They are
// of now, whenever a report is asked for.
func (s *Service) InviteeNotes(ctx context.Context, account affiliate.Account, uid affiliate.UID) (n InviteeNotes, err error) {
	r, err := s.store.Read(ctx)
	if err != nil {
		return n, err
	}
	defer r.Close()
	if n.Notes, err = r.Notes(ctx, account, uid); err != nil {
		return n, err
	}
	if n.Tags, err = r.TagsOf(ctx, account, uid); err != nil {
		return n, err
	}
	n.Known, err = r.Tags(ctx)
	return n, err
}

// AddNote adds a note about an invitee that something is known of. Writes are
// refused with a *store.RuleError.
func (s *Service) AddNote(ctx context.Context, n store.Note) error { return s.store.AddNote(ctx, n) }

// DeleteNote marks a note as deleted.
func (s *Service) DeleteNote(ctx context.Context, account affiliate.Account, uid affiliate.UID, id int64) error {
	return s.store.DeleteNote(ctx, account, uid, id)
}

// AddTag gives an invitee a tag.
func (s *Service) AddTag(ctx context.Context, account affiliate.Account, uid affiliate.UID, tag string) error {
	return s.store.AddTag(ctx, account, uid, tag)
}

// RemoveTag takes a tag from an invitee.
func (s *Service) RemoveTag(ctx context.Context, account affiliate.Account, uid affiliate.UID, tag string) error {
	return s.store.RemoveTag(ctx, account, uid, tag)
}
