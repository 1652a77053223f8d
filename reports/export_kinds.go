package reports

import (
	"context"
	"fmt"
	"reflect"

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
	settled bool                                                                 // its rows change with writes and days only, not within a day
	columns func() []export.ColumnInfo                                           // of the table; nil: they depend on the query
	// object returns the report as its JSON has it, with its table. Without it the JSON is the
	// table with its metadata.
	object *objectSpec
	// after reads a part of the table by the place where the part before it ended, in orders in
	// which that costs the same for each part; otherwise it returns false.
	after func(ctx context.Context, q *question.Question, place string, limit int) (t export.Table, next func() string, ok bool, err error)
}

// exportSpecs has a line for every export. To add a report, add a line whose table takes
// its rows from the same source as the report's page.
var exportSpecs = map[ExportKind]exportSpec{
	ExportCommissions: {settled: true, stream: affiliate.Commissions, table: commissions.Table, columns: commissions.Columns, after: commissions.PartAfter},
	ExportDaily:       {settled: true, stream: affiliate.Commissions, daily: true, table: commissions.DailyTable, columns: commissions.DailyColumns},
	ExportInvitees: {settled: true, stream: affiliate.Invitees, table: invitees.Table, columns: invitees.Columns,
		foreign: []string{"product", "coin", "symbol", "source"}},
	ExportCodes:       {stream: affiliate.Commissions, table: invitecodes.Table, columns: invitecodes.Columns, covered: invitecodes.Covered},
	ExportCohorts:     {stream: affiliate.Invitees, table: cohorts.Table, columns: cohorts.Columns, covered: cohorts.Covered, foreign: cohorts.Foreign},
	ExportInviteeList: {settled: true, stream: affiliate.Invitees, table: invitees.ListTable, columns: invitees.Columns, reach: true},
	ExportSubAffiliates: {settled: true, stream: affiliate.SubAffiliates, table: subaffiliates.Table, columns: subaffiliates.Columns,
		foreign: subaffiliates.Foreign, utc: true},
	ExportBills: {settled: true, stream: affiliate.SpotBills, table: payments.BillTable, columns: payments.BillColumns, covered: payments.BillsCovered,
		foreign: payments.Foreign, utc: true},
	ExportPivot:   {stream: affiliate.Commissions, table: pivot.Table, object: objectOf(pivot.JSONObject)},
	ExportDrivers: {stream: affiliate.Commissions, table: drivers.Table, columns: drivers.Columns, covered: drivers.Covered, object: objectOf(drivers.Object)},
	ExportPayments: {stream: affiliate.Commissions, table: payments.Table, columns: payments.Columns, covered: payments.Covered,
		foreign: payments.Foreign, utc: true},
	ExportProgrammes: {stream: affiliate.Commissions, table: programmes.Table, columns: programmes.Columns},
	ExportMonths:     {stream: affiliate.Commissions, table: months.Table, columns: months.Columns, object: objectOf(months.ListObject)},
	ExportMonth:      {stream: affiliate.Commissions, table: months.OneTable, columns: months.OneColumns, object: objectOf(months.OneObject)},
	ExportChanges: {settled: true, stream: affiliate.Commissions, table: changes.Table, columns: changes.Columns, covered: changes.Covered,
		foreign: []string{"as_of"}},
	ExportRates: {settled: true, stream: affiliate.Commissions, table: rates.Table, columns: rates.Columns},
	ExportWorklist: {stream: affiliate.Commissions, table: worklist.Table, columns: worklist.Columns, covered: worklist.Covered,
		foreign: []string{"from", "to", "product", "symbol", "source"}},
	ExportReturns: {stream: affiliate.Commissions, table: returns.Table, columns: returns.Columns, covered: returns.Covered},
}

// objectSpec makes the JSON of a kind that has a shape of its own.
type objectSpec struct {
	shape reflect.Type
	make  func(context.Context, *question.Question) (any, export.Table, error)
}

func objectOf[T any](make func(context.Context, *question.Question) (T, export.Table, error)) *objectSpec {
	return &objectSpec{shape: reflect.TypeFor[T](), make: func(ctx context.Context, q *question.Question) (any, export.Table, error) { return make(ctx, q) }}
}

// ExportDescription describes the files of a kind to those who read them by a program.
type ExportDescription struct {
	Columns []export.ColumnInfo // empty: they depend on the query
	Object  reflect.Type        // of the JSON; nil: it is the table with its metadata
	Foreign []string            // parameters by which the rows cannot be narrowed: they are refused
}

// Describe returns the description of the kind.
func (k ExportKind) Describe() ExportDescription {
	spec := exportSpecs[k]
	d := ExportDescription{Foreign: spec.foreign}
	if spec.columns != nil {
		d.Columns = spec.columns()
	}
	if spec.object != nil {
		d.Object = spec.object.shape
	}
	return d
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
