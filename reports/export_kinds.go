package reports

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/reports/changes"
	"rebatedesk/reports/cohorts"
	"rebatedesk/reports/commissions"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/drivers"
	"rebatedesk/reports/export"
	"rebatedesk/reports/invitecodes"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/months"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/pivot"
	"rebatedesk/reports/programmes"
	"rebatedesk/reports/query"
	"rebatedesk/reports/question"
	"rebatedesk/reports/rates"
	"rebatedesk/reports/returns"
	"rebatedesk/reports/subaffiliates"
	"rebatedesk/reports/worklist"
)

// ExportKind is one of the tables that can be exported as a whole.
type ExportKind string

// Kinds of exports, by their names on the command line.
const (
	ExportCommissions   ExportKind = "commissions"
	ExportInvitees      ExportKind = "invitees"
	ExportSubAffiliates ExportKind = "sub-affiliates"
	ExportDaily         ExportKind = "daily"
	ExportBills         ExportKind = "bills"
	ExportPayments      ExportKind = "payments"
	ExportChanges       ExportKind = "changes"
	ExportRates         ExportKind = "rates"
	ExportWorklist      ExportKind = "worklist"
)

// ExportInviteeList is the page of invitees as a file. Its rows and their order
// are those of the page, whereas [ExportInvitees] narrows by registration.
const ExportInviteeList ExportKind = "invitee-list"

// ExportKinds lists the kinds available on the command line.
func ExportKinds() []ExportKind {
	return []ExportKind{ExportCommissions, ExportInvitees, ExportSubAffiliates, ExportDaily, ExportBills, ExportPayments, ExportChanges, ExportRates, ExportWorklist}
}

// exportSpec specifies a kind of export.
type exportSpec struct {
	stream  affiliate.StreamKind // the stream whose coverage decides whether the export is complete
	foreign []string             // parameters by which its rows cannot be narrowed: refused, never ignored
	reach   bool                 // it lists all invitees: everything the exchange lists must be collected, whatever days are requested
	daily   bool                 // a row is about a day: a workbook and JSON tell the annotations on its days
	utc     bool                 // its days are UTC days, whatever the reporting zone
	table   func(context.Context, *question.Question) (export.Table, error)
	covered func(context.Context, *question.Question) (coverage.Coverage, error) // if it depends on more than one stream
	// object returns the report as its JSON has it, with its table. Without it the JSON is the
	// table with its metadata.
	object func(context.Context, *question.Question) (any, export.Table, error)
}

// exportSpecs has a line for every export. To add a report, add a line whose table takes
// its rows from the same source as the report's page.
var exportSpecs = map[ExportKind]exportSpec{
	ExportCommissions: {stream: affiliate.Commissions, table: commissions.Table},
	ExportDaily:       {stream: affiliate.Commissions, daily: true, table: commissions.DailyTable},
	ExportInvitees: {stream: affiliate.Invitees, table: invitees.Table,
		foreign: []string{"product", "coin", "symbol", "source"}},
	ExportCodes:       {stream: affiliate.Commissions, table: invitecodes.Table, covered: invitecodes.Covered},
	ExportCohorts:     {stream: affiliate.Invitees, table: cohorts.Table, covered: cohorts.Covered, foreign: cohorts.Foreign},
	ExportInviteeList: {stream: affiliate.Invitees, table: invitees.ListTable, reach: true},
	ExportSubAffiliates: {stream: affiliate.SubAffiliates, table: subaffiliates.Table,
		foreign: subaffiliates.Foreign, utc: true},
	ExportBills: {stream: affiliate.SpotBills, table: payments.BillTable, covered: payments.BillsCovered,
		foreign: payments.Foreign, utc: true},
	ExportPivot:   {stream: affiliate.Commissions, table: pivot.Table, object: pivot.JSONObject},
	ExportDrivers: {stream: affiliate.Commissions, table: drivers.Table, covered: drivers.Covered, object: drivers.Object},
	ExportPayments: {stream: affiliate.Commissions, table: payments.Table, covered: payments.Covered,
		foreign: payments.Foreign, utc: true},
	ExportProgrammes: {stream: affiliate.Commissions, table: programmes.Table},
	ExportMonths:     {stream: affiliate.Commissions, table: months.Table, object: months.ListObject},
	ExportMonth:      {stream: affiliate.Commissions, table: months.MonthTable, object: months.MonthObject},
	ExportChanges: {stream: affiliate.Commissions, table: changes.Table, covered: changes.Covered,
		foreign: []string{"as_of"}},
	ExportRates: {stream: affiliate.Commissions, table: rates.Table},
	ExportWorklist: {stream: affiliate.Commissions, table: worklist.Table, covered: worklist.Covered,
		foreign: []string{"from", "to", "product", "symbol", "source"}},
	ExportReturns: {stream: affiliate.Commissions, table: returns.Table, covered: returns.Covered},
}

// Takes returns a *ParamError for a query with a filter that does not apply to records of
// the kind.
func (k ExportKind) Takes(q query.Query) error {
	_, err := k.spec(q)
	return err
}

// InUTCDays reports whether the days of the kind are UTC days, whatever the reporting zone.
func (k ExportKind) InUTCDays() bool { return exportSpecs[k].utc }

// spec returns the specification of the kind, if the kind accepts the query.
func (k ExportKind) spec(q query.Query) (exportSpec, error) {
	spec, ok := exportSpecs[k]
	if !ok {
		return spec, fmt.Errorf("no such export: %q", k)
	}
	return spec, q.Refuse(spec.foreign, fmt.Sprintf("does not apply to an export of %s", k))
}

// coverage returns how far the days of the query are collected in the streams the kind
// depends on.
func (s exportSpec) coverage(ctx context.Context, q *question.Question) (coverage.Coverage, error) {
	if s.covered != nil {
		return s.covered(ctx, q)
	}
	if s.reach {
		return q.ListedCoverage(ctx)
	}
	if s.stream == affiliate.Commissions {
		_, coverage, err := q.Covered(ctx)
		return coverage, err
	}
	cover, err := q.ReadCoverage(ctx, s.stream, q.Days)
	if err != nil {
		return coverage.Coverage{}, err
	}
	return cover.Summary(q.Days), nil
}

// ExportCodes is the page of invite codes as a file, and ExportCohorts that of cohorts.
const (
	ExportCodes   ExportKind = "codes"
	ExportCohorts ExportKind = "cohorts"
)

// ExportDrivers is the page of what moved the commission as a file.
const ExportDrivers ExportKind = "drivers"

// ExportProgrammes is the page of the programmes side by side as a file.
const ExportProgrammes ExportKind = "programmes"

// ExportReturns is the page of costs and what they brought back as a file.
const ExportReturns ExportKind = "returns"

// ExportPivot is the pivot table as a file.
const ExportPivot ExportKind = "pivot"

// ExportAudit is the audit log as a file. It is not available on the command line.
const ExportAudit ExportKind = "audit"

// ExportMonths is the list of months as a file, and ExportMonth one month.
const (
	ExportMonths ExportKind = "months"
	ExportMonth  ExportKind = "month"
)
