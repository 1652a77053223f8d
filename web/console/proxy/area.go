// Package proxy hands the calls of programs on to the exchange. Orders pass the checks of package
// trading on their way.
package proxy

import (
	"rebatedesk/access"
	"rebatedesk/web/console"
	"rebatedesk/web/route"
)

// Area holds the handler.
type Area struct{ *console.Base }

// New returns the handler.
func New(b *console.Base) *Area { return &Area{b} }

// Routes are the addresses of the proxy.
func (s *Area) Routes() []route.Route {
	return []route.Route{
		route.Page(proxyRoute, access.MayConsole, s.Proxy),
		route.Post(proxyRoute, access.MayConsole, s.Proxy).ByToken(), // orders also require the permission to trade
	}
}
