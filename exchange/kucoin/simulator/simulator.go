// Package simulator answers as the affiliate interface of KuCoin does, from a programme of its own.
package simulator

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/exchange/simulated"
)

// Options configures a simulator.
type Options struct {
	simulated.Options
	Bare   bool // lists by a cursor are bare arrays whose rows carry it, and payouts are one bare array, whatever page is asked for
	Newest bool // trades come newest first
	End    int  // how a cursor ends: 0 with an empty list, 1 without one, 2 with the same one and no rows, 3 with the page before
	Moving int  // so many lists of invitees get a new one in front while they are read
	Empty  int  // how empty lists are sent: 0 [], 1 null, 2 not at all
	Limit  bool // too many calls a second are refused
	Faults int  // every n-th answer is a fault; 0 = none
	Short  int  // the most rows of a page, whatever is asked for; 0 = as asked
}

// Credentials of the simulated account.
const (
	Key        = "kucoin-simulated-key"
	Secret     = "9b1c2d3e4f5a60718293a4b5c6d7e8f90123456789abcdef0123456789abcdef"
	Passphrase = "Example-phrase-1"
)

// Server is the simulated exchange.
type Server struct {
	options   Options
	programme *simulated.Programme

	mu      sync.Mutex
	calls   []time.Time // of the affiliate endpoints, by this machine's clock
	seen    []string    // paths with queries, in the order of arrival
	refused int
	moving  int
}

// New returns a simulator.
func New(o Options) *Server {
	return &Server{options: o, programme: simulated.New(o.Options), moving: o.Moving}
}

// Credentials returns the key of the simulated account.
func (s *Server) Credentials() (key, secret, passphrase string) { return Key, Secret, Passphrase }

// Requests returns the requests that arrived.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// Handler returns the exchange, and its ledger below /ledger/.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/timestamp", s.limited(func(w http.ResponseWriter, _ *http.Request) { s.send(w, s.programme.Now().UnixMilli()) }))
	mux.HandleFunc("GET /api/v2/affiliate/queryTransactionByTime", s.limited(s.signed(s.transactions)))
	mux.HandleFunc("GET /api/v2/affiliate/queryInvitees", s.limited(s.signed(s.invitees)))
	mux.HandleFunc("GET /api/v2/affiliate/queryMyCommission", s.limited(s.signed(s.payouts)))
	faults := &simulated.Faults{Every: s.options.Faults, Seed: s.options.Seed, Refuse: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("gw-ratelimit-remaining", "0")
		w.Header().Set("gw-ratelimit-reset", "30")
		refuse(w, http.StatusTooManyRequests, "429000", "Too many requests")
	}}
	outer := http.NewServeMux()
	outer.Handle("/", faults.Wrap(mux))
	outer.HandleFunc("GET /ledger/commissions.csv", s.commissionLedger)
	outer.HandleFunc("GET /ledger/invitees.csv", s.inviteeLedger)
	return outer
}

func (s *Server) send(w http.ResponseWriter, data any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"code": "200000", "data": data}) // a client that is gone
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"code": code, "msg": message}) // a client that is gone
}

// list sends rows in the shape of the options.
func (s *Server) list(w http.ResponseWriter, rows []map[string]any, more map[string]any, bare bool) {
	data := map[string]any{}
	for name, value := range more {
		data[name] = value
	}
	var items any = rows
	switch {
	case len(rows) > 0:
	case s.options.Empty == 1:
		items = nil
	case s.options.Empty == 2:
		s.send(w, data)
		return
	default:
		items = []any{}
	}
	if bare {
		s.send(w, items)
		return
	}
	data["items"] = items
	s.send(w, data)
}

// trades are those of our own invitees. Of those of sub-affiliates only payouts are listed.
func (s *Server) trades(from, to time.Time) []simulated.Trade {
	return slices.DeleteFunc(s.programme.Trades(from, to), func(t simulated.Trade) bool { return t.Invitee.Sub })
}

// people are our own invitees.
func (s *Server) people() []*simulated.Invitee {
	return slices.DeleteFunc(s.programme.Invitees(), func(i *simulated.Invitee) bool { return i.Sub })
}

