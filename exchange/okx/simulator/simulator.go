// Package simulator answers as the affiliate interface of OKX does, from a programme of its own.
package simulator

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/exchange/simulated"
)

// Options configures a simulator.
type Options struct {
	simulated.Options
	Faults int  // every n-th answer is a fault; 0 = none
	Short  int  // the most rows of a page, whatever is asked for; 0 = as asked
	Limit  bool // too many calls a second are refused

	Uncounted bool // pages of invitees do not say how many there are
	Bare      bool // what has no rows has no list
	Numbers   bool // identities are numbers
	Ties      int  // bills of one instant on each fifth day; default 70
}

// Credentials of the simulated account.
const (
	Key        = "okx-simulated-key"
	Secret     = "9b1c2d3e4f5a60718293a4b5c6d7e8f90123456789abcdef0123456789abcdef"
	Passphrase = "simulated phrase"
)

const day = 24 * time.Hour

// Server is the simulated exchange.
type Server struct {
	options   Options
	programme *simulated.Programme

	mu        sync.Mutex
	seen      []string
	refused   int
	calls     map[string][]time.Time     // of the last second, by path
	spoils    func(row map[string]any)   // changes rows of invitees; may be nil
	breaks    int                        // the page of invitees that fails; 0 = none
	corrected map[string]decimal.Decimal // what was taken from the commission of an invitee
}

// New returns a simulator.
func New(o Options) *Server {
	if o.Ties == 0 {
		o.Ties = 70
	}
	return &Server{options: o, programme: simulated.New(o.Options), calls: map[string][]time.Time{}, corrected: map[string]decimal.Decimal{}}
}

// Credentials returns the key of the simulated account.
func (s *Server) Credentials() (key, secret, passphrase string) { return Key, Secret, Passphrase }

// Requests returns the signed requests that arrived.
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

// Spoil changes the rows of invitees from now on; nil = as they are.
func (s *Server) Spoil(change func(row map[string]any)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spoils = change
}

// Break makes a page of invitees fail from now on; 0 = none.
func (s *Server) Break(page int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.breaks = page
}

// Correct takes an amount from the commission of an invitee.
func (s *Server) Correct(uid, amount string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.corrected[uid] = s.corrected[uid].Add(decimal.RequireFromString(amount))
}

// Total is what an invitee brought until now, and when it joined.
type Total struct {
	Commission, Fee, Volume decimal.Decimal
}

// Totals are the figures of all invitees now.
func (s *Server) Totals() map[string]Total {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := map[string]Total{}
	for _, one := range s.programme.Invitees() {
		of[one.UID] = Total{Commission: s.corrected[one.UID].Neg()}
	}
	for _, t := range s.programme.All(s.programme.Begin(), s.programme.Now()) {
		sum := of[t.Invitee.UID]
		of[t.Invitee.UID] = Total{sum.Commission.Add(t.Commission.Abs()), sum.Fee.Add(t.Fee), sum.Volume.Add(t.Volume)}
	}
	return of
}

// Handler returns the exchange, and its ledger below /ledger/.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v5/public/time", func(w http.ResponseWriter, _ *http.Request) {
		send(w, []map[string]string{{"ts": strconv.FormatInt(s.programme.Now().UnixMilli(), 10)}}, nil)
	})
	mux.HandleFunc("GET /api/v5/affiliate/invitee/list", s.signed(3, s.invitees))
	mux.HandleFunc("GET /api/v5/asset/bills", s.signed(6, func(w http.ResponseWriter, r *http.Request) { s.bills(w, r, false) }))
	mux.HandleFunc("GET /api/v5/asset/bills-history", s.signed(1, func(w http.ResponseWriter, r *http.Request) { s.bills(w, r, true) }))
	faults := &simulated.Faults{Every: s.options.Faults, Seed: s.options.Seed, Refuse: func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, http.StatusTooManyRequests, "50011", "Too Many Requests")
	}}
	outer := http.NewServeMux()
	outer.Handle("/", faults.Wrap(mux))
	outer.HandleFunc("GET /ledger/totals.csv", s.totalsLedger)
	outer.HandleFunc("GET /ledger/invitees.csv", s.inviteeLedger)
	return outer
}

