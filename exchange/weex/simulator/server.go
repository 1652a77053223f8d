package simulator

import (
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/account"
	"rebatedesk/exchange/weex/simulator/market"
	"rebatedesk/exchange/weex/simulator/programme"
)

// Simulator answers as the exchange does. It is an http.Handler and safe for concurrent
// use.
type Simulator struct {
	options     Options
	credentials map[string]Credentials // by user
	routes      map[string]route
	markets     []*market.SpotPair
	contracts   []*market.ContractPair

	mu             sync.Mutex
	programme      *programme.Programme
	ledger         *programme.Records
	life           *programme.Life // nil if the programme ends at its start
	limiter        *limiter
	triggers       *triggers
	faultyListings bool // whether any fault of a listing is possible
	listings       *listings
	stats          Stats
	account        *account.SpotAccount // nil until first used
}

// New generates the programme of the options, as of their Now.
func New(o Options) *Simulator {
	o = o.withDefaults()
	p := programme.New(o.plan())
	s := &Simulator{
		options:     o,
		credentials: o.credentials(),
		routes:      routes(),
		markets:     market.SpotPairs(o.Seed),
		contracts:   market.ContractPairs(o.Seed),
		programme:   p,
		ledger:      programme.NewRecords(p),
		limiter:     newLimiter(o.RateLimit),
		triggers:    newTriggers(o),
		listings:    newListings(),
		stats:       Stats{Requests: map[string]int{}, Refusals: map[string]int{}, Faults: map[Fault]int{}},
	}
	s.faultyListings = s.triggers.any(ofListings)
	if o.Live {
		s.life = programme.NewLife(p, s.ledger)
	}
	return s
}

// Credentials returns the credentials for signed calls.
func (s *Simulator) Credentials() Credentials { return s.credentials[mainUser] }

// TradingCredentials returns a second key of the same account.
func (s *Simulator) TradingCredentials() Credentials { return s.credentials[tradingUser] }

// Ledger returns a copy of the truth as of now.
func (s *Simulator) Ledger() Ledger {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live()
	var l Ledger
	l.Commissions, l.SubAffiliateDays, l.Invitees = s.ledger.Snapshot()
	l.enter(s.trading())
	return l
}

// live applies every event since the last call.
func (s *Simulator) live() {
	if s.life != nil {
		s.life.Advance(s.ledger, s.now())
	}
}

// now returns the exchange's time in ms.
func (s *Simulator) now() int64 { return s.options.Now().UnixMilli() }

// largestBody limits the body of a request.
const largestBody = 1 << 20

// ServeHTTP answers one request.
func (s *Simulator) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.serveLedger(w, r) {
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, largestBody))
	if err != nil {
		http.Error(w, "the request body could not be read", http.StatusBadRequest)
		return
	}
	answer := s.reply(r, body)
	s.options.Log.DebugContext(r.Context(), "request", "method", r.Method, "path", r.URL.Path, "status", answer.status, "fault", string(answer.fault))
	answer.send(w, r)
}

// reply decides the answer to a request. The order of the checks is the exchange's: the
// path, the weight, the headers, the parameters. A transport fault precedes all of them.
func (s *Simulator) reply(r *http.Request, body []byte) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live()
	s.stats.Requests[r.Method+" "+r.URL.Path]++
	route, known := s.routes[r.URL.Path]
	if !known {
		return s.unknown(r, http.StatusNotFound)
	}
	if r.Method != route.Method {
		return s.unknown(r, http.StatusMethodNotAllowed)
	}
	user := ""
	if route.Signed {
		user = s.user(r.Header.Get("ACCESS-KEY"))
	}
	used, fits := s.limiter.take(time.Now(), address(r), user, route.Weight.IP, route.Weight.UID)
	out := reply{status: http.StatusOK, contentType: jsonType, header: s.limiter.header(used)}
	if !fits {
		s.stats.Exceeded++
		return s.refused(out, route, errTooMany)
	}
	s.stats.Weight += route.Weight.IP
	rule := s.triggers.rule(r.URL.Path, isTransport)
	out.fault = rule.Fault
	if out.fault != "" {
		s.stats.Faults[out.fault]++
	}
	unseen := slices.Contains(unseenFaults, out.fault)
	if unseen && rule.Delay > 0 && route.trades && out.fault != Truncated {
		s.postpone(route, r, body, rule.Delay)
		unseen = false
	}
	if !unseen && s.breaks(&out, route, r, rule) {
		return out
	}
	written, refused := s.understood(route, r, body, unseen)
	if unseen && s.breaks(&out, route, r, rule) {
		return out
	}
	if refused != nil {
		return s.refused(out, route, refused)
	}
	out.body = written
	return s.damaged(out, rule)
}

