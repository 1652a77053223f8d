// Package simulator answers as the affiliate interface of MEXC does, from a programme of its own.
package simulator

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"rebatedesk/exchange/simulated"
)

// Options configures a simulator.
type Options struct {
	simulated.Options
	Texts  bool // numbers are sent as texts, and codes as 200
	Millis bool // times of invitations are sent in milliseconds
	Active bool // the list of invitees has only those who had commission in its time
	Empty  int  // how empty lists are sent: 0 [], 1 null, 2 not at all
	Short  int  // the most rows of a page, whatever is asked for; 0 = as asked
	Faults int  // every n-th answer is a fault; 0 = none
	Limit  int  // the most calls to an endpoint in ten seconds of this machine; 0 = [perTenSeconds]
	Moving int  // so many lists get a new row in front while they are read
}

// Credentials of the simulated account. Its keys have no passphrase.
const (
	Key    = "mexc-simulated-key"
	Secret = "9b1c2d3e4f5a60718293a4b5c6d7e8f90123456789abcdef0123456789abcdef"
)

// products are what is traded.
var products = append(slices.Clone(simulated.Products), simulated.Product{Name: "ETF", Symbols: []string{"BTC3LUSDT"}, Coin: "USDT"})

const (
	day       = 24 * time.Hour
	reach     = 180 * day
	published = 6 * time.Hour // after the end of a day
)

// Server is the simulated exchange.
type Server struct {
	options   Options
	programme *simulated.Programme

	limits limits

	mu     sync.Mutex
	seen   []string
	moving int
}

// New returns a simulator.
func New(o Options) *Server {
	if o.Products == nil {
		o.Products = products
	}
	return &Server{options: o, programme: simulated.New(o.Options), moving: o.Moving, limits: limits{most: cmp.Or(o.Limit, perTenSeconds), calls: map[string][]time.Time{}}}
}

// Credentials returns the key of the simulated account.
func (s *Server) Credentials() (key, secret, passphrase string) { return Key, Secret, "" }

// Requests returns the signed requests that arrived.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// Handler returns the exchange, and its ledger below /ledger/.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v3/time", func(w http.ResponseWriter, _ *http.Request) {
		write(w, http.StatusOK, map[string]any{"serverTime": s.programme.Now().UnixMilli()})
	})
	mux.HandleFunc("GET /api/v3/rebate/affiliate/commission/detail", s.signed(s.commissions))
	mux.HandleFunc("GET /api/v3/rebate/affiliate/commission", s.signed(s.invitees))
	faults := &simulated.Faults{Every: s.options.Faults, Seed: s.options.Seed, Refuse: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "0")
		write(w, http.StatusTooManyRequests, map[string]any{"code": 429, "msg": "Too many requests"})
	}}
	outer := http.NewServeMux()
	outer.Handle("/", faults.Wrap(mux))
	outer.HandleFunc("GET /ledger/commissions.csv", s.commissionLedger)
	outer.HandleFunc("GET /ledger/invitees.csv", s.inviteeLedger)
	return outer
}

func write(w http.ResponseWriter, status int, body map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that is gone
}

func refuse(w http.ResponseWriter, status, code int, message string) {
	write(w, status, map[string]any{"code": code, "msg": message})
}

// signed checks who calls, over the bytes that arrived.
func (s *Server) signed(answer http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.seen = append(s.seen, r.RequestURI)
		s.mu.Unlock()
		if status, wait := s.limits.take(r.URL.Path, time.Now()); status != 0 {
			w.Header().Set("Retry-After", strconv.Itoa(wait))
			refuse(w, status, 429, "Too many requests")
			return
		}
		query, signature, _ := strings.Cut(r.URL.RawQuery, "&signature=")
		mac := hmac.New(sha256.New, []byte(Secret))
		mac.Write([]byte(query))
		ms, err := strconv.ParseInt(r.URL.Query().Get("timestamp"), 10, 64)
		late := s.programme.Now().Sub(time.UnixMilli(ms))
		allowed, errW := strconv.Atoi(cmp.Or(r.URL.Query().Get("recvWindow"), "5000"))
		switch {
		case r.Header.Get("X-MEXC-APIKEY") != Key:
			refuse(w, http.StatusBadRequest, 10072, "Api key info invalid")
		case signature != hex.EncodeToString(mac.Sum(nil)):
			refuse(w, http.StatusBadRequest, 700002, "Signature for this request is not valid.")
		case r.UserAgent() == "" || errW != nil || allowed < 1 || allowed > 60_000:
			refuse(w, http.StatusBadRequest, 700008, "Param error")
		case err != nil || late <= -time.Second || late > time.Duration(allowed)*time.Millisecond:
			refuse(w, http.StatusBadRequest, 700003, "Timestamp for this request is outside of the recvWindow.")
		default:
			answer(w, r)
		}
	}
}

// span reads the times of a query, and refuses those that the exchange refuses.
func (s *Server) span(w http.ResponseWriter, r *http.Request) (from, to time.Time, ok bool) {
	a, errA := strconv.ParseInt(r.URL.Query().Get("startTime"), 10, 64)
	b, errB := strconv.ParseInt(r.URL.Query().Get("endTime"), 10, 64)
	from, to = time.UnixMilli(a), time.UnixMilli(b)
	if errA != nil || errB != nil || from.After(to) || to.Sub(from) > 30*day || to.After(s.programme.Now().Add(time.Second)) || from.Before(s.programme.Now().Add(-reach)) {
		refuse(w, http.StatusOK, 33333, "Param error")
		return from, to, false
	}
	return from, to, true
}

