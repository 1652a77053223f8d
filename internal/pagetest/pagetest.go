// Package pagetest renders components and parses queries for the tests of pages.
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

// Today is the day on which Ask evaluates queries.
var Today = affiliate.NewDay(2026, 11, 20)

// Component can be rendered.
type Component interface {
	Render(ctx context.Context, w io.Writer) error
}

// Source returns a component as it is sent, with its escapes.
func Source(t testing.TB, c Component) string {
	t.Helper()
	var page bytes.Buffer
	if err := c.Render(context.Background(), &page); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

// Text returns a component as a reader sees it, without escapes.
func Text(t testing.TB, c Component) string {
	t.Helper()
	return html.UnescapeString(Source(t, c))
}

// Ask parses a query string in UTC, an hour into Today. The data begin in 2025.
func Ask(t testing.TB, asked string) query.Query {
	t.Helper()
	values, err := url.ParseQuery(asked)
	if err != nil {
		t.Fatal(err)
	}
	q, err := query.Parse(values, query.Basis{Now: Today.Start(time.UTC).Add(time.Hour), Zone: time.UTC, First: affiliate.NewDay(2025, 1, 1)})
	if err != nil {
		t.Fatal(err)
	}
	return q
}
