package reports

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/reports/annotated"
	"rebatedesk/reports/query"
	"rebatedesk/reports/question"
	"rebatedesk/store/annotations"
	"rebatedesk/store/audit"
)

// AnnotationDesk lists and writes annotations, on behalf of the user of its service.
type AnnotationDesk struct{ service *Service }

func NewAnnotationDesk(s *Service) *AnnotationDesk { return &AnnotationDesk{s} }

// Annotations answers the query, which takes [annotated.AcceptedOfAnnotations], for a page of
// the list.
func (d *AnnotationDesk) Annotations(ctx context.Context, asked query.Query) (annotated.Report, error) {
	return report(ctx, d.service, "Annotations", asked, annotated.Make)
}

// Annotation returns one that the user may change. Others are a missing *store.RuleError.
func (d *AnnotationDesk) Annotation(ctx context.Context, id int64) (annotations.Annotation, error) {
	return ask(ctx, d.service, d.now(), func(ctx context.Context, q *question.Question) (annotations.Annotation, error) {
		return annotated.FindAnnotation(ctx, q, id)
	})
}

// AddAnnotation stores an annotation, and returns its id. What is refused is a *store.RuleError
// with the field.
func (d *AnnotationDesk) AddAnnotation(ctx context.Context, a annotations.Annotation, by audit.Line) (int64, error) {
	if err := d.check(ctx, a); err != nil {
		return 0, err
	}
	return annotations.AddAnnotation(ctx, d.service.store, a, by)
}

// ChangeAnnotation replaces an annotation.
func (d *AnnotationDesk) ChangeAnnotation(ctx context.Context, id int64, a annotations.Annotation, by audit.Line) error {
	if _, err := d.Annotation(ctx, id); err != nil {
		return err
	}
	if err := d.check(ctx, a); err != nil {
		return err
	}
	return annotations.ChangeAnnotation(ctx, d.service.store, id, a, by)
}

// RemoveAnnotation removes an annotation.
func (d *AnnotationDesk) RemoveAnnotation(ctx context.Context, id int64, by audit.Line) error {
	if _, err := d.Annotation(ctx, id); err != nil {
		return err
	}
	return annotations.RemoveAnnotation(ctx, d.service.store, id, by)
}

func (d *AnnotationDesk) check(ctx context.Context, a annotations.Annotation) error {
	_, err := ask(ctx, d.service, d.now(), func(ctx context.Context, q *question.Question) (struct{}, error) {
		return struct{}{}, annotated.CheckAnnotation(ctx, q, a)
	})
	return err
}

// now is a query about everything.
func (d *AnnotationDesk) now() query.Query {
	zone := d.service.store.Zone()
	return query.Query{Zone: zone, Today: affiliate.DayOf(d.service.now(), zone)}
}