// page sends a part of a list, newest first.
func (s *Server) page(w http.ResponseWriter, r *http.Request, rows []map[string]any) {
	q := r.URL.Query()
	page, errP := strconv.Atoi(q.Get("page"))
	size, errS := strconv.Atoi(q.Get("pageSize"))
	if errP != nil || errS != nil || page < 1 || size < 1 || size > 100 {
		refuse(w, http.StatusOK, 601, "Param error")
		return
	}
	if s.options.Short > 0 {
		size = min(size, s.options.Short)
	}
	slices.Reverse(rows)
	s.mu.Lock()
	if page > 1 && s.moving > 0 && len(rows) > 0 {
		rows = append([]map[string]any{rows[0]}, rows...)
		s.moving--
	}
	s.mu.Unlock()
	part := rows[min((page-1)*size, len(rows)):min(page*size, len(rows))]
	data := map[string]any{"pageSize": size, "totalCount": len(rows), "totalPage": (len(rows) + size - 1) / size, "currentPage": page}
	switch {
	case len(part) > 0:
		data["resultList"] = part
	case s.options.Empty == 0:
		data["resultList"] = []any{}
	case s.options.Empty == 1:
		data["resultList"] = nil
	}
	code := 0
	if s.options.Texts {
		code = 200
	}
	write(w, http.StatusOK, map[string]any{"success": true, "code": code, "data": data})
}

// sent is a number as it is sent.
func (s *Server) sent(text string) any {
	if s.options.Texts {
		return text
	}
	return json.Number(text)
}

func (s *Server) commissions(w http.ResponseWriter, r *http.Request) {
	from, to, ok := s.span(w, r)
	if !ok {
		return
	}
	var rows []map[string]any
	for _, d := range s.programme.Days(from, to.Add(time.Millisecond), published) { // its end belongs to a window here
		row := map[string]any{
			"type": map[string]int{"SPOT": 1, "FUTURES": 2, "ETF": 3}[d.Product.Name], "sourceType": map[bool]int{false: 1, true: 2}[d.Invitee.Sub], "state": 1, "date": d.Day.UnixMilli(), "uid": s.sent(d.Invitee.UID),
			"rate": s.sent(d.Rate.String()), "symbol": d.Symbol, "takerAmount": d.Volume.String(), "makerAmount": "0", "amountCurrency": "USDT", "usdtAmount": d.Volume.String(),
			"commission": d.Commission.String(), "currency": d.Product.Coin,
		}
		if inBTC(d) {
			row["amountCurrency"], row["takerAmount"] = "BTC", "0.001"
		}
		if pairless(d) {
			row["symbol"] = nil
		}
		rows = append(rows, row)
	}
	s.page(w, r, rows)
}

// inBTC reports whether the volumes of a row are in BTC, and only their worth is in USDT.
func inBTC(d simulated.DayRow) bool { return d.Day.Day()%5 == 0 }

// pairless reports whether a row does not say its pair.
func pairless(d simulated.DayRow) bool { return d.Product.Coin == "USDC" }

// invitees are those who joined or had commission in the time.
func (s *Server) invitees(w http.ResponseWriter, r *http.Request) {
	from, to, ok := s.span(w, r)
	if !ok {
		return
	}
	active := map[string]bool{}
	for _, d := range s.programme.Days(from, to, published) {
		active[d.Invitee.UID] = true
	}
	var rows []map[string]any
	for _, one := range s.programme.Invitees() {
		at := one.Joined.Unix()
		if s.options.Millis {
			at = one.Joined.UnixMilli()
		}
		if joined := !one.Joined.Before(from) && !one.Joined.After(to); joined && !s.options.Active || active[one.UID] {
			rows = append(rows, map[string]any{"uid": one.UID, "nickName": "A person", "inviteCode": one.Code, "inviteTime": at, "total": "760.78"})
		}
	}
	s.page(w, r, rows)
}

// commissionLedger writes what is listed now, in the columns of an export.
func (s *Server) commissionLedger(w http.ResponseWriter, _ *http.Request) {
	simulated.WriteCommissions(w, func(yield func(simulated.Row) bool) {
		for _, d := range s.programme.Days(s.programme.Begin().Add(-day), s.programme.Now(), published) {
			row := simulated.Row{At: d.Day, Until: d.Day.Add(day), Exchange: "mexc", Grain: "day", UID: d.Invitee.UID, Code: d.Invitee.Code, Product: d.Product.Name, Symbol: d.Symbol, Source: "direct", Coin: d.Product.Coin,
				Taker: d.Volume.String(), Rate: d.Rate.String(), Commission: d.Commission.String()}
			if !inBTC(d) {
				row.Maker = "0"
			}
			if pairless(d) {
				row.Symbol = ""
			}
			if d.Invitee.Sub {
				row.Source = "sub"
			}
			if !yield(row) {
				return
			}
		}
	})
}

func (s *Server) inviteeLedger(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/csv")
	_, _ = fmt.Fprintln(w, "uid,invite_code,register_time_utc") // a client that is gone
	for _, one := range s.programme.Invitees() {
		_, _ = fmt.Fprintf(w, "%s,%q,%s\n", one.UID, one.Code, one.Joined.UTC().Format("2006-01-02T15:04:05.000Z"))
	}
}
