package ui

import (
	"context"
	"io"
	"strings"
	"weak"

	"github.com/a-h/templ"

	"rebatedesk/affiliate"
)

// Keep returns a text that was made before from the same values, or makes it and keeps it.
type Keep func(ctx context.Context, part string, of any, draw func(context.Context) (string, error)) (string, error)

// depends is what a table depends on besides its report.
type depends struct {
	here    string
	today   affiliate.Day
	noFiles bool
}

// DrawnWith returns what a table with these links depends on besides its report, for
// [DrawnOnce].
func DrawnWith(l Links) any { return depends{l.Here(), l.Query.Today, l.NoFiles} }

// drawing identifies a part of a page: the list of a shared report that it shows, and what
// else it depends on.
type drawing struct{ list, with any }

// DrawnOnce draws a part of a page once for all readers. The list belongs to a shared report
// and says which one it is; with holds everything else that the part depends on, and is
// comparable. A part with a form or the name of a reader cannot be kept.
func DrawnOnce[T any](p Page, part string, list []T, with any, c templ.Component) templ.Component {
	if p.Keep == nil || len(list) == 0 {
		return c
	}
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		text, err := p.Keep(ctx, part, drawing{weak.Make(&list[0]), with}, func(ctx context.Context) (string, error) {
			var text strings.Builder
			err := c.Render(ctx, &text)
			return text.String(), err
		})
		if err != nil {
			return err
		}
		_, err = io.WriteString(w, text)
		return err
	})
}
