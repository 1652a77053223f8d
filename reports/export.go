package reports

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"rebatedesk/reports/coverage"
	"rebatedesk/reports/export"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
)

// Export is a table ready to be written from one state of the store, whatever is collected
// in the meantime. The caller closes it.
type Export struct {
	Kind     *export.Kind
	Query    query.Query
	Coverage coverage.Coverage
	question *snapshot.Snapshot
	opened   time.Time
}

// OpenExport reads the coverage of the query and opens the state. If the query has a filter
// that does not apply to records of the kind, the error is a *ParamError.
func (s *Service) OpenExport(ctx context.Context, kind *export.Kind, query query.Query) (*Export, error) {
	if err := kind.Takes(query); err != nil {
		return nil, err
	}
	opened, err := s.ask(ctx, query)
	if err != nil {
		return nil, err
	}
	return exportOf(ctx, s, kind, opened)
}

// exportOf returns the export of an open question, which it closes after an error.
func exportOf(ctx context.Context, s *Service, kind *export.Kind, opened *snapshot.Snapshot) (*Export, error) {
	q := opened
	var err error
	if kind.UTC {
		if q, err = opened.InUTC(ctx); err != nil {
			return nil, errors.Join(err, opened.Close())
		}
	}
	coverage, err := kind.Coverage(ctx, q)
	if err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return &Export{Kind: kind, Query: q.Query, Coverage: coverage, question: q, opened: s.now()}, nil
}

// Close releases the state.
func (e *Export) Close() error { return e.question.Close() }

// Write writes the whole table. Memory does not grow with its length. After an error
// the output is truncated, and the caller must make that visible.
func (e *Export) Write(ctx context.Context, w io.Writer, format export.Format) (export.RowTally, error) {
	if format == export.JSON && e.Kind.Object != nil {
		object, t, err := e.Kind.Object.Make(ctx, e.question)
		if err != nil {
			return export.RowTally{}, err
		}
		return export.EncodeObject(w, object, t)
	}
	t, err := e.Kind.Table(ctx, e.question)
	if err != nil {
		return export.RowTally{}, err
	}
	facts := e.Facts()
	if state := cmp.Or(e.Query.AsOf, e.Query.Until); format == export.XLSX && !state.IsZero() {
		facts.Written = state.UTC().Format(time.RFC3339) // a past state gives the same bytes whenever it is written
	}
	if e.Kind.Daily && (format == export.XLSX || format == export.JSON) {
		if facts.Annotations, err = annotationsOf(ctx, e.question); err != nil {
			return export.RowTally{}, err
		}
	}
	return export.Encode(w, format, t, facts)
}

// annotationsOf returns the annotations on the days of a file.
func annotationsOf(ctx context.Context, q *snapshot.Snapshot) (list []export.Annotated, err error) {
	all, err := q.Annotations(ctx)
	for _, a := range all {
		list = append(list, export.Annotated{From: a.Days.First.String(), To: a.Days.Last.String(), Words: a.Words,
			Account: string(a.Account), Code: a.Code, Author: a.By(), Written: a.Created.Time().UTC().Format(time.RFC3339)})
	}
	return list, err
}

// FileName returns a file name after the content: kind, account, UID, days, zone. It begins
// with "incomplete-" if the range is not collected completely.
func (e *Export) FileName(format export.Format) string {
	return e.FileNameOf(e.Query.Days.First.String(), e.Query.Days.Last.String(), format, e.Coverage.Complete())
}

// FileNameOf is [Export.FileName] with another beginning and end than the days of the query,
// and with the caller's word on whether the content is complete.
func (e *Export) FileNameOf(first, last string, format export.Format, complete bool) string {
	name := e.Kind.Name
	for _, part := range []string{string(e.Query.Account), string(e.Query.UID)} {
		if part != "" {
			name += "_" + part
		}
	}
	name += fmt.Sprintf("_%s_%s_%s.%s", first, last, e.Query.Zone, format)
	if !complete {
		name = "incomplete-" + name
	}
	return strings.Map(fileRune, name)
}

func fileRune(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
		return r
	}
	return '-'
}

// Facts returns the facts of the export.
func (e *Export) Facts() export.Metadata {
	q := e.Query
	f := export.Metadata{
		Kind: e.Kind.Name, From: q.Days.First.String(), To: q.Days.Last.String(), Timezone: q.Zone.String(),
		Filters: q.Filters().Encode(), Complete: e.Coverage.Complete(), Collected: e.Coverage.Collected, Days: e.Coverage.Wanted,
		Through: e.Coverage.Through.String(), Written: e.opened.UTC().Format(time.RFC3339), Gaps: e.Coverage.Gaps, Lack: phrase.Lack(e.Coverage),
	}
	if q.Sort.Field != "" {
		f.Sort = q.Sort.String()
	}
	if !q.AsOf.IsZero() {
		f.AsOf = q.AsOf.Format(time.RFC3339Nano)
	}
	if !q.Since.IsZero() {
		f.Since = q.Since.Format(time.RFC3339Nano)
	}
	if !q.Until.IsZero() {
		f.Until = q.Until.Format(time.RFC3339Nano)
	}
	return f
}

// Unknown returns the filters of the export that can match nothing.
func (e *Export) Unknown(ctx context.Context) ([]string, error) {
	o, err := e.Kind.Choices(ctx, e.question)
	return o.Unknown, err
}