// understood checks the call and writes its answer.
func (s *Simulator) understood(route route, r *http.Request, body []byte, unseen bool) ([]byte, *refusal) {
	if route.Signed {
		if refused := s.authenticate(route, r, string(body)); refused != nil {
			return nil, refused
		}
	}
	if route.query == nil && route.serve == nil {
		return s.serverTime(r.URL.Path), nil
	}
	p := parametersOf(route, r, body)
	if route.serve != nil {
		return s.operate(route, p)
	}
	if s.options.NotAffiliate {
		return nil, errNotAffiliate
	}
	q, refused := route.query(p, s.now())
	if refused != nil {
		return nil, refused
	}
	q.path = r.URL.Path
	return lister{s}.answer(q, s.wording(q, route.version), unseen), nil
}

// wording decides how this answer is written. Fields that an endpoint lacks cannot be
// written differently there.
func (s *Simulator) wording(q query, version string) wording {
	commissions := q.stream.Kind == affiliate.Commissions
	enveloped := version == "v2" && q.stream.Kind != affiliate.SubAffiliates
	return wording{
		version:    version,
		date:       commissions && s.happens(q.path, DateField),
		otherTypes: s.happens(q.path, OtherTypes),
		product:    commissions && s.happens(q.path, ProductField),
		nulls:      s.happens(q.path, NullFields),
		timeText:   version == "v2" && s.happens(q.path, RequestTimeText),
		old:        enveloped && s.happens(q.path, OldEnvelope),
	}
}

// happens decides about one fault and counts it.
func (s *Simulator) happens(path string, f Fault) bool {
	if s.triggers.first(path, func(kind Fault) bool { return kind == f }) == "" {
		return false
	}
	s.stats.Faults[f]++
	return true
}

// serverTime returns the answer of the public time endpoint.
func (s *Simulator) serverTime(path string) []byte {
	e := &encoder{wording: wording{timeText: s.happens(path, RequestTimeText)}}
	e.raw(`{"code":"00000","msg":"success"`)
	e.clock("requestTime", s.now())
	e.clock("data", s.now())
	e.raw("}")
	return e.b
}

// refused turns an answer into the business error that the call caused.
func (s *Simulator) refused(out reply, route route, why *refusal) reply {
	s.stats.Refusals[why.code]++
	return s.refusal(out, route, why)
}

func (s *Simulator) refusal(out reply, route route, why *refusal) reply {
	e := &encoder{wording: wording{version: route.version}}
	e.refusal(why, s.now())
	out.status, out.body = why.status, e.b
	return out
}

// unknown answers a path or method that does not exist: JSON without a code.
func (s *Simulator) unknown(r *http.Request, status int) reply {
	e := &encoder{}
	e.raw("{")
	e.digits("timestamp", strconv.FormatInt(s.now(), 10), false)
	e.digits("status", strconv.Itoa(status), false)
	e.text("error", http.StatusText(status))
	e.text("path", r.URL.Path)
	e.raw("}")
	return reply{status: status, contentType: jsonType, body: e.b}
}

func address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
