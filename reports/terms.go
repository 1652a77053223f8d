package reports

import (
	"context"
	"errors"

	"rebatedesk/affiliate"
	"rebatedesk/reports/agreed"
	"rebatedesk/reports/query"
	"rebatedesk/store/agreements"
	"rebatedesk/store/audit"
	"rebatedesk/terms"
)

// TermDesk reads and writes the agreed rates.
type TermDesk struct{ service *Service }

func NewTermDesk(s *Service) *TermDesk { return &TermDesk{s} }

// Terms answers the query for the agreed rates. It uses the instant of the query.
func (d *TermDesk) Terms(ctx context.Context, asked query.Query) (agreed.Report, error) {
	return report(ctx, d.service, "Terms", asked, agreed.Make)
}

// CompareTerms says what a file would change, and the stamp of the terms that it was compared
// with. The error may be of the type [tabular.Mistakes].
func (d *TermDesk) CompareTerms(ctx context.Context, file terms.File) (m terms.Merging, seen affiliate.Millis, err error) {
	r, err := d.service.store.Read(ctx)
	if err != nil {
		return m, 0, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if seen, err = agreements.TermsStamp(ctx, r); err != nil {
		return m, 0, err
	}
	if m, err = agreements.CompareTerms(ctx, r, file); err != nil {
		return m, 0, err
	}
	strangers, err := agreed.Strangers(ctx, r, file.Terms)
	m.Remarks = append(m.Remarks, strangers...)
	return m, seen, err
}

// ImportTerms stores what a file changes, see [agreements.ImportTerms].
func (d *TermDesk) ImportTerms(ctx context.Context, file terms.File, name string, seen affiliate.Millis, by audit.Line) (terms.Merging, error) {
	return agreements.ImportTerms(ctx, d.service.store, file, name, seen, by)
}

// RemoveTerm removes a term. One that is gone is a *store.RuleError.
func (d *TermDesk) RemoveTerm(ctx context.Context, id int64, by audit.Line) (terms.Term, error) {
	return agreements.RemoveTerm(ctx, d.service.store, id, by)
}
