// Package simulator answers as the affiliate interface of Bitget does, from a programme of its own.
package simulator

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
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
	Dates  bool // days are sent as dates instead of instants
	Empty  int  // how empty lists are sent: 0 [], 1 null, 2 not at all
	End    int  // the cursor of the last page: 0 another one, which has an empty page, 1 none, 2 the one that was sent, 3 as 2 with the page before again
	Limit  bool // too many calls a second are refused
	Faults int  // every n-th answer is a fault; 0 = none
	Short  int  // the most rows of a page, whatever is asked for; 0 = as asked
}

// Credentials of the simulated account.
const (
	Key        = "bitget-simulated-key"
	Secret     = "9b1c2d3e4f5a60718293a4b5c6d7e8f90123456789abcdef0123456789abcdef"
	Passphrase = "simulated phrase"
)

const (
	day       = 24 * time.Hour
	published = 6 * time.Hour // after the end of a day
	perSecond = 10            // calls of each kind
)

// Server is the simulated exchange.
type Server struct {
	options   Options
	programme *simulated.Programme

	mu      sync.Mutex
	calls   map[string][]time.Time // by path, by this machine's clock
	seen    []string
	refused int
}

// products are markets as the exchange names them.
var products = []simulated.Product{
	{Name: "SPOT", Symbols: []string{"BTCUSDT", "ETHUSDT", "SOLUSDT"}, Coin: "USDT"},
	{Name: "USDT-FUTURES", Symbols: []string{"BTCUSDT", "ETHUSDT"}, Coin: "USDT"},
	{Name: "USDC-FUTURES", Symbols: []string{"BTCPERP"}, Coin: "USDC"},
}

// New returns a simulator.
func New(o Options) *Server {
	if o.Products == nil {
		o.Products = products
	}
	return &Server{options: o, programme: simulated.New(o.Options), calls: map[string][]time.Time{}}
}

// Credentials returns the key of the simulated account.
func (s *Server) Credentials() (key, secret, passphrase string) { return Key, Secret, Passphrase }

// Requests returns the signed requests that arrived, with their bodies.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// Refused returns how many calls came too fast.
func (s *Server) Refused() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused
}

// Handler returns the exchange, and its ledger below /ledger/.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v2/public/time", func(w http.ResponseWriter, _ *http.Request) {
		s.send(w, map[string]string{"serverTime": strconv.FormatInt(s.programme.Now().UnixMilli(), 10)})
	})
	mux.HandleFunc("GET /api/v2/broker/customer-commissions", s.signed(s.commissions))
	mux.HandleFunc("POST /api/v2/broker/customer-list", s.signed(s.invitees))
	mux.HandleFunc("GET /api/v2/broker/agent-commission", s.signed(s.settlements))
	faults := &simulated.Faults{Every: s.options.Faults, Seed: s.options.Seed, Refuse: func(w http.ResponseWriter, _ *http.Request) {
		s.refuse(w, http.StatusTooManyRequests, "429", "Too many requests")
	}}
	outer := http.NewServeMux()
	outer.Handle("/", faults.Wrap(mux))
	outer.HandleFunc("GET /ledger/commissions.csv", s.commissionLedger)
	outer.HandleFunc("GET /ledger/invitees.csv", s.inviteeLedger)
	return outer
}

func (s *Server) send(w http.ResponseWriter, data any) {
	s.write(w, http.StatusOK, map[string]any{"code": "00000", "msg": "success", "requestTime": s.programme.Now().UnixMilli(), "data": data})
}

func (s *Server) refuse(w http.ResponseWriter, status int, code, message string) {
	s.write(w, status, map[string]any{"code": code, "msg": message, "requestTime": s.programme.Now().UnixMilli(), "data": nil})
}

func (s *Server) write(w http.ResponseWriter, status int, body map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that is gone
}

