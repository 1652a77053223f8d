package metrics

import (
	"context"

	"rebatedesk/reports/findings"
	"rebatedesk/store"
)

// NewFigures returns figures that are made by a function.
func NewFigures(st *store.Store, make func(context.Context) (findings.Measures, error)) *figures {
	return newFigures(st, make)
}

// Renew makes a report if there is reason to.
func (f *figures) Renew(ctx context.Context) error { return f.renew(ctx) }
