package simulator

import (
	"net/http"
	"time"

	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
)

// operation is how an endpoint outside the affiliate chapter is answered.
type operation struct {
	bare   bool // the payload has no envelope
	trades bool // the key needs the permission to trade
	// serve writes the payload. The payload is dropped if serve refuses the call.
	serve func(*Simulator, *encoder, *parameters) *refusal
}

// operations lists the endpoints by section of the interface document.
var operations = map[string]operation{
	"4.1":  {serve: (*Simulator).exchangeInfo},
	"4.2":  {serve: (*Simulator).currencies},
	"4.3":  {serve: (*Simulator).spotTickers},
	"4.4":  {serve: (*Simulator).publicTrades},
	"4.5":  {serve: (*Simulator).contractTicker, bare: true},
	"4.6":  {serve: (*Simulator).contractTickers, bare: true},
	"4.7":  {serve: (*Simulator).placeOrder, trades: true},
	"4.8":  {serve: (*Simulator).placeOrders, trades: true},
	"4.9":  {serve: (*Simulator).cancelOrder, trades: true},
	"4.10": {serve: (*Simulator).cancelOrders, trades: true},
	"4.11": {serve: (*Simulator).openOrders},
	"4.12": {serve: (*Simulator).fills},
	"4.13": {serve: (*Simulator).placeTriggerOrder, trades: true, bare: true},
	"4.14": {serve: (*Simulator).spotBills},
	"4.15": {serve: (*Simulator).fundingBills},
	"4.16": {serve: (*Simulator).transferRecords},
}

// route is an endpoint in one version of the interface. An endpoint of the affiliate
// chapter has a query, any other an operation; the server time has neither.
type route struct {
	exchange.Endpoint
	operation
	version string
	query   func(*parameters, int64) (query, *refusal)
}

// queries lists the affiliate endpoints by section of the interface document.
var queries = map[string]func(*parameters, int64) (query, *refusal){
	"4.17": commissionQuery,
	"4.18": inviteeQuery,
	"4.19": subAffiliateQuery,
}

const timePath = "/api/v2/public/time"

// routes returns the answered endpoints by path.
func routes() map[string]route {
	all := map[string]route{}
	for _, endpoint := range weex.Endpoints() {
		r := route{Endpoint: endpoint, operation: operations[endpoint.Section], query: queries[endpoint.Section]}
		if r.query == nil && r.serve == nil && endpoint.Path != timePath {
			continue // not simulated
		}
		r.version = "v3"
		all[endpoint.PathIn("v3")] = r
		r.version = "v2"
		all[endpoint.Path] = r
	}
	return all
}

// parametersOf reads the parameters of a request from the query or the body.
func parametersOf(route route, r *http.Request, body []byte) *parameters {
	if route.Method == http.MethodPost {
		return fromBody(body)
	}
	return fromQuery(r.URL.RawQuery)
}

// operate answers an endpoint outside the affiliate chapter.
func (s *Simulator) operate(route route, p *parameters) ([]byte, *refusal) {
	if p.refused != nil {
		return nil, p.refused
	}
	e := &encoder{wording: wording{
		version:    route.version,
		otherTypes: s.happens(route.Path, OtherTypes),
		nulls:      s.happens(route.Path, NullFields),
		timeText:   !route.bare && s.happens(route.Path, RequestTimeText),
	}}
	if route.trades {
		e.wrongEcho = s.happens(route.Path, WrongEcho)
	}
	if route.Section == "4.12" {
		e.emptyFields, e.zeroTotals = s.happens(route.Path, EmptyFields), s.happens(route.Path, ZeroTotals)
	}
	if !route.bare {
		e.raw(`{"code":"00000","msg":"success"`)
		e.clock("requestTime", s.now())
		e.name("data")
	}
	if refused := route.serve(s, e, p); refused != nil {
		return nil, refused
	}
	if !route.bare {
		e.raw("}")
	}
	return e.b, nil
}

// postpone executes an order or a cancellation later. Its result is not reported, because
// its answer has long been sent.
func (s *Simulator) postpone(route route, r *http.Request, body []byte, by time.Duration) {
	if refused := s.authenticate(route, r, string(body)); refused != nil {
		return
	}
	p, a := parametersOf(route, r, body), s.trading()
	a.Later(by, func() { _, _ = s.operate(route, p) })
}
