package histories

import (
	"rebatedesk/access"
	"rebatedesk/web/console"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/console/histories"
)

// New returns the handlers.
func New(b *console.Base) *Area { return &Area{Base: b} }

// Routes are the pages of fills, bills, funding bills and transfers, and their files.
func (s *Area) Routes() []route.Route {
	list := []route.Route{route.Post(histories.StopReadingPath, access.MayConsole, s.StopReading)}
	for _, h := range []history{fillHistory, billHistory, fundingHistory, transferHistory} {
		list = append(list, h.Route(s.HistoryPage(h)), route.Page(h.Path+".csv", access.MayConsole, s.HistoryFile(h)).Describe(h.described()))
	}
	return list
}