func send(w http.ResponseWriter, data any, beside map[string]any) {
	body := map[string]any{"code": "0", "msg": "", "data": data}
	for name, value := range beside {
		body[name] = value
	}
	write(w, http.StatusOK, body)
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	write(w, status, map[string]any{"code": code, "msg": message, "data": []any{}})
}

func write(w http.ResponseWriter, status int, body map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that is gone
}

// list sends rows, or no list at all.
func (s *Server) list(w http.ResponseWriter, rows []map[string]any, beside map[string]any) {
	if len(rows) == 0 && s.options.Bare {
		write(w, http.StatusOK, map[string]any{"code": "0", "msg": ""})
		return
	}
	send(w, rows, beside)
}

// identity is an identity as it is sent.
func (s *Server) identity(text string) any {
	if s.options.Numbers {
		return json.Number(text)
	}
	return text
}

// tooFast counts a call, and reports whether there were more than perSecond in the last second.
func (s *Server) tooFast(path string, perSecond int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	s.calls[path] = append(slices.DeleteFunc(s.calls[path], func(at time.Time) bool { return now.Sub(at) >= time.Second }), now)
	if !s.options.Limit || len(s.calls[path]) <= perSecond {
		return false
	}
	s.refused++
	return true
}

// signed checks who calls, over the bytes that arrived, and how often.
func (s *Server) signed(perSecond int, answer http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.seen = append(s.seen, r.RequestURI)
		s.mu.Unlock()
		timestamp := r.Header.Get("OK-ACCESS-TIMESTAMP")
		at, err := time.Parse("2006-01-02T15:04:05.000Z", timestamp)
		mac := hmac.New(sha256.New, []byte(Secret))
		mac.Write([]byte(timestamp + r.Method + r.RequestURI))
		switch {
		case r.Header.Get("OK-ACCESS-KEY") != Key:
			refuse(w, http.StatusUnauthorized, "50111", "Invalid OK-ACCESS-KEY")
		case err != nil || s.programme.Now().Sub(at).Abs() > 30*time.Second:
			refuse(w, http.StatusUnauthorized, "50102", "Timestamp request expired")
		case r.Header.Get("OK-ACCESS-PASSPHRASE") != Passphrase:
			refuse(w, http.StatusUnauthorized, "50105", "Request header OK-ACCESS-PASSPHRASE incorrect")
		case r.Header.Get("OK-ACCESS-SIGN") != base64.StdEncoding.EncodeToString(mac.Sum(nil)):
			refuse(w, http.StatusUnauthorized, "50113", "Invalid Sign")
		case s.tooFast(r.URL.Path, perSecond):
			refuse(w, http.StatusTooManyRequests, "50011", "Too Many Requests")
		default:
			answer(w, r)
		}
	}
}

