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

// StatementDesk reads and writes statements.
type StatementDesk struct{ service *Service }

func NewStatementDesk(s *Service) *StatementDesk { return &StatementDesk{s} }

// Month answers what each sub-affiliate is due for the month that begins on a day.
func (d *StatementDesk) Month(ctx context.Context, first affiliate.Day) (statements.MonthReport, error) {
	about := query.Query{Range: query.Custom, Zone: d.service.store.Zone(), Days: statements.WholeMonth(first)}
	return report(ctx, d.service, "StatementMonth", about, statements.MakeMonth)
}

// StatementPage is a statement with what became of its figures since.
type StatementPage struct {
	stored.IssuedStatement
	Content stored.StatementContent
	Now     statements.StatementDraft // its correction by the figures and terms of now
}

// Restated reports whether the figures or terms have changed since it was issued, so that a
// correction would say something else.
func (p StatementPage) Restated() bool {
	return p.CorrectedBy == "" && (len(p.Now.Corrects.Changes) > 0 || !p.Now.Corrects.Difference.IsZero())
}

// Read returns a statement by its number, compared with the figures of now. One that does not
// exist is a *store.RuleError.
func (d *StatementDesk) Read(ctx context.Context, number string) (p StatementPage, err error) {
	err = d.read(ctx, func(r *store.Tx) error {
		p.IssuedStatement, p.Content, err = stored.ReadStatement(ctx, r, number)
		return err
	})
	if err != nil {
		return p, err
	}
	month, err := d.Month(ctx, p.Month)
	if err != nil {
		return p, err
	}
	p.Now = statements.Correction(month.Of(p.UID), p.IssuedStatement, p.Content)
	return p, nil
}

// List lists statements, the newest first.
func (d *StatementDesk) List(ctx context.Context, q stored.StatementQuery) (list []stored.IssuedStatement, err error) {
	err = d.read(ctx, func(r *store.Tx) error {
		list, err = stored.Statements(ctx, r, q)
		return err
	})
	return list, err
}

// Months lists the months that have statements, the newest first.
func (d *StatementDesk) Months(ctx context.Context) (months []affiliate.Day, err error) {
	err = d.read(ctx, func(r *store.Tx) error {
		months, err = stored.StatementMonths(ctx, r)
		return err
	})
	return months, err
}

// Files returns the files of a statement as they were issued.
func (d *StatementDesk) Files(ctx context.Context, number string) (files stored.StatementFiles, err error) {
	err = d.read(ctx, func(r *store.Tx) error {
		files, err = stored.ReadFiles(ctx, r, number)
		return err
	})
	return files, err
}

// Payee returns the payee of a sub-affiliate, empty if none is kept.
func (d *StatementDesk) Payee(ctx context.Context, uid affiliate.UID) (p stored.Payee, err error) {
	err = d.read(ctx, func(r *store.Tx) error {
		all, err := stored.Payees(ctx, r)
		p = all[uid]
		return err
	})
	return p, err
}

// SavePayee replaces the payee of a sub-affiliate.
func (d *StatementDesk) SavePayee(ctx context.Context, uid affiliate.UID, p stored.Payee, by audit.Line) error {
	return stored.SavePayee(ctx, d.service.store, uid, p, by)
}

func (d *StatementDesk) read(ctx context.Context, f func(*store.Tx) error) (err error) {
	r, err := d.service.store.Read(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return f(r)
}

// Issue issues the statement of a sub-affiliate for a month. If anything is missing, reason
// must say why it is issued all the same; the paper prints both. What is refused is a
// *store.RuleError.
func (d *StatementDesk) Issue(ctx context.Context, uid affiliate.UID, month affiliate.Day, reason string, by audit.Line) (stored.IssuedStatement, error) {
	report, err := d.Month(ctx, month)
	if err != nil {
		return stored.IssuedStatement{}, err
	}
	return d.issue(ctx, report.Of(uid), reason, by)
}

// RefusedStatement is a sub-affiliate whose statement could not be issued.
type RefusedStatement struct {
	UID     affiliate.UID
	Problem string
}

// IssueAll issues the statements of a month that are not issued yet, each by itself: one that
// is refused does not keep back the others.
func (d *StatementDesk) IssueAll(ctx context.Context, month affiliate.Day, reason string, by audit.Line) (issued []stored.IssuedStatement, refused []RefusedStatement, err error) {
	report, err := d.Month(ctx, month)
	if err != nil {
		return nil, nil, err
	}
	list, err := d.List(ctx, stored.StatementQuery{Month: report.Days.First})
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
		one, err := d.issue(ctx, draft, reason, by)
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

// Correct issues the correction of a statement. If nothing has changed, or the statement was
// corrected already, it is a *store.RuleError.
func (d *StatementDesk) Correct(ctx context.Context, number, reason string, by audit.Line) (stored.IssuedStatement, error) {
	p, err := d.Read(ctx, number)
	if err != nil {
		return stored.IssuedStatement{}, err
	}
	if p.CorrectedBy == "" && !p.Restated() {
		return stored.IssuedStatement{}, &store.RuleError{Problem: "Nothing has changed since this statement was issued: there is nothing to correct.", Stale: true}
	}
	return d.issue(ctx, p.Now, reason, by)
}

func (d *StatementDesk) issue(ctx context.Context, draft statements.StatementDraft, reason string, by audit.Line) (stored.IssuedStatement, error) {
	if draft.Refusal != "" {
		return stored.IssuedStatement{}, &store.RuleError{Problem: draft.Refusal, Field: "uid"}
	}
	content := draft.StatementContent
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
	head := d.service.Letterhead
	content.Sender = stored.StatementSender{Name: head.Name, Address: head.Address}
	return stored.IssueStatement(ctx, d.service.store, content, func(c stored.StatementContent) (files stored.StatementFiles, err error) {
		if files.PDF, err = statements.StatementPDF(c, head); err != nil {
			return files, fmt.Errorf("making the PDF: %w", err)
		}
		if files.XLSX, err = statements.StatementXLSX(c); err != nil {
			return files, fmt.Errorf("making the workbook: %w", err)
		}
		return files, nil
	}, by)
}

// Pay notes that a statement was paid.
func (d *StatementDesk) Pay(ctx context.Context, number string, p stored.StatementPayment, by audit.Line) error {
	return stored.PayStatement(ctx, d.service.store, number, p, by)
}

// Unpay takes back the note of a payment.
func (d *StatementDesk) Unpay(ctx context.Context, number string, by audit.Line) error {
	return stored.UnpayStatement(ctx, d.service.store, number, by)
}