// signed checks who calls, over the bytes that arrived, and how often.
func (s *Server) signed(answer func(http.ResponseWriter, *http.Request, string)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if s.fast(r.URL.Path, r.RequestURI+string(body)) {
			s.refuse(w, http.StatusTooManyRequests, "429", "Too many requests")
			return
		}
		timestamp := r.Header.Get("ACCESS-TIMESTAMP")
		ms, err := strconv.ParseInt(timestamp, 10, 64)
		mac := hmac.New(sha256.New, []byte(Secret))
		mac.Write([]byte(timestamp + r.Method + r.RequestURI + string(body)))
		switch {
		case r.Header.Get("ACCESS-KEY") != Key:
			s.refuse(w, http.StatusBadRequest, "40006", "Invalid ACCESS_KEY")
		case err != nil || s.programme.Now().Sub(time.UnixMilli(ms)).Abs() > 30*time.Second:
			s.refuse(w, http.StatusBadRequest, "40008", "Request timestamp expired")
		case r.Header.Get("ACCESS-PASSPHRASE") != Passphrase:
			s.refuse(w, http.StatusBadRequest, "40012", "apikey/password is incorrect")
		case r.Header.Get("ACCESS-SIGN") != base64.StdEncoding.EncodeToString(mac.Sum(nil)):
			s.refuse(w, http.StatusBadRequest, "40009", "sign signature error")
		case strings.TrimSpace(r.UserAgent()) == "" || r.Header.Get("Content-Type") != "application/json":
			s.refuse(w, http.StatusBadRequest, "40017", "Headers are missing")
		default:
			answer(w, r, string(body))
		}
	}
}

// fast notes a call, and reports whether it came too fast.
func (s *Server) fast(path, request string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, request)
	now := time.Now()
	list := slices.DeleteFunc(s.calls[path], func(at time.Time) bool { return now.Sub(at) > time.Second })
	s.calls[path] = append(list, now)
	if s.options.Limit && len(s.calls[path]) > perSecond {
		s.refused++
		return true
	}
	return false
}

// page sends a part of a list, newest first, by a cursor.
func (s *Server) page(w http.ResponseWriter, r *http.Request, rows []map[string]any) {
	slices.Reverse(rows)
	q := r.URL.Query()
	limit, err := strconv.Atoi(q.Get("limit"))
	if err != nil || limit < 1 {
		limit = 100
	}
	limit = min(limit, 100)
	if s.options.Short > 0 {
		limit = min(limit, s.options.Short)
	}
	start := 0
	if last := q.Get("idLessThan"); last != "" {
		n, err := strconv.Atoi(last)
		if err != nil {
			s.refuse(w, http.StatusBadRequest, "40017", "Parameter idLessThan is wrong")
			return
		}
		start = len(rows) - n
	}
	part := rows[min(start, len(rows)):min(start+limit, len(rows))]
	data := map[string]any{"endId": strconv.Itoa(max(len(rows)-start-len(part), 0))}
	switch last := q.Get("idLessThan"); {
	case len(part) == 0 && s.options.End == 3 && last != "" && len(rows) > 0:
		part = rows[(len(rows)-1)/limit*limit:]
		data["endId"] = last
	case len(part) == 0:
		data["endId"] = nil
	case start+len(part) < len(rows):
	case s.options.End == 1:
		data["endId"] = ""
	case s.options.End == 2 && last != "":
		data["endId"] = last
	}
	switch {
	case len(part) > 0:
		data["commissionList"] = part
	case s.options.Empty == 1:
		data["commissionList"] = nil
	case s.options.Empty == 0:
		data["commissionList"] = []any{}
	}
	s.send(w, data)
}

// span reads the times of a query, and refuses those that the exchange refuses.
func (s *Server) span(w http.ResponseWriter, r *http.Request, most time.Duration) (from, to time.Time, ok bool) {
	a, errA := strconv.ParseInt(r.URL.Query().Get("startTime"), 10, 64)
	b, errB := strconv.ParseInt(r.URL.Query().Get("endTime"), 10, 64)
	from, to = time.UnixMilli(a), time.UnixMilli(b)
	now := s.programme.Now()
	if errA != nil || errB != nil || from.After(to) || to.Sub(from) > most || from.Before(now.Add(-90*day)) || to.After(now.Add(time.Second)) {
		s.refuse(w, http.StatusBadRequest, "40020", "Parameter startTime error")
		return from, to, false
	}
	return from, to, true
}

