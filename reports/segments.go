package reports

import (
	"context"
	"errors"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/reports/query"
	"rebatedesk/reports/segments"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	stored "rebatedesk/store/segments"
)

// Segments lists the segments for a reader. Of the query only its instant counts.
func (s *Service) Segments(ctx context.Context, asked query.Query, reader string) (segments.Report, error) {
	return Fresh(ctx, s, asked, func(ctx context.Context, q *snapshot.Snapshot) (segments.Report, error) {
		return segments.Make(ctx, q, reader)
	})
}

// SegmentDraft is a definition in the making.
type SegmentDraft struct {
	segments.Definition
	segments.Choices
	Members int
}

// FindSegment returns a *query.ParamError if there is no segment of a name, or it was removed. An
// empty name means no segment.
func (s *Service) FindSegment(ctx context.Context, name string) error {
	asked := s.everything()
	asked.Segment = name
	_, err := Fresh(ctx, s, asked, func(context.Context, *snapshot.Snapshot) (struct{}, error) { return struct{}{}, nil })
	return err
}

// DraftSegment reads a definition that a user gave, and counts its members as of now. A wrong parameter
// is a *query.ParamError, and a definition without a condition is [segments.ErrConditions]; the
// choices hold all the same.
func (s *Service) DraftSegment(ctx context.Context, definition string) (draft SegmentDraft, err error) {
	_, opened := Fresh(ctx, s, s.everything(), func(ctx context.Context, q *snapshot.Snapshot) (struct{}, error) {
		var failed error
		if draft.Choices, failed = segments.ReadChoices(ctx, q); failed != nil {
			return struct{}{}, failed
		}
		if draft.Definition, err = segments.Checked(ctx, q, definition); err != nil {
			return struct{}{}, nil
		}
		draft.Members, failed = segments.Counted(ctx, q, draft.Definition)
		return struct{}{}, failed
	})
	return draft, errors.Join(opened, err)
}

// Segment returns a segment in use that a user may change. A missing one is a *store.RuleError.
func (s *Service) Segment(ctx context.Context, id int64, user string) (stored.Segment, error) {
	return Fresh(ctx, s, s.everything(), func(ctx context.Context, q *snapshot.Snapshot) (stored.Segment, error) {
		list, err := stored.List(ctx, q.Tx)
		if err != nil {
			return stored.Segment{}, err
		}
		for _, s := range list {
			if s.ID == id && (!q.Visible.Limited() || s.Maker == user) {
				return s, nil
			}
		}
		return stored.Segment{}, &store.RuleError{Problem: "There is no such segment any more.", Missing: true}
	})
}

// SegmentUses returns what names a segment, as far as the user of the service may know.
func (s *Service) SegmentUses(ctx context.Context, name string) (stored.Uses, error) {
	return Fresh(ctx, s, s.everything(), func(ctx context.Context, q *snapshot.Snapshot) (stored.Uses, error) {
		return segments.UsesNow(ctx, q, name)
	})
}

// AddSegment adds a segment. The name of one that a bound user makes ends with the user's own. What
// is wrong is a *store.RuleError with the field.
func (s *Service) AddSegment(ctx context.Context, name, definition string, by audit.Line) (int64, error) {
	text, err := s.checkedSegment(ctx, definition)
	if err != nil {
		return 0, err
	}
	own, err := s.limited(ctx)
	if err != nil {
		return 0, err
	}
	return stored.Add(ctx, s.store, name, text, own, by)
}

// limited reports whether the user of the service sees only a part, and so not all segments.
func (s *Service) limited(ctx context.Context) (bool, error) {
	return Fresh(ctx, s, s.everything(), func(_ context.Context, q *snapshot.Snapshot) (bool, error) { return q.Visible.Limited(), nil })
}

// ChangeSegment gives a segment another name and definition.
func (s *Service) ChangeSegment(ctx context.Context, id int64, seen affiliate.Millis, name, definition string, by audit.Line) error {
	if _, err := s.Segment(ctx, id, by.Actor); err != nil {
		return err
	}
	text, err := s.checkedSegment(ctx, definition)
	if err != nil {
		return err
	}
	own, err := s.limited(ctx)
	if err != nil {
		return err
	}
	return stored.Change(ctx, s.store, id, seen, name, text, own, by)
}

// FreezeSegment keeps the members that a segment has now.
func (s *Service) FreezeSegment(ctx context.Context, id int64, seen affiliate.Millis, by audit.Line) error {
	segment, err := s.Segment(ctx, id, by.Actor)
	if err != nil {
		return err
	}
	asked := s.everything()
	members, err := Fresh(ctx, s, asked, func(ctx context.Context, q *snapshot.Snapshot) (affiliate.Members, error) {
		return segments.MembersNow(ctx, q, segment)
	})
	if err != nil {
		return fmt.Errorf("the members of the segment: %w", err)
	}
	return stored.Freeze(ctx, s.store, id, seen, asked.Today, members, by)
}

// ThawSegment lets the members of a segment change again.
func (s *Service) ThawSegment(ctx context.Context, id int64, seen affiliate.Millis, by audit.Line) error {
	if _, err := s.Segment(ctx, id, by.Actor); err != nil {
		return err
	}
	return stored.Thaw(ctx, s.store, id, seen, by)
}

// RemoveSegment removes a segment.
func (s *Service) RemoveSegment(ctx context.Context, id int64, seen affiliate.Millis, by audit.Line) error {
	if _, err := s.Segment(ctx, id, by.Actor); err != nil {
		return err
	}
	return stored.Remove(ctx, s.store, id, seen, by)
}

// checkedSegment returns a definition as it is stored.
func (s *Service) checkedSegment(ctx context.Context, definition string) (string, error) {
	found, err := Fresh(ctx, s, s.everything(), func(ctx context.Context, q *snapshot.Snapshot) (segments.Definition, error) {
		return segments.Checked(ctx, q, definition)
	})
	if wrong, ok := errors.AsType[*query.ParamError](err); ok {
		return "", &store.RuleError{Problem: "“" + wrong.Value + "” " + wrong.Problem + ".", Field: wrong.Param}
	}
	if errors.Is(err, segments.ErrConditions) {
		return "", store.Refuse("Give at least one condition, such as a code, a tag or a state: without any, everybody would belong to the segment.")
	}
	return found.Text(), err
}