func (s *Server) invitees(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	page, err := strconv.Atoi(q.Get("page"))
	limit, wrong := strconv.Atoi(q.Get("limit"))
	s.mu.Lock()
	broken, spoils := s.breaks > 0 && page == s.breaks, s.spoils
	s.mu.Unlock()
	switch {
	case err != nil || page < 1 || wrong != nil || limit < 1 || limit > 100 || q.Get("periodType") != "total" || q.Get("orderBy") != "cTime" || q.Get("orderDir") != "asc":
		refuse(w, http.StatusOK, "51000", "Parameter error")
		return
	case broken:
		http.Error(w, "", http.StatusBadGateway)
		return
	}
	size := limit
	if s.options.Short > 0 {
		size = min(size, s.options.Short)
	}
	all, of := s.programme.Invitees(), s.Totals()
	rows := []map[string]any{}
	for i := (page - 1) * size; i < min(page*size, len(all)); i++ {
		one, total := all[i], of[all[i].UID]
		status := "unverified"
		if one.KYC {
			status = "verified"
		}
		traded := ""
		if !one.FirstTrade.After(s.programme.Now()) {
			traded = strconv.FormatInt(one.FirstTrade.UnixMilli(), 10)
		}
		row := map[string]any{"uid": s.identity(one.UID), "joinTime": strconv.FormatInt(one.Joined.UnixMilli(), 10), "firstTradeTime": traded, "kycTime": "", "channelName": one.Code,
			"kycStatus": status, "rebateRate": "0.4", "totalCommission": total.Commission.String(), "totalFee": total.Fee.String(), "totalVol": total.Volume.String(), "depAmt": "7"}
		if spoils != nil {
			spoils(row)
		}
		rows = append(rows, row)
	}
	beside := map[string]any{"totalPage": strconv.Itoa((len(all) + size - 1) / size)}
	if s.options.Uncounted {
		beside = nil
	}
	s.list(w, rows, beside)
}

// Bill is a change of the funding account that pays commission.
type Bill struct {
	ID     string
	At     time.Time
	Type   string
	Amount string
}

// Bills are those until now, oldest first: one a day, on every fifth day many of one instant.
func (s *Server) Bills() (list []Bill) {
	n := 0
	for at := s.programme.Begin().Add(10 * time.Hour); !at.After(s.programme.Now()); at = at.Add(day) {
		n++
		list = append(list, Bill{fmt.Sprint(n * 1000), at, "150", fmt.Sprintf("%d.000000000000000001", n)})
		if n%5 == 0 {
			for i := range s.options.Ties - 1 {
				list = append(list, Bill{fmt.Sprint(n*1000 + 1 + i), at, "150", "0.5"})
			}
			list = append(list, Bill{fmt.Sprint(n*1000 + 900), at.Add(time.Second), "172", "2"})
		}
	}
	return list
}

func (s *Server) bills(w http.ResponseWriter, r *http.Request, history bool) {
	q := r.URL.Query()
	after, errA := strconv.ParseInt(q.Get("after"), 10, 64)
	before, errB := strconv.ParseInt(q.Get("before"), 10, 64)
	limit, errL := strconv.Atoi(q.Get("limit"))
	if errA != nil || errB != nil || errL != nil || limit < 1 || limit > 100 {
		refuse(w, http.StatusOK, "51000", "Parameter error")
		return
	}
	if s.options.Short > 0 {
		limit = min(limit, s.options.Short)
	}
	rows := []map[string]any{}
	list := s.Bills()
	slices.Reverse(list)
	for _, b := range list {
		ms := b.At.UnixMilli()
		if old := s.programme.Now().Sub(b.At) > 30*day; old && !history || b.Type != q.Get("type") || ms >= after || ms <= before || len(rows) == limit {
			continue
		}
		rows = append(rows, map[string]any{"billId": s.identity(b.ID), "ccy": "USDT", "balChg": b.Amount, "bal": "100", "type": b.Type, "ts": strconv.FormatInt(ms, 10)})
	}
	s.list(w, rows, nil)
}

func (s *Server) totalsLedger(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/csv")
	_, _ = fmt.Fprintln(w, "uid,commission,fee,volume") // a client that is gone
	of := s.Totals()
	for _, one := range s.programme.Invitees() {
		total := of[one.UID]
		_, _ = fmt.Fprintln(w, strings.Join([]string{one.UID, total.Commission.String(), total.Fee.String(), total.Volume.String()}, ","))
	}
}

func (s *Server) inviteeLedger(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/csv")
	_, _ = fmt.Fprintln(w, "uid,invite_code,register_time_utc,kyc") // a client that is gone
	for _, one := range s.programme.Invitees() {
		_, _ = fmt.Fprintf(w, "%s,%q,%s,%t\n", one.UID, one.Code, one.Joined.UTC().Format("2006-01-02T15:04:05.000Z"), one.KYC)
	}
}
