package web

import "rebatedesk/reports"

// routes is every way into the server. Fiber answers HEAD where there is GET.
// Nothing but a POST changes anything.
func (s *Server) routes() {
	app := s.app
	app.Use(s.request, s.recoverPanics)
	app.Get("/healthz", s.health)
	app.Get("/readyz", s.ready)

	app.Use(s.refuseForeignHost, s.refuseEncodedBody, s.refuseCrossSite)

	app.Get("/static/*", s.static)

	app.Get("/", s.overview)
	app.Get("/overview.csv", s.export(reports.ExportDaily, reports.CSV))
	app.Get("/overview.json", s.export(reports.ExportDaily, reports.JSON))

	app.Get("/commissions", s.commissions)
	app.Get("/commissions.csv", s.export(reports.ExportCommissions, reports.CSV))
	app.Get("/commissions.json", s.export(reports.ExportCommissions, reports.JSON))

	app.Get("/collection", s.collection)
	app.Get("/collection/progress", s.progress)
	app.Get("/collection/restatements", s.restatements)
	if s.Collect != nil {
		app.Post("/collection/collect", s.collectNow)
	}
}
