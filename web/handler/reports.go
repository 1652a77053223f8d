package handler

import (
	"context"
	"io"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/attention"
	"rebatedesk/reports/cohorts"
	"rebatedesk/reports/collection"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/export"
	"rebatedesk/reports/invitecodes"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/overview"
	"rebatedesk/reports/query"
	"rebatedesk/reports/subaffiliates"
	"rebatedesk/store"
)

// Ask makes the service what the pages ask. It differs from the service in
// nothing but that an export is an interface.
func Ask(service *reports.Service) Reports { return asked{service} }

type asked struct{ *reports.Service }

func (a asked) OpenExport(ctx context.Context, kind reports.ExportKind, q query.Query) (Export, error) {
	export, err := a.Service.OpenExport(ctx, kind, q)
	if err != nil {
		return nil, err
	}
	return export, nil
}

// AuditLog is the log of who did what.
type AuditLog interface {
	Audit(ctx context.Context, q reports.AuditQuery) (reports.AuditReport, error)
	// VerifyAudit proves every line. Its cost follows their number.
	VerifyAudit(ctx context.Context) (store.Finding, error)
	OpenAuditExport(ctx context.Context, q reports.AuditQuery) (Export, error)
}

// AskAudit makes the service the log of the pages.
func AskAudit(service *reports.Service) AuditLog { return askedAudit{service} }

type askedAudit struct{ *reports.Service }

func (a askedAudit) OpenAuditExport(ctx context.Context, q reports.AuditQuery) (Export, error) {
	export, err := a.Service.OpenAuditExport(ctx, q)
	if err != nil {
		return nil, err
	}
	return export, nil
}

// Reports is what the pages ask. A question that cannot be answered as it
// stands is a *reports.ParamError.
type Reports interface {
	Basis(ctx context.Context) (query.Basis, error)
	Overview(ctx context.Context, q query.Query) (overview.Report, error)
	Attention(ctx context.Context, q query.Query) (attention.Report, error) // of its account and instant
	Commissions(ctx context.Context, q query.Query) (commissions.Report, error)
	Why(ctx context.Context, q query.Query) (overview.Why, error) // of a question that is Whyable
	Invitees(ctx context.Context, q query.Query) (invitees.InviteeList, error)
	Invitee(ctx context.Context, q query.Query) (invitees.InviteeReport, error) // q names the UID
	Codes(ctx context.Context, q query.Query) (invitecodes.Report, error)
	Cohorts(ctx context.Context, q query.Query) (cohorts.Report, error)
	SubAffiliates(ctx context.Context, q query.Query) (subaffiliates.Report, error)
	SubAffiliate(ctx context.Context, q query.Query) (subaffiliates.SubAffiliateReport, error) // q names the UID
	Collection(ctx context.Context) (collection.Report, error)
	// Calendar and Runs are about all accounts where none is named.
	Calendar(ctx context.Context, account affiliate.Account) ([]coverage.StreamCalendar, error)
	Runs(ctx context.Context, account affiliate.Account, page, per int) ([]collection.RunRow, int64, error)
	Restatements(ctx context.Context, q query.Query) (commissions.RestatementsReport, error)
	OpenExport(ctx context.Context, kind reports.ExportKind, q query.Query) (Export, error)
}

// Export is a file in the making: one consistent state, written as it is read.
type Export interface {
	FileName(format export.Format) string
	Write(ctx context.Context, w io.Writer, format export.Format) (export.Summary, error)
	Close() error
}
