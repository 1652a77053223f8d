package handler

import (
	"rebatedesk/reports/figures"
	"rebatedesk/web/charts"
	"rebatedesk/web/templates/ui"
)

func DailyChart(d figures.DailySeries) ui.Chart {
	return ui.Chart{ID: "daily-chart", Label: charts.Describe(d), Data: charts.Daily(d)}
}
