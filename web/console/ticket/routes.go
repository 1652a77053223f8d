package ticket

import (
	"rebatedesk/access"
	"rebatedesk/web/console"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/console/frame"
	templates "rebatedesk/web/templates/console/ticket"
)

// New returns the handlers.
func New(b *console.Base) *Area {
	s := &Area{b}
	b.Lives["ticket"] = s.liveTicket
	return s
}

// intentRoute is the address of an intent.
const intentRoute = frame.IntentsPath + "/:id"

// Routes are the addresses of the package. A completed ticket leads to a review, and only the form
// of the review sends.
func (s *Area) Routes() []route.Route {
	return []route.Route{
		route.Page(frame.TicketPath, access.MayConsole, s.Ticket).
			Help("Order ticket", "What would this order cost, and does it pass all checks?", "intent", "flight check", "kill switch").Found("console", "console trade buy sell").
			Keys(route.Key("p q", "Ticket: price, quantity"), route.Key("b s", "Ticket: buy, sell")),
		route.Post(frame.TicketPath, access.MayTrade, s.Review), // sends nothing
		route.Page(frame.IntentsPath, access.MayConsole, s.IntentList).
			Help("Order log", "Which orders were entered here, by whom, and what became of them?", "intent", "unknown intent").Found("console", "console intents sent who orders"),
		route.Page(intentRoute, access.MayConsole, s.Intent).
			Help("An order", "What does this order say, which checks did it pass, and what did the exchange answer?", "intent", "flight check", "unknown intent", "kill switch"),
		route.Post(intentRoute+"/send", access.MayTrade, s.SendIntent),
		route.Post(intentRoute+"/resolve", access.MayTrade, s.ResolveIntent),
		route.Post(intentRoute+"/decide", access.MayTrade, s.DecideIntent),
		route.Post(intentRoute+"/override", access.MayTrade, s.OverrideIntent),
		route.Page(templates.CancellationPath, access.MayConsole, s.Cancellation).
			Help("Cancel orders", "Which orders would be cancelled, and what are they worth?", "intent", "flight check", "kill switch"),
		route.Post(templates.CancellationPath, access.MayTrade, s.Send),
		route.Private(panelPath, access.MayConsole, s.TicketPart),
		route.Private(panelPath+"/check", access.MayConsole, s.TicketCheck),
		route.Page("/console/trading/state", access.MayConsole, s.TradingState).
			Help("State of trading", "May orders be sent now, and who stopped it if not?", "kill switch"),
		route.Post("/console/trading/stop", access.MayConsole, s.StopTrading),
		route.Post("/console/trading/resume", access.MayConsole, s.ResumeTrading),
	}
}
