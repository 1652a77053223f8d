package reports

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/reports/annotated"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/annotations"
	"rebatedesk/store/audit"
)

// AnnotationDesk lists and writes annotations, on behalf of the user of its service.
type AnnotationDesk struct {
	service *Service
	writer  annotated.Writer
}

// NewAnnotationDesk returns a desk for a writer, who is the user of the service.
func NewAnnotationDesk(s *Service, writer annotated.Writer) *AnnotationDesk {
	return &AnnotationDesk{s, writer}
}

// Annotations answers the query, which takes [annotated.Accepted], for a page of
// the list.
func (d *AnnotationDesk) Annotations(ctx context.Context, asked query.Query) (annotated.Report, error) {
	return Fresh(ctx, d.service, asked, func(ctx context.Context, q *snapshot.Snapshot) (annotated.Report, error) {
		return annotated.Make(ctx, q, d.writer)
	})
}

// Annotation returns one that the writer may change. One about others is a missing
// *store.RuleError, and one that someone else wrote a *[annotated.NotYoursError].
func (d *AnnotationDesk) Annotation(ctx context.Context, id int64) (annotations.Annotation, error) {
	return Fresh(ctx, d.service, d.now(), func(ctx context.Context, q *snapshot.Snapshot) (annotations.Annotation, error) {
		return annotated.Find(ctx, q, d.writer, id)
	})
}

// AddAnnotation stores an annotation, and returns its id. What is refused is a *store.RuleError
// with the field.
func (d *AnnotationDesk) AddAnnotation(ctx context.Context, a annotations.Annotation, by audit.Line) (int64, error) {
	if err := d.check(ctx, a); err != nil {
		return 0, err
	}
	return annotations.Add(ctx, d.service.store, a, by)
}

// ChangeAnnotation replaces an annotation.
func (d *AnnotationDesk) ChangeAnnotation(ctx context.Context, id int64, a annotations.Annotation, by audit.Line) error {
	if _, err := d.Annotation(ctx, id); err != nil {
		return err
	}
	if err := d.check(ctx, a); err != nil {
		return err
	}
	return annotations.Change(ctx, d.service.store, id, a, by)
}

// RemoveAnnotation removes an annotation.
func (d *AnnotationDesk) RemoveAnnotation(ctx context.Context, id int64, by audit.Line) error {
	if _, err := d.Annotation(ctx, id); err != nil {
		return err
	}
	return annotations.Table.Remove(ctx, d.service.store, id, by)
}

func (d *AnnotationDesk) check(ctx context.Context, a annotations.Annotation) error {
	_, err := Fresh(ctx, d.service, d.now(), func(ctx context.Context, q *snapshot.Snapshot) (struct{}, error) {
		return struct{}{}, annotated.Check(ctx, q, a)
	})
	return err
}

// now is a query about everything.
func (d *AnnotationDesk) now() query.Query {
	zone := d.service.store.Zone()
	return query.Query{Zone: zone, Today: affiliate.DayOf(d.service.now(), zone)}
}
