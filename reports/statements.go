package reports

import (
	"context"
	"errors"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/reports/query"
	"rebatedesk/reports/statements"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	stored "rebatedesk/store/statements"
)

// StatementMonth answers what each sub-affiliate is due for the month that begins on a day.
func (s *Service) StatementMonth(ctx context.Context, first affiliate.Day) (statements.MonthReport, error) {
	about := query.Query{Range: query.Custom, Zone: s.store.Zone(), Days: statements.WholeMonth(first)}
	return Ask(ctx, s, about, statements.MakeMonth)
}

// StatementShares answers what is owed to each sub-affiliate for the month that begins on a day, what of it is
// paid, and what is left.
func (s *Service) StatementShares(ctx context.Context, first affiliate.Day) (statements.MonthShares, error) {
	about := query.Query{Range: query.Custom, Zone: s.store.Zone(), Days: statements.WholeMonth(first)}
	return Ask(ctx, s, about, statements.MakeShares)
}

// StatementPage is a statement with what became of its figures since.
type StatementPage struct {
	stored.IssuedStatement
	Content stored.Content
	Now     statements.Draft // its correction by the figures and terms of now
}

// Restated reports whether the figures or terms have changed since it was issued, so that a
// correction would say something else.
func (p StatementPage) Restated() bool {
	return p.CorrectedBy == "" && (len(p.Now.Corrects.Changes) > 0 || !p.Now.Corrects.Difference.IsZero())
}

// Statement returns a statement by its number, compared with the figures of now. One that does not
// exist is a *store.RuleError.
func (s *Service) Statement(ctx context.Context, number string) (p StatementPage, err error) {
	err = s.readStatement(ctx, func(r *store.Tx) error {
		p.IssuedStatement, p.Content, err = stored.Read(ctx, r, number)
		return err
	})
	if err != nil {
		return p, err
	}
	month, err := s.StatementMonth(ctx, p.Month)
	if err != nil {
		return p, err
	}
	p.Now = statements.Correction(month.Of(p.UID), p.IssuedStatement, p.Content)
	return p, nil
}

// Statements lists statements, the newest first.
func (s *Service) Statements(ctx context.Context, q stored.Query) (list []stored.IssuedStatement, err error) {
	err = s.readStatement(ctx, func(r *store.Tx) error {
		list, err = stored.List(ctx, r, q)
		return err
	})
	return list, err
}

// StatementMonths lists the months that have statements, the newest first.
func (s *Service) StatementMonths(ctx context.Context) (months []affiliate.Day, err error) {
	err = s.readStatement(ctx, func(r *store.Tx) error {
		months, err = stored.Months(ctx, r)
		return err
	})
	return months, err
}

// StatementFiles returns the files of a statement as they were issued.
func (s *Service) StatementFiles(ctx context.Context, number string) (files stored.Files, err error) {
	err = s.readStatement(ctx, func(r *store.Tx) error {
		files, err = stored.ReadFiles(ctx, r, number)
		return err
	})
	return files, err
}

// Payee returns the payee of a sub-affiliate, empty if none is kept.
func (s *Service) Payee(ctx context.Context, uid affiliate.UID) (p stored.Payee, err error) {
	err = s.readStatement(ctx, func(r *store.Tx) error {
		all, err := stored.Payees(ctx, r)
		p = all[uid]
		return err
	})
	return p, err
}

// SavePayee replaces the payee of a sub-affiliate.
func (s *Service) SavePayee(ctx context.Context, uid affiliate.UID, p stored.Payee, by audit.Line) error {
	return stored.SavePayee(ctx, s.store, uid, p, by)
}

