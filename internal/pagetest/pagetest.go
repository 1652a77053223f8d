// Package pagetest draws components and asks questions for the tests of pages.
package pagetest

import (
	"bytes"
	"context"
	"html"
	"io"
	"net/url"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/query"
)

// Today is the day on which Ask asks.
var Today = affiliate.NewDay(2026, 11, 20)

// Component is what can be drawn.
type Component interface {
	Render(ctx context.Context, w io.Writer) error
}

// Source is a component as it is sent, with its escapes.
func Source(t testing.TB, c Component) string {
	t.Helper()
	var page bytes.Buffer
	if err := c.Render(context.Background(), &page); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

// Text is a component as it is read, without escapes.
func Text(t testing.TB, c Component) string {
	t.Helper()
	return html.UnescapeString(Source(t, c))
}

// Ask is the question of a query string in UTC, an hour into Today. The data
// begin in 2025.
func Ask(t testing.TB, asked string) query.Query {
	t.Helper()
	values, err := url.ParseQuery(asked)
	if err != nil {
		t.Fatal(err)
	}
	q, err := query.ParseQuery(values, query.Basis{Now: Today.Start(time.UTC).Add(time.Hour), Zone: time.UTC, First: affiliate.NewDay(2025, 1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	return q
}
