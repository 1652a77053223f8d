package forecast

import (
	"reflect"

	"rebatedesk/access"
	"rebatedesk/reports/forecast"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/navigation"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	list := []route.Route{
		route.Page("/forecast", access.MayRead, s.Forecast).
			Help("Forecast", "Where will this month end, and do I reach its goal?", "forecast", "range of a forecast", "goal").
			Try("Set a goal for the month: the page then says what each remaining day must bring.").Listed(navigation.Earnings, "calendar", "month end expected goals").FoundAt("/forecast#goals", "Goals", "star", "").Divided().Takes(forecast.Accepted),
		route.Page("/forecast.json", access.MayRead, s.JSON).Divided().Describe(route.Operation{Params: forecast.Accepted.Describe(), Media: "application/json", Shape: reflect.TypeFor[answer](), Unready: true}),
		route.Page("/forecast/at-risk", access.MayRead, s.AtRisk).
			Help("Revenue at risk", "How much commission may I lose because invitees trade less?", "revenue at risk", "at risk", "silent", "slowing", "usual gap").Found("alert", "").Divided().Takes(atRisk),
	}
	if s.Desk != nil {
		list = append(list,
			route.Post("/forecast/goals", access.MayEdit, s.AddGoal),
			route.Post("/forecast/goals/copy", access.MayEdit, s.CopyGoals),
			route.Post("/forecast/goals/:id", access.MayEdit, s.ChangeGoal),
			route.Post("/forecast/goals/:id/remove", access.MayEdit, s.RemoveGoal),
			route.Post("/forecast/goals/:id/restore", access.MayEdit, s.RestoreGoal),
		)
	}
	return list
}