func (s *Server) commissions(w http.ResponseWriter, r *http.Request, _ string) {
	from, to, ok := s.span(w, r, 30*day)
	if !ok {
		return
	}
	var rows []map[string]any
	for _, d := range s.programme.Days(from, to.Add(time.Millisecond), published) { // its end belongs to a window here
		date := strconv.FormatInt(d.Day.UnixMilli(), 10)
		if s.options.Dates {
			date = d.Day.In(simulated.Zone).Format(time.DateOnly)
		}
		rows = append(rows, map[string]any{
			"uid": d.Invitee.UID, "date": date, "coin": d.Product.Coin, "symbol": d.Symbol, "productType": d.Product.Name, "dealAmount": d.Volume.String(),
			"fee": d.Fee.String(), "feePaid": d.Fee.String(), "feeDeduction": "0", "rebateAmount": d.Commission.String(),
			"userTotalRebateAmount": "123456", "dayTotalRebateAmount": "9999", "totalRebateAmount": "777777",
		})
	}
	s.page(w, r, rows)
}

// invitees are sent with UIDs as numbers, without counts.
func (s *Server) invitees(w http.ResponseWriter, _ *http.Request, body string) {
	var asked struct{ PageNo, PageSize string }
	if err := json.Unmarshal([]byte(body), &asked); err != nil {
		s.refuse(w, http.StatusBadRequest, "40017", "Parameter error")
		return
	}
	page, errP := strconv.Atoi(asked.PageNo)
	size, errS := strconv.Atoi(asked.PageSize)
	if errP != nil || errS != nil || page < 1 || size < 1 || size > 1000 {
		s.refuse(w, http.StatusBadRequest, "40017", "Parameter error")
		return
	}
	if s.options.Short > 0 {
		size = min(size, s.options.Short)
	}
	all := s.programme.Invitees()
	rows := []map[string]any{}
	for i := (page - 1) * size; i < min(page*size, len(all)); i++ {
		rows = append(rows, map[string]any{"uid": json.Number(all[i].UID), "registerTime": strconv.FormatInt(all[i].Joined.UnixMilli(), 10)})
	}
	switch {
	case len(rows) > 0 || s.options.Empty == 0:
		s.send(w, rows)
	default:
		s.send(w, nil)
	}
}

// settlements divide what each day brought in a coin among two partners; the newest day is not settled.
func (s *Server) settlements(w http.ResponseWriter, r *http.Request, _ string) {
	from, to, ok := s.span(w, r, 7*day)
	if !ok {
		return
	}
	var rows []map[string]any
	newest := s.programme.Now().Add(-2 * day)
	for _, d := range s.programme.Days(from.Add(-day), to, published) {
		end := d.Day.Add(day)
		if end.Before(from) || end.After(to) {
			continue
		}
		status := "settled"
		if end.After(newest) {
			status = "unsettled"
		}
		rows = append(rows, map[string]any{"uid": "1", "subBizType": d.Product.Name, "symbol": d.Symbol, "coin": d.Product.Coin, "directCommission": d.Commission.String(), "subCommission": "0",
			"status": status, "startCalculationTime": strconv.FormatInt(d.Day.UnixMilli(), 10), "endCalculationTime": strconv.FormatInt(end.UnixMilli(), 10)})
	}
	s.page(w, r, rows)
}

// commissionLedger writes what is listed now, in the columns of an export.
func (s *Server) commissionLedger(w http.ResponseWriter, _ *http.Request) {
	simulated.WriteCommissions(w, func(yield func(simulated.Row) bool) {
		for _, d := range s.programme.Days(s.programme.Begin().Add(-day), s.programme.Now(), published) {
			if !yield(simulated.Row{At: d.Day, Until: d.Day.Add(day), Exchange: "bitget", Grain: "day", UID: d.Invitee.UID, Product: d.Product.Name, Symbol: d.Symbol, Source: "direct", Coin: d.Product.Coin,
				Taker: d.Volume.String(), Fee: d.Fee.String(), Commission: d.Commission.String()}) {
				return
			}
		}
	})
}

func (s *Server) inviteeLedger(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/csv")
	_, _ = fmt.Fprintln(w, "uid,register_time_utc") // a client that is gone
	for _, one := range s.programme.Invitees() {
		_, _ = fmt.Fprintf(w, "%s,%s\n", one.UID, one.Joined.UTC().Format("2006-01-02T15:04:05.000Z"))
	}
}
