package reports

import (
	"context"
	"errors"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/reports/query"
	"rebatedesk/reports/question"
	"rebatedesk/reports/segments"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	stored "rebatedesk/store/segments"
)

// SegmentDesk reads and writes segments.
type SegmentDesk struct{ service *Service }

func NewSegmentDesk(s *Service) *SegmentDesk { return &SegmentDesk{s} }

// Segments lists the segments for a reader. Of the query only its instant counts.
func (d *SegmentDesk) Segments(ctx context.Context, asked query.Query, reader string) (segments.Report, error) {
	return ask(ctx, d.service, asked, func(ctx context.Context, q *question.Question) (segments.Report, error) {
		return segments.MakeSegments(ctx, q, reader)
	})
}

// SegmentDraft is a definition in the making.
type SegmentDraft struct {
	segments.Definition
	segments.SegmentChoices
	Members int
}

// FindSegment returns a *query.ParamError if there is no segment of a name, or it was removed. An
// empty name means no segment.
func (d *SegmentDesk) FindSegment(ctx context.Context, name string) error {
	asked := d.now()
	asked.Segment = name
	_, err := ask(ctx, d.service, asked, func(context.Context, *question.Question) (struct{}, error) { return struct{}{}, nil })
	return err
}

// Draft reads a definition that a user gave, and counts its members as of now. A wrong parameter
// is a *query.ParamError, and a definition without a condition is [segments.ErrConditions]; the
// choices hold all the same.
func (d *SegmentDesk) Draft(ctx context.Context, definition string) (draft SegmentDraft, err error) {
	_, opened := ask(ctx, d.service, d.now(), func(ctx context.Context, q *question.Question) (struct{}, error) {
		var failed error
		if draft.SegmentChoices, failed = segments.ReadSegmentChoices(ctx, q); failed != nil {
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

// OneSegment returns a segment in use that a user may change. A missing one is a *store.RuleError.
func (d *SegmentDesk) OneSegment(ctx context.Context, id int64, user string) (stored.Segment, error) {
	return ask(ctx, d.service, d.now(), func(ctx context.Context, q *question.Question) (stored.Segment, error) {
		list, err := stored.Segments(ctx, q.Tx)
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

// Uses returns what names a segment, as far as the user of the service may know.
func (d *SegmentDesk) Uses(ctx context.Context, name string) (stored.SegmentUses, error) {
	return ask(ctx, d.service, d.now(), func(ctx context.Context, q *question.Question) (stored.SegmentUses, error) {
		return segments.UsesNow(ctx, q, name)
	})
}

// AddSegment adds a segment. The name of one that a bound user makes ends with the user's own. What is wrong is a *store.RuleError with the field.
func (d *SegmentDesk) AddSegment(ctx context.Context, name, definition string, by audit.Line) (int64, error) {
	text, err := d.checked(ctx, definition)
	if err != nil {
		return 0, err
	}
	own, err := d.limited(ctx)
	if err != nil {
		return 0, err
	}
	return stored.AddSegment(ctx, d.service.store, name, text, own, by)
}

// limited reports whether the user of the service sees only a part, and so not all segments.
func (d *SegmentDesk) limited(ctx context.Context) (bool, error) {
	return ask(ctx, d.service, d.now(), func(_ context.Context, q *question.Question) (bool, error) { return q.Visible.Limited(), nil })
}

// ChangeSegment gives a segment another name and definition.
func (d *SegmentDesk) ChangeSegment(ctx context.Context, id int64, seen affiliate.Millis, name, definition string, by audit.Line) error {
	if _, err := d.OneSegment(ctx, id, by.Actor); err != nil {
		return err
	}
	text, err := d.checked(ctx, definition)
	if err != nil {
		return err
	}
	own, err := d.limited(ctx)
	if err != nil {
		return err
	}
	return stored.ChangeSegment(ctx, d.service.store, id, seen, name, text, own, by)
}

// FreezeSegment keeps the members that a segment has now.
func (d *SegmentDesk) FreezeSegment(ctx context.Context, id int64, seen affiliate.Millis, by audit.Line) error {
	s, err := d.OneSegment(ctx, id, by.Actor)
	if err != nil {
		return err
	}
	asked := d.now()
	members, err := ask(ctx, d.service, asked, func(ctx context.Context, q *question.Question) (affiliate.Members, error) {
		return segments.MembersNow(ctx, q, s)
	})
	if err != nil {
		return fmt.Errorf("the members of the segment: %w", err)
	}
	return stored.FreezeSegment(ctx, d.service.store, id, seen, asked.Today, members, by)
}

// ThawSegment lets the members of a segment change again.
func (d *SegmentDesk) ThawSegment(ctx context.Context, id int64, seen affiliate.Millis, by audit.Line) error {
	if _, err := d.OneSegment(ctx, id, by.Actor); err != nil {
		return err
	}
	return stored.ThawSegment(ctx, d.service.store, id, seen, by)
}

// RemoveSegment removes a segment.
func (d *SegmentDesk) RemoveSegment(ctx context.Context, id int64, seen affiliate.Millis, by audit.Line) error {
	if _, err := d.OneSegment(ctx, id, by.Actor); err != nil {
		return err
	}
	return stored.RemoveSegment(ctx, d.service.store, id, seen, by)
}

// checked returns a definition as it is stored.
func (d *SegmentDesk) checked(ctx context.Context, definition string) (string, error) {
	found, err := ask(ctx, d.service, d.now(), func(ctx context.Context, q *question.Question) (segments.Definition, error) {
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

func (d *SegmentDesk) now() query.Query {
	zone := d.service.store.Zone()
	return query.Query{Zone: zone, Today: affiliate.DayOf(d.service.now(), zone)}
}
