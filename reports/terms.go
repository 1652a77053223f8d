package reports

import (
	"context"
	"errors"

	"rebatedesk/affiliate"
	"rebatedesk/reports/agreed"
	"rebatedesk/store/agreements"
	"rebatedesk/terms"
)

// CompareTerms says what a file would change, and the stamp of the terms that it was compared
// with. The error may be of the type [tabular.Mistakes].
func (s *Service) CompareTerms(ctx context.Context, file terms.File) (m terms.Merging, seen affiliate.Millis, err error) {
	r, err := s.store.Read(ctx)
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
