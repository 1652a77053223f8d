package ui

import (
	"context"
	"io"

	"github.com/a-h/templ"
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/phrase"
)

// What most cells of tables consist of, as functions: a template for each would be generated code.

// Text is a text of our own.
func Text(text string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error { return write(w, templ.EscapeString(text)) })
}

// Foreign is a text of others.
func Foreign(text string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		return write(w, "<bdi>", templ.EscapeString(text), "</bdi>")
	})
}

// Span is a text with a class and a title, of which either may be empty.
func Span(class, title, text string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		return write(w, "<span", classes(class), attribute("title", title), ">", templ.EscapeString(text), "</span>")
	})
}

// Digits is a figure with at most eight digits. If it has more, its exact value is the title.
func Digits(class string, d decimal.Decimal) templ.Component {
	return rounded(class, affiliate.Digits(d), affiliate.Grouped(d.String()))
}

// Signed is a difference with its sign, otherwise as [Digits].
func Signed(class string, d decimal.Decimal) templ.Component {
	return rounded(class, phrase.WithSign(d, affiliate.Digits(d)), phrase.Signed(d))
}

// SignedAmount is a difference of a coin with its sign, as [Amount].
func SignedAmount(class string, a affiliate.Amount) templ.Component {
	return Span(class, a.Exact(), phrase.WithSign(a.Value, a.Short()))
}

func rounded(class, short, exact string) templ.Component {
	if short == exact {
		if class == "" {
			return Text(short)
		}
		exact = ""
	}
	return Span(class, exact, short)
}

// Labelled is a text of our own followed by one of others.
func Labelled(label, foreign string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		return write(w, templ.EscapeString(label), "<bdi>", templ.EscapeString(foreign), "</bdi>")
	})
}

// ForeignStyled is a text of others with a class.
func ForeignStyled(class, text string) templ.Component {
	return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
		return write(w, "<bdi", classes(class), ">", templ.EscapeString(text), "</bdi>")
	})
}

// Link links to an address of ours.
func Link(class, address string, of templ.Component) templ.Component {
	return LinkTitled(class, address, "", of)
}

// LinkTitled is [Link] with a title.
func LinkTitled(class, address, title string, of templ.Component) templ.Component {
	return around("<a"+classes(class)+attribute("href", string(templ.URL(address)))+attribute("title", title)+">", of, "</a>")
}

// around is a component between texts of HTML.
func around(begin string, of templ.Component, end string) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		if err := write(w, begin); err != nil {
			return err
		}
		if err := of.Render(ctx, w); err != nil {
			return err
		}
		return write(w, end)
	})
}

// Join is components one after the other, a space between them.
func Join(parts ...templ.Component) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		for i, part := range parts {
			if i > 0 {
				if err := write(w, " "); err != nil {
					return err
				}
			}
			if err := part.Render(ctx, w); err != nil {
				return err
			}
		}
		return nil
	})
}

// When is a component, or nothing.
func When(condition bool, then templ.Component) templ.Component {
	return Either(condition, then, templ.NopComponent)
}

// Either is one of two components.
func Either(condition bool, then, otherwise templ.Component) templ.Component {
	if condition {
		return then
	}
	return otherwise
}

// ClassIf is a class, or none.
func ClassIf(condition bool, class string) string {
	if condition {
		return class
	}
	return ""
}

// Indices are the numbers from zero up to a number of rows.
func Indices(rows int) []int {
	list := make([]int, rows)
	for i := range list {
		list[i] = i
	}
	return list
}

// Pointers are the addresses of the rows of a list.
func Pointers[T any](rows []T) []*T {
	list := make([]*T, len(rows))
	for i := range rows {
		list[i] = &rows[i]
	}
	return list
}
