package findings

import (
	"context"

	"github.com/shopspring/decimal"
)

var streamLabels = []string{"account", "stream", "product"}

var _ = register(Kind{
	Gauges: []Gauge{
		{Name: "coverage_collected_days", Help: "Reporting days of a stream that are collected.", Labels: streamLabels},
		{Name: "coverage_expected_days", Help: "Reporting days of a stream that are due, without those that the exchange does not give.", Labels: streamLabels},
		{Name: "coverage_age_seconds", Help: "How long ago the instant was before which everything of a stream is collected. No series if nothing is.", Labels: streamLabels},
	},
	Measure: func(_ context.Context, m *Measuring) error {
		for _, s := range m.Collected.Streams {
			if s.Account == "" {
				continue
			}
			labels := []string{string(s.Account), string(s.Stream.Kind), string(s.Stream.Product)}
			m.add("coverage_collected_days", decimal.NewFromInt(int64(s.Coverage.Collected-s.OutOfReach)), labels...)
			m.add("coverage_expected_days", decimal.NewFromInt(int64(s.Coverage.Wanted-s.OutOfReach)), labels...)
			if s.Coverage.Through.Known() {
				m.Samples = append(m.Samples, Sample{Gauge: "coverage_age_seconds", Labels: labels, Since: s.Coverage.Through})
			}
		}
		return nil
	},
})
