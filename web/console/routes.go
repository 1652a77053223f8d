package console

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/exchange"
	"rebatedesk/reports/export"
	"rebatedesk/reports/query"
	"rebatedesk/web/route"
	templates "rebatedesk/web/templates/console"
	"rebatedesk/web/templates/navigation"
)

// Routes are the addresses of the package: the exchange's endpoints, as pages and as a proxy. A
// completed ticket leads to a review, and only the form of the review sends.
func (s *Area) Routes() []route.Route {
	pair := pairSheet("")
	list := []route.Route{
		route.Page(ProxyRoute, access.MayConsole, s.Proxy),
		route.Post(ProxyRoute, access.MayConsole, s.Proxy).ByToken(), // orders also require the permission to trade
		route.Page("/console", access.MayConsole, s.Home).
			Help("Console", "What does the account at the exchange hold, and which orders are open?", "market", "intent", "kill switch").
			Try("Open Market for prices and charts. Nothing on these pages sends an order before a review and a second press.").
			Listed(navigation.Console, "console", "market trading orders exchange"),
		route.Page(templates.MarketsPath+"/:symbol.csv", access.MayConsole, s.PairFile).Describe(s.sheetFile(pair)),
		route.Page(templates.MarketsPath+"/:symbol", access.MayConsole, s.Pair).
			Help("A pair", "How did the price of this pair develop, and what was traded?", "candle", "slot", "stream of a page").CSVAt(templates.MarketsPath+"/:symbol").
			Keys(route.Key("p q", "Ticket: price, quantity"), route.Key("b s", "Ticket: buy, sell"), route.Key("+ −", "Chart of prices: nearer, wider; 0 shows all")),
		route.Page(templates.ContractsPath+"/:symbol", access.MayConsole, s.Pair).
			Help("A contract", "What does this contract cost now?", "product"),
		route.Private(streamPath, access.MayConsole, s.Stream),
		route.Post("/console/favourites", access.MayConsole, s.SetFavourite),
		route.Post(StopReadingPath, access.MayConsole, s.StopReading),

		route.Page(templates.TicketPath, access.MayConsole, s.Ticket).
			Help("Order ticket", "What would this order cost, and does it pass all checks?", "intent", "flight check", "kill switch").Found("console", "console trade buy sell").
			Keys(route.Key("p q", "Ticket: price, quantity"), route.Key("b s", "Ticket: buy, sell")),
		route.Post(templates.TicketPath, access.MayTrade, s.Review), // sends nothing
		route.Page(templates.IntentsPath, access.MayConsole, s.IntentList).
			Help("Order log", "Which orders were entered here, by whom, and what became of them?", "intent", "unknown intent").Found("console", "console intents sent who orders"),
		route.Page(templates.IntentsPath+"/:id", access.MayConsole, s.Intent).
			Help("An order", "What does this order say, which checks did it pass, and what did the exchange answer?", "intent", "flight check", "unknown intent", "kill switch"),
		route.Post(templates.IntentsPath+"/:id/send", access.MayTrade, s.SendIntent),
		route.Post(templates.IntentsPath+"/:id/resolve", access.MayTrade, s.ResolveIntent),
		route.Post(templates.IntentsPath+"/:id/decide", access.MayTrade, s.DecideIntent),
		route.Post(templates.IntentsPath+"/:id/override", access.MayTrade, s.OverrideIntent),
		route.Page(CancellationPath, access.MayConsole, s.Cancellation).
			Help("Cancel orders", "Which orders would be cancelled, and what are they worth?", "intent", "flight check", "kill switch"),
		route.Post(CancellationPath, access.MayTrade, s.Send),
		route.Private(TicketPanelPath, access.MayConsole, s.TicketPart),
		route.Private(TicketCheckPath, access.MayConsole, s.TicketCheck),
		route.Page("/console/trading/state", access.MayConsole, s.TradingState).
			Help("State of trading", "May orders be sent now, and who stopped it if not?", "kill switch"),
		route.Post("/console/trading/stop", access.MayConsole, s.StopTrading),
		route.Post("/console/trading/resume", access.MayConsole, s.ResumeTrading),
	}
	for _, sh := range s.Sheets() {
		page := s.SheetPage(sh)
		if sh.Path == templates.OrdersPath {
			page = s.OpenOrders
		}
		list = append(list, s.sheetRoute(sh, page),
			route.Page(sh.Path+".csv", access.MayConsole, s.SheetFile(sh)).Describe(s.sheetFile(sh)))
	}
	for _, h := range s.Histories() {
		list = append(list, s.sheetRoute(h.sheet, s.HistoryPage(h)),
			route.Page(h.Path+".csv", access.MayConsole, s.HistoryFile(h)).Describe(historyFile(h)))
	}
	return list
}

// sheetRoute is the page of a sheet, whose file is described by itself.
func (s *Area) sheetRoute(sh sheet, page fiber.Handler) route.Route {
	return route.Page(sh.Path, access.MayConsole, page).Help(sh.title, sh.answers, sh.terms...).Found("console", "console "+sh.words).CSVAt(sh.Path)
}

var ofAccount = query.ParamInfo{Name: accountParam, Type: query.TextParam, Most: 100, Words: "Account of the exchange, by its name in this program. Without it: the first."}

// sheetFile is what programs are told about the file of a sheet.
func (s *Area) sheetFile(sh sheet) route.Operation {
	o := route.Operation{Words: sh.about + ", as the exchange answers now.", Params: []query.ParamInfo{ofAccount}, Media: "text/csv"}
	for _, f := range sh.fields {
		o.Params = append(o.Params, paramOf(f))
	}
	for _, column := range sh.columns {
		o.Columns = append(o.Columns, export.ColumnInfo{Name: column.Name, Type: "text"})
	}
	return o
}

// historyFile is what programs are told about the file of a range of days.
func historyFile(h history) route.Operation {
	o := route.Operation{Words: h.about + ", of a range of days.", Params: append([]query.ParamInfo{ofAccount}, historyParams.Describe()...), Media: "text/csv"}
	for _, column := range h.columns {
		o.Columns = append(o.Columns, export.ColumnInfo{Name: column.Name, Type: "text"})
	}
	return o
}

// paramOf describes a field of a form.
func paramOf(f templates.ConsoleField) query.ParamInfo {
	info := query.ParamInfo{Name: f.Name, Type: query.TextParam, Most: 100, Words: strings.TrimSuffix(f.Label, ".") + ".", Needed: f.Needed}
	if len(f.Options) > 0 {
		info.Type, info.Choices = query.ChoiceParam, f.Options
	}
	return info
}

// Proxied describes the endpoints that programs may read through the proxy. The server's time has no
// section of the interface document, and the proxy does not forward it.
func Proxied() (list []route.Operation) {
	for _, e := range exchange.Endpoints() {
		if e.Reading && e.Section != "" && strings.Contains(e.Path, "/v2/") {
			list = append(list, route.Operation{Method: e.Method, Path: strings.TrimSuffix(proxyPrefix, "/") + "/:account" + e.Path,
				Need: access.MayConsole, Proxied: e.Name, Media: "application/json"})
		}
	}
	return list
}
