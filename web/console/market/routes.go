package market

import (
	"rebatedesk/access"
	"rebatedesk/web/console"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/console/frame"
	"rebatedesk/web/templates/navigation"
)

// New returns the handlers.
func New(b *console.Base, panel Panel) *Area {
	s := &Area{Base: b, panel: panel}
	b.Lives["market"], b.Lives["overview"] = s.liveMarket, s.liveOverview
	return s
}

// Routes are the overview and the pages of single pairs.
func (s *Area) Routes() []route.Route {
	return []route.Route{
		route.Page("/console", access.MayConsole, s.Home).
			Help("Console", "What does the account at the exchange hold, and which orders are open?", "market", "intent", "kill switch").
			Try("Open Market for prices and charts. Nothing on these pages sends an order before a review and a second press.").
			Listed(navigation.Console, "console", "market trading orders exchange"),
		s.FileRoute(frame.MarketsPath+"/:symbol", pairSheet(""), s.PairFile),
		route.Page(frame.MarketsPath+"/:symbol", access.MayConsole, s.Pair).
			Help("A pair", "How did the price of this pair develop, and what was traded?", "candle", "slot", "stream of a page").CSVAt(frame.MarketsPath+"/:symbol").
			Keys(route.Key("p q", "Ticket: price, quantity"), route.Key("b s", "Ticket: buy, sell"), route.Key("+ −", "Chart of prices: nearer, wider; 0 shows all")),
		route.Page(frame.ContractsPath+"/:symbol", access.MayConsole, s.Pair).
			Help("A contract", "What does this contract cost now?", "product"),
		route.Post("/console/favourites", access.MayConsole, s.SetFavourite),
	}
}

// Lists are the pages of all pairs, coins and contracts.
func (s *Area) Lists() (list []route.Route) {
	for _, sh := range []console.Sheet{s.marketsSheet(), currenciesSheet, contractsSheet} {
		list = append(list, s.SheetRoutes(sh, s.SheetPage(sh))...)
	}
	return list
}
