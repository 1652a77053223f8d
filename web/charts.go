package web

import (
	"rebatedesk/reports/figures"
	"rebatedesk/web/charts"
	"rebatedesk/web/templates"
)

func dailyChart(d figures.DailySeries) templates.Chart {
	return templates.Chart{ID: "daily-chart", Label: charts.Describe(d), Data: charts.Daily(d)}
}
