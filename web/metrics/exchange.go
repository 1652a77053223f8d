package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"rebatedesk/exchange"
)

var (
	budgetUsed  = description("exchange_budget_used", "Request weight that counts at this moment.")
	budgetLimit = description("exchange_budget_limit", "Request weight that may be used in any ten seconds.")
	rateLimited = description("exchange_rate_limited_total", "Calls that the exchange refused for their rate (HTTP 429).")
)

// exchangeBudget reads how much of the request budget is in use.
type exchangeBudget struct {
	state func() exchange.BudgetState
}

func newExchange(state func() exchange.BudgetState) *exchangeBudget {
	return &exchangeBudget{state: state}
}

// Describe lists the figures.
func (b *exchangeBudget) Describe(list chan<- *prometheus.Desc) {
	list <- budgetUsed
	list <- budgetLimit
	list <- rateLimited
}

// Collect reads the figures.
func (b *exchangeBudget) Collect(figures chan<- prometheus.Metric) {
	state := b.state()
	figures <- prometheus.MustNewConstMetric(budgetUsed, prometheus.GaugeValue, float64(state.Used))
	figures <- prometheus.MustNewConstMetric(budgetLimit, prometheus.GaugeValue, float64(state.Limit))
	figures <- prometheus.MustNewConstMetric(rateLimited, prometheus.CounterValue, float64(state.Bans))
}