// transactions are the trades of a time, by a cursor.
func (s *Server) transactions(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	kind := map[string]string{"SPOT": "SPOT", "FEATURE": "FUTURES"}[q.Get("tradeType")]
	from, to, ok := span(q.Get("tradeStartAt"), q.Get("tradeEndAt"))
	size, sized := count(q.Get("pageSize"), 10, 500)
	if kind == "" || !ok || !sized || to.After(s.programme.Now().Add(time.Second)) {
		refuse(w, http.StatusOK, "400100", "Invalid parameter")
		return
	}
	if s.options.Short > 0 {
		size = min(size, s.options.Short)
	}
	var all []simulated.Trade
	for _, t := range s.trades(from, to.Add(time.Millisecond)) { // its end belongs to a window here
		if t.Product.Name == kind {
			all = append(all, t)
		}
	}
	if s.options.Newest {
		slices.Reverse(all)
	}
	start := 0
	if last := q.Get("lastId"); last != "" {
		n, err := strconv.Atoi(last)
		if err != nil || q.Get("direction") != "NEXT" {
			refuse(w, http.StatusOK, "400100", "Invalid lastId")
			return
		}
		start = n
	}
	var rows []map[string]any
	page := all[min(start, len(all)):min(start+size, len(all))]
	for i, t := range page {
		row := map[string]any{
			"uid": t.Invitee.UID, "tradeTime": t.At.UnixMilli(), "tradeType": q.Get("tradeType"), "tradeCurrency": "BTC", "tradeAmount": "0.5",
			"tradeAmountU": t.Volume.String(), "feeU": t.Fee.String(), "commission": t.Commission.String(), "currency": t.Product.Coin,
		}
		if s.options.Bare {
			row["lastId"] = strconv.Itoa(start + i + 1)
		}
		rows = append(rows, row)
	}
	more := map[string]any{}
	switch over := start+len(page) >= len(all); {
	case over && s.options.End == 1:
		if len(rows) > 0 {
			delete(rows[len(rows)-1], "lastId")
		}
	case len(page) > 0 || s.options.End > 1 && start > 0:
		more["lastId"] = strconv.Itoa(start + len(page))
	}
	if len(page) == 0 && s.options.End == 3 && start > 0 {
		r2 := r.Clone(r.Context())
		q.Set("lastId", strconv.Itoa(max(start-size, (start-1)/size*size)))
		r2.URL.RawQuery = q.Encode()
		s.transactions(w, r2)
		return
	}
	s.list(w, rows, more, s.options.Bare)
}

func (s *Server) invitees(w http.ResponseWriter, r *http.Request) {
	all := s.people()
	slices.Reverse(all) // newest first
	s.mu.Lock()
	if page := r.URL.Query().Get("page"); page != "1" && s.moving > 0 {
		s.moving--
		all = slices.Insert(all, 0, all[0])
	}
	s.mu.Unlock()
	s.paged(w, r, len(all), func(i int) map[string]any {
		one := all[i]
		return map[string]any{"uid": one.UID, "nickName": "A person's name", "referralCode": one.Code, "registrationTime": one.Joined.UnixMilli(),
			"completedKyc": one.KYC, "completedFirstDeposit": true, "completedFirstTrade": true, "totalCommission": "1000", "myCommissionRate": "40"}
	})
}

// Payout is what was paid for a day of UTC+8 in a coin.
type Payout struct {
	From, To, Paid time.Time
	Kind           int // 1 direct, 2 of sub-affiliates
	Coin           string
	Commission     decimal.Decimal
}

