package web

import (
	"slices"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/web/annotations"
	"rebatedesk/web/campaigns"
	"rebatedesk/web/collection"
	"rebatedesk/web/console"
	"rebatedesk/web/console/histories"
	"rebatedesk/web/console/market"
	"rebatedesk/web/console/orders"
	"rebatedesk/web/console/proxy"
	"rebatedesk/web/console/ticket"
	"rebatedesk/web/deliveries"
	"rebatedesk/web/earnings"
	"rebatedesk/web/feeds"
	"rebatedesk/web/forecast"
	"rebatedesk/web/handler"
	"rebatedesk/web/help"
	"rebatedesk/web/invitees"
	"rebatedesk/web/months"
	"rebatedesk/web/packs"
	"rebatedesk/web/payments"
	"rebatedesk/web/prices"
	"rebatedesk/web/route"
	"rebatedesk/web/search"
	"rebatedesk/web/settings"
	"rebatedesk/web/statements"
	"rebatedesk/web/summaries"
	"rebatedesk/web/views"
	"rebatedesk/web/worklist"
)

// features returns the routes of each feature. A new page is a line here. Their order is that of the
// navigation and of the help. Evidence packs come before the pages whose address ends in a parameter.
func (s *Server) features() (list []route.Route) {
	o := s.options
	admins := settings.New(s.Base, o.Desk, o.Accounts, o.Backups)
	s.SetupStrip = admins.Strip
	earned, paid := earnings.New(s.Base), payments.New(s.Base, o.Desk)
	clients, sources := invitees.New(s.Base, o.Desk), campaigns.New(s.Base, o.Desk)
	mails := summaries.New(s.Base, o.PublicURL == "" && !o.Demo)
	find := search.New(s.Base, o.Desk)
	var exchange []route.Route
	if o.Console != nil {
		shared := console.New(s.Base, o.Console, o.Trading, o.Market)
		tickets := ticket.New(shared)
		markets := market.New(shared, tickets.Panel)
		exchange = slices.Concat(
			proxy.New(shared).Routes(),
			markets.Routes(),
			shared.Routes(),
			tickets.Routes(),
			markets.Lists(),
			orders.New(shared).Routes(),
			histories.New(shared).Routes(),
		)
		find.Markets = markets.MarketsLike
		s.api.Operations = append(s.api.Operations, proxy.Proxied()...)
	}
	closings := months.New(s.Base, o.Desk, o.Signer)
	return slices.Concat(
		s.signin.Routes(),
		help.New(s.Base).Routes(),
		admins.Routes(),
		packs.New(s.Base, o.Signer).Routes(),
		earned.OverviewRoutes(),
		earned.ProgrammeRoutes(),
		earned.AttentionRoutes(),
		s.views.Routes(),
		annotations.New(s.Base).Routes(),
		earned.CommissionRoutes(),
		earned.DriverRoutes(),
		earned.PivotRoutes(),
		forecast.New(s.Base, o.Desk).Routes(),
		paid.PaymentRoutes(),
		paid.BalanceRoutes(),
		paid.RateRoutes(),
		paid.TierRoutes(),
		earned.ChangeRoutes(),
		closings.Routes(),
		closings.NetRoutes(),
		paid.IncomeRoutes(),
		statements.New(s.Base, o.Desk).Routes(),
		worklist.New(s.Base, o.Desk).Routes(),
		clients.InviteeRoutes(),
		clients.SegmentRoutes(),
		clients.CohortRoutes(),
		clients.ImportRoutes(),
		sources.CodeRoutes(),
		sources.ReturnRoutes(),
		sources.SubAffiliateRoutes(),
		mails.LogRoutes(),
		mails.Routes(),
		feeds.New(s.Base).Routes(),
		deliveries.New(s.Base).Routes(),
		collection.New(s.Base, o.Collect, s.facts).Routes(),
		prices.New(s.Base, o.Desk).Routes(),
		exchange,
		find.Routes(),
		s.api.Routes(),
	)
}

// routes registers every route. Fiber answers HEAD for every GET.
func (s *Server) routes() {
	s.views = views.New(s.Base, s.options.Desk)
	s.app.Use(s.request, s.recoverPanics)
	s.register(s.healthRoutes()...)
	s.app.Use(s.refuseForeignHost, s.refuseEncodedBody, s.refuseControls, s.refuseCrossSite, s.leaveForm)
	s.register(
		route.Private("/static/*", route.Everybody, s.static).Open(),
		route.Private("/favicon.ico", route.Everybody, s.files.icon).Open())
	s.register(s.features()...)
	slices.SortStableFunc(s.api.Operations, func(a, b route.Operation) int { return order(a.Proxied) - order(b.Proxied) })
}

// order puts the endpoints behind the proxy after our own.
func order(proxied string) int { return min(len(proxied), 1) }

// register adds routes. Nothing answers that is not a route, and no route without its rights.
func (s *Server) register(list ...route.Route) {
	for _, r := range list {
		before := []fiber.Handler{s.authorize(r)}
		if r.Figures {
			before = append(before, handler.Accepting(r.Accepts))
		}
		if computed(r) && !r.File {
			before = append(before, s.InTurn)
		}
		if r.Viewed {
			before = append(before, s.views.WithViews)
		}
		s.app.Add(r.Method, r.Path, append(before, r.Answers...)...)
		if r.Method == fiber.MethodGet {
			s.app.Add(fiber.MethodHead, r.Path, append(before, r.Answers...)...)
		}
		if r.Told != nil {
			s.api.Operations = append(s.api.Operations, *r.Told)
		}
		for _, item := range r.Listing() {
			s.Base.Map.Add(item)
		}
		if r.Helps.Name != "" {
			s.Base.Help = append(s.Base.Help, r.Helps)
		}
		s.table = append(s.table, r)
	}
}

// Routes returns the routes of the server.
func (s *Server) Routes() []route.Route { return slices.Clone(s.table) }

// computed reports whether the answer of a route is made from the store and therefore
// takes work that users share. The console waits for the exchange, which has its own
// budget; forms take no such work, and a user who has to end a session must be able to
// do so whatever else runs in it; files have separate places.
func computed(r route.Route) bool {
	switch r.Need {
	case access.MayRead, access.MayExport, access.MayReadBills, access.MayEdit, access.MayAdminister:
		return r.Method == fiber.MethodGet
	}
	return false
}

// Description returns the description of the server's interface for programs, as OpenAPI.
func (s *Server) Description() ([]byte, error) { return s.api.Text() }
