package collection

import (
	"rebatedesk/access"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/navigation"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	list := []route.Route{
		route.Page("/collection", access.MayRead, s.Collection).
			Help("Data", "Has everything been read from the exchange, and how fresh is it?", "coverage", "collected", "settled", "verified", "complete", "run", "stream", "window", "weight", "history").
			Try("Look for a line that is not complete. It says which days are missing, and why.").
			Listed(navigation.Collection, "database", "coverage runs gaps").Takes(collectionParams),
		route.Page("/exchanges", access.MayRead, s.Exchanges).
			Help("Exchanges", "What does each exchange tell, how far back, and what can no figure of it say?", "grain", "coverage").
			Listed(navigation.Collection, "columns", "exchange sheet bitget mexc kucoin okx weex limits unknown grain"),
		route.Page("/collection/progress", access.MayRead, s.Progress),
		route.Page("/collection/restatements", access.MayRead, s.Restatements).
			Help("Restatements", "Which records did the exchange change or remove after we had read them?", "open row", "closed row", "noticed").Found("refresh", "").WithViews().Takes(restatementParams),
		route.Page("/collection/runs/:id", access.MayRead, s.RunOne).
			Help("A run", "What did this run read, how long did it take, and what went wrong?", "run", "window", "slice", "weight"),
		route.Private("/collection/slices/:id/answers.zip", access.MayEdit, s.AnswersOfSlice),
	}
	if s.Collect != nil {
		list = append(list,
			route.Post("/collection/collect", access.MayEdit, s.CollectNow).Begins("/collection#collect", "Collect now", "refresh", "fetch update read"),
		)
	}
	return list
}
