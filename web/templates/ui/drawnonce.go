package ui

import (
	"context"
	"io"
	"weak"

	"github.com/a-h/templ"

	"rebatedesk/people"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/query"
)

// Keep writes a part of a page that was drawn before from the same values, or draws it and
// keeps it.
type Keep func(ctx context.Context, w io.Writer, part string, of any, draw func(context.Context, io.Writer) error) error

// depends is what a part of a report page depends on besides its report.
type depends struct {
	query     query.Query
	defaulted bool // a default view makes the bare address another page
	noFiles   bool
	writes    bool
	large     bool
}

// DrawnWith returns what a part with these links depends on besides its report, for
// [DrawnOnce]. Its other links are the same for all readers of a page.
func DrawnWith(l Links) any {
	_, defaulted := l.Views.Default(l.Path)
	return depends{l.Query, defaulted, l.NoFiles, l.Writes, l.Large}
}

// Shown returns a list of a report with figures, for [DrawnOnce]. It returns nil for a report
// without any, whose page shows the running collection.
func Shown[T any](empty coverage.EmptyKind, list []T) []T {
	if empty != "" {
		return nil
	}
	return list
}

// drawing identifies a part of a page: the list of a shared report that it shows, and what
// else it depends on.
type drawing struct {
	list, with any
	names      *people.NameBook // that the reader may see
}

// DrawnOnce draws a part of a page once for all readers. The list belongs to a shared report
// and says which one it is; with holds everything else that the part depends on, and is
// comparable. A part with a form or the name of a reader cannot be kept.
func DrawnOnce[T any](p Page, part string, list []T, with any, c templ.Component) templ.Component {
	if p.Keep == nil || len(list) == 0 {
		return c
	}
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		return p.Keep(ctx, w, part, drawing{weak.Make(&list[0]), with, NamesIn(ctx)}, c.Render)
	})
}