// Payouts are those of the days that are over, oldest first: the commission that was listed when the day
// was paid, ten hours after its end.
func (s *Server) Payouts() (list []Payout) {
	const day = 24 * time.Hour
	now := s.programme.Now()
	for from := s.programme.Begin().Add(-8 * time.Hour); !from.Add(day).After(now); from = from.Add(day) {
		paid := from.Add(day + 10*time.Hour)
		type part struct {
			kind int
			coin string
		}
		sums := map[part]decimal.Decimal{}
		for _, t := range s.programme.All(from, from.Add(day)) {
			if !t.Listed.After(paid) && (t.Gone.IsZero() || t.Gone.After(paid)) {
				of := part{1, t.Product.Coin}
				if t.Invitee.Sub {
					of.kind = 2
				}
				sums[of] = sums[of].Add(t.Commission)
			}
		}
		for _, of := range []part{{1, "USDC"}, {1, "USDT"}, {2, "USDC"}, {2, "USDT"}} {
			if !sums[of].IsZero() {
				list = append(list, Payout{from, from.Add(day), paid, of.kind, of.coin, sums[of]})
			}
		}
	}
	return list
}

func (s *Server) payouts(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	from, to, ok := span(q.Get("rebateStartAt"), q.Get("rebateEndAt"))
	if !ok || q.Get("siteType") != "all" || q.Get("rebateType") != "0" {
		refuse(w, http.StatusOK, "400100", "Invalid parameter")
		return
	}
	list := slices.DeleteFunc(s.Payouts(), func(p Payout) bool { return p.Paid.Before(from) || p.Paid.After(to) })
	row := func(i int) map[string]any {
		p := list[i]
		return map[string]any{"siteType": "global", "rebateType": p.Kind, "payoutTime": p.Paid.UnixMilli(), "periodStartTime": p.From.UnixMilli(), "periodEndTime": p.To.UnixMilli(),
			"status": 2, "commission": p.Commission.String(), "currency": p.Coin}
	}
	if !s.options.Bare {
		s.paged(w, r, len(list), row)
		return
	}
	var rows []map[string]any
	for i := range min(len(list), 500) {
		rows = append(rows, row(i))
	}
	s.list(w, rows, nil, true)
}

// paged sends a page by its number.
func (s *Server) paged(w http.ResponseWriter, r *http.Request, total int, row func(int) map[string]any) {
	page, ok := count(r.URL.Query().Get("page"), 1, 1_000_000)
	size, sized := count(r.URL.Query().Get("pageSize"), 10, 500)
	if !ok || !sized {
		refuse(w, http.StatusOK, "400100", "Invalid page")
		return
	}
	if s.options.Short > 0 {
		size = min(size, s.options.Short)
	}
	var rows []map[string]any
	for i := (page - 1) * size; i < min(page*size, total); i++ {
		rows = append(rows, row(i))
	}
	s.list(w, rows, map[string]any{"currentPage": page, "pageSize": size, "totalNum": total, "totalPage": (total + size - 1) / size}, false)
}

func span(from, to string) (start, end time.Time, ok bool) {
	a, errA := strconv.ParseInt(from, 10, 64)
	b, errB := strconv.ParseInt(to, 10, 64)
	return time.UnixMilli(a), time.UnixMilli(b), errA == nil && errB == nil && a <= b && b-a <= 30*24*time.Hour.Milliseconds()
}

func count(text string, fallback, most int) (int, bool) {
	if text == "" {
		return fallback, true
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n > 0 && n <= most
}

// commissionLedger writes what is listed now, in the columns of an export.
func (s *Server) commissionLedger(w http.ResponseWriter, _ *http.Request) {
	simulated.WriteCommissions(w, func(yield func(simulated.Row) bool) {
		for _, t := range s.trades(s.programme.Begin(), s.programme.Now()) {
			if !yield(simulated.Row{At: t.At, Exchange: "kucoin", Grain: "trade", UID: t.Invitee.UID, Code: t.Invitee.Code, Product: t.Product.Name, Source: "direct", Coin: t.Product.Coin,
				Taker: t.Volume.String(), Fee: t.Fee.String(), Commission: t.Commission.String()}) {
				return
			}
		}
	})
}

func (s *Server) inviteeLedger(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/csv")
	_, _ = fmt.Fprintln(w, "uid,invite_code,register_time_utc,kyc")
	for _, one := range s.people() {
		_, _ = fmt.Fprintf(w, "%s,%q,%s,%t\n", one.UID, one.Code, one.Joined.UTC().Format("2006-01-02T15:04:05.000Z"), one.KYC)
	}
}
