// Package histories has the pages about what happened in an account: fills, bills of both accounts
// and transfers, of the exchange and as they are stored here.
package histories

import (
	"rebatedesk/access"
	"rebatedesk/exchange"
	"rebatedesk/web/console"
	"rebatedesk/web/route"
	templates "rebatedesk/web/templates/console/histories"
)

// Area holds the handlers.
type Area struct {
	*console.Base
	readings   readings
	currencies kept[*exchange.Client, coinNames]
}

// New returns the handlers.
func New(b *console.Base) *Area { return &Area{Base: b} }

// Routes are the pages of fills, bills, funding bills and transfers, and their files.
func (s *Area) Routes() []route.Route {
	list := []route.Route{route.Post(templates.StopReadingPath, access.MayConsole, s.StopReading)}
	for _, h := range []history{fillHistory, billHistory, fundingHistory, transferHistory} {
		list = append(list, h.Route(s.HistoryPage(h)), route.Page(h.Path+".csv", access.MayConsole, s.HistoryFile(h)).Describe(h.described()))
	}
	return list
}
