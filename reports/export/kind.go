package export

import (
	"context"
	"fmt"
	"reflect"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
)

// Kind is a table that can be exported as a whole. A report declares it beside its table, which
// takes its rows from the same source as the page.
type Kind struct {
	Name    string               // in names of files and in their metadata
	Title   string               // of its section in the description of the interface; empty: it is part of another one
	About   string               // what its rows are, in a sentence
	Stream  affiliate.StreamKind // the stream whose coverage decides whether the export is complete
	Table   func(context.Context, *snapshot.Snapshot) (Table, error)
	Columns []ColumnInfo // of the table; nil: they depend on the query

	Foreign []string // parameters by which its rows cannot be narrowed: refused, never ignored
	Reach   bool     // it lists all invitees: everything the exchange lists must be collected, whatever days are requested
	Daily   bool     // a row is about a day: a workbook and JSON tell the annotations on its days
	UTC     bool     // its days are UTC days, whatever the reporting zone
	Between bool     // it compares two states instead of showing one
	Settled bool     // its rows change with writes and days only, not within a day
	Wallet  bool     // it shows bills of the account itself, which need a permission of their own

	// Covered returns the coverage of a kind that depends on more than one stream.
	Covered func(context.Context, *snapshot.Snapshot) (coverage.Coverage, error)
	// Options returns the choices of the filters; nil: those of commissions.
	Options func(context.Context, *snapshot.Snapshot) (snapshot.Options, error)
	// Object returns the report as its JSON has it, with its table. Without it the JSON is the
	// table with its metadata.
	Object *Object
	// After reads a part of the table by the place where the part before it ended, in orders in
	// which that costs the same for each part; otherwise it returns false.
	After func(ctx context.Context, q *snapshot.Snapshot, place string, limit int) (t Table, next func() string, ok bool, err error)
}

// Object makes the JSON of a kind that has a shape of its own.
type Object struct {
	Shape reflect.Type
	Make  func(context.Context, *snapshot.Snapshot) (any, Table, error)
}

// ObjectOf returns the object that a function makes.
func ObjectOf[T any](make func(context.Context, *snapshot.Snapshot) (T, Table, error)) *Object {
	return &Object{Shape: reflect.TypeFor[T](), Make: func(ctx context.Context, q *snapshot.Snapshot) (any, Table, error) { return make(ctx, q) }}
}

// String returns the name, empty for no kind.
func (k *Kind) String() string {
	if k == nil {
		return ""
	}
	return k.Name
}

// Shape returns the type of the kind's JSON; nil: it is the table with its metadata.
func (k *Kind) Shape() reflect.Type {
	if k.Object == nil {
		return nil
	}
	return k.Object.Shape
}

// Takes returns a *ParamError for a query with a filter that does not apply to rows of the kind.
func (k *Kind) Takes(q query.Query) error {
	return q.Refuse(k.Foreign, fmt.Sprintf("does not apply to an export of %s", k))
}

// Coverage returns how far the days of the query are collected in the streams the kind depends on.
func (k *Kind) Coverage(ctx context.Context, q *snapshot.Snapshot) (coverage.Coverage, error) {
	if k.Covered != nil {
		return k.Covered(ctx, q)
	}
	if k.Reach {
		return q.ListedCoverage(ctx)
	}
	if k.Stream == affiliate.Commissions {
		_, coverage, err := q.Covered(ctx)
		return coverage, err
	}
	cover, err := q.ReadCoverage(ctx, k.Stream, q.Days)
	if err != nil {
		return coverage.Coverage{}, err
	}
	return cover.Summary(q.Days), nil
}

// Choices returns the choices of the filters of the kind.
func (k *Kind) Choices(ctx context.Context, q *snapshot.Snapshot) (snapshot.Options, error) {
	if k.Options != nil {
		return k.Options(ctx, q)
	}
	return q.Options(ctx)
}
