package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"rebatedesk/reports/answers"
)

var (
	cacheHits      = description("report_cache_hits_total", "Reports and parts of reports that were given from memory.")
	cacheMisses    = description("report_cache_misses_total", "Reports and parts of reports that had to be made.")
	cacheEvictions = description("report_cache_evictions_total", "Values that were removed to make room for others.")
	cacheBytes     = description("report_cache_bytes", "Memory that the values take.")
	cacheLimit     = description("report_cache_limit_bytes", "Memory that the values may take.")
)

// reportCache reads the figures of the report cache.
type reportCache struct{ stats func() answers.CacheUse }

// Describe lists the figures.
func (c reportCache) Describe(list chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{cacheHits, cacheMisses, cacheEvictions, cacheBytes, cacheLimit} {
		list <- desc
	}
}

// Collect reads the figures.
func (c reportCache) Collect(figures chan<- prometheus.Metric) {
	s := c.stats()
	figures <- prometheus.MustNewConstMetric(cacheHits, prometheus.CounterValue, float64(s.Hits))
	figures <- prometheus.MustNewConstMetric(cacheMisses, prometheus.CounterValue, float64(s.Misses))
	figures <- prometheus.MustNewConstMetric(cacheEvictions, prometheus.CounterValue, float64(s.Evictions))
	figures <- prometheus.MustNewConstMetric(cacheBytes, prometheus.GaugeValue, float64(s.Bytes))
	figures <- prometheus.MustNewConstMetric(cacheLimit, prometheus.GaugeValue, float64(s.Limit))
}
