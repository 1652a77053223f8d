package findings

import (
	"context"
	"fmt"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/collection"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
)

// Measures have the figures that monitoring watches, at one instant. They come from the reports of the
// pages and are computed no second time. What is not known has no sample.
type Measures struct {
	Now     affiliate.Millis // the instant that the figures are about
	Samples []Sample
}

// Measuring is one making of [Measures].
type Measuring struct {
	Measures
	Collected collection.Report // how far everything is collected
	question  *snapshot.Snapshot
}

// Sample is a value of a gauge.
type Sample struct {
	Gauge  string // its name
	Labels []string
	Value  decimal.Decimal
	Since  affiliate.Millis // if known, the value is the age of this instant in seconds
}

// Measure measures the gauges of all kinds from one state of the store.
func Measure(ctx context.Context, q *snapshot.Snapshot, collected collection.Report) (Measures, error) {
	m := Measuring{Measures: Measures{Now: affiliate.MillisOf(q.Now)}, Collected: collected, question: q}
	for _, k := range kinds {
		if k.Measure == nil {
			continue
		}
		if err := k.Measure(ctx, &m); err != nil {
			return Measures{}, err
		}
	}
	return m.Measures, nil
}

// MeasuresQuery returns the query of [Measure]: the days from the first of the month, or from yesterday
// if that is earlier, to today.
func MeasuresQuery(basis query.Query) query.Query {
	basis.Days = affiliate.Days{First: min(monthOf(basis.Today).First, basis.Today-1), Last: basis.Today}
	return basis
}

// Found adds the number of open findings of each kind.
func (m *Measures) Found(from Report) {
	open := map[string]int64{}
	for _, f := range from.Findings {
		open[NameOf(f)]++
	}
	for _, name := range Names() {
		m.add("findings", decimal.NewFromInt(open[name]), name)
	}
}

func (m *Measures) add(gauge string, value decimal.Decimal, labels ...string) {
	m.Samples = append(m.Samples, Sample{Gauge: gauge, Value: value, Labels: labels})
}

// ofAccounts measures something of each account of which anything was collected.
func (m *Measuring) ofAccounts(measure func(*snapshot.Snapshot) error) error {
	for _, account := range m.question.Accounts {
		if account == "" {
			continue
		}
		if err := measure(m.question.OfAccount(account)); err != nil {
			return fmt.Errorf("the account %q: %w", account, err)
		}
	}
	return nil
}
