package web

import (
	"rebatedesk/reports"
	"rebatedesk/web/charts"
	"rebatedesk/web/templates"
)

func dailyChart(d reports.DailySeries) templates.Chart {
	return templates.Chart{ID: "daily-chart", Label: charts.Describe(d), Data: charts.Daily(d)}
}