func (s *Service) readStatement(ctx context.Context, f func(*store.Tx) error) (err error) {
	r, err := s.store.Read(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return f(r)
}

// IssueStatement issues the statement of a sub-affiliate for a month. If anything is missing, reason
// must say why it is issued all the same; the paper prints both. What is refused is a
// *store.RuleError.
func (s *Service) IssueStatement(ctx context.Context, uid affiliate.UID, month affiliate.Day, reason string, by audit.Line) (stored.IssuedStatement, error) {
	report, err := s.StatementMonth(ctx, month)
	if err != nil {
		return stored.IssuedStatement{}, err
	}
	return s.issueStatement(ctx, report.Of(uid), reason, by)
}

// RefusedStatement is a sub-affiliate whose statement could not be issued.
type RefusedStatement struct {
	UID     affiliate.UID
	Problem string
}

// IssueStatements issues the statements of a month that are not issued yet, each by itself: one that
// is refused does not keep back the others.
func (s *Service) IssueStatements(ctx context.Context, month affiliate.Day, reason string, by audit.Line) (issued []stored.IssuedStatement, refused []RefusedStatement, err error) {
	report, err := s.StatementMonth(ctx, month)
	if err != nil {
		return nil, nil, err
	}
	list, err := s.Statements(ctx, stored.Query{Month: report.Days.First})
	if err != nil {
		return nil, nil, err
	}
	have := map[affiliate.UID]bool{}
	for _, one := range list {
		have[one.UID] = true
	}
	for _, draft := range report.Drafts {
		if have[draft.UID] {
			continue
		}
		one, err := s.issueStatement(ctx, draft, reason, by)
		switch rule, ok := errors.AsType[*store.RuleError](err); {
		case ok:
			refused = append(refused, RefusedStatement{draft.UID, rule.Problem})
		case err != nil:
			return issued, refused, err
		default:
			issued = append(issued, one)
		}
	}
	return issued, refused, nil
}

// CorrectStatement issues the correction of a statement. If nothing has changed, or the statement was
// corrected already, it is a *store.RuleError.
func (s *Service) CorrectStatement(ctx context.Context, number, reason string, by audit.Line) (stored.IssuedStatement, error) {
	p, err := s.Statement(ctx, number)
	if err != nil {
		return stored.IssuedStatement{}, err
	}
	if p.CorrectedBy == "" && !p.Restated() {
		return stored.IssuedStatement{}, &store.RuleError{Problem: "Nothing has changed since this statement was issued: there is nothing to correct.", Stale: true}
	}
	return s.issueStatement(ctx, p.Now, reason, by)
}

func (s *Service) issueStatement(ctx context.Context, draft statements.Draft, reason string, by audit.Line) (stored.IssuedStatement, error) {
	if draft.Refusal != "" {
		return stored.IssuedStatement{}, &store.RuleError{Problem: draft.Refusal}
	}
	content := draft.Content
	if len(content.Lacks) > 0 {
		if reason == "" {
			return stored.IssuedStatement{}, &store.RuleError{Problem: content.Lacks[0] + " Wait for it, or give a reason to issue the statement incomplete.", Field: "reason"}
		}
		label, err := store.CheckLabel("The reason", reason, stored.MaxReference)
		if err != nil {
			return stored.IssuedStatement{}, &store.RuleError{Problem: err.Error(), Field: "reason"}
		}
		content.Reason = label
	}
	head := s.Letterhead
	content.Sender = stored.Sender{Name: head.Name, Address: head.Address}
	return stored.Issue(ctx, s.store, content, func(c stored.Content) (files stored.Files, err error) {
		if files.PDF, err = statements.PDF(c, head); err != nil {
			return files, fmt.Errorf("making the PDF: %w", err)
		}
		if files.XLSX, err = statements.XLSX(c); err != nil {
			return files, fmt.Errorf("making the workbook: %w", err)
		}
		return files, nil
	}, by)
}

// PayStatement notes that a statement was paid.
func (s *Service) PayStatement(ctx context.Context, number string, p stored.Payment, by audit.Line) error {
	return stored.Pay(ctx, s.store, number, p, by)
}

// UnpayStatement takes back the note of a payment.
func (s *Service) UnpayStatement(ctx context.Context, number string, by audit.Line) error {
	return stored.Unpay(ctx, s.store, number, by)
}
