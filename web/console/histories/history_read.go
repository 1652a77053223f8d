package histories

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
	"rebatedesk/reports/phrase"
	"rebatedesk/trading"
	"rebatedesk/web/console"
	"rebatedesk/web/handler"
)

const (
	readingPatience = 1500 * time.Millisecond // how long a page waits before it shows the progress
	readingTimeout  = 10 * time.Minute        // of one range
	keptDays        = 31                      // the most days of one question to the database
	askedDays       = 88                      // and to the exchange, whose windows have 90
	mostReadings    = 6                       // that are kept, of all readers
	mostRunning     = 3                       // at once, of one user
	leastLife       = 30 * time.Second        // how long a finished reading answers, see [reading.life]
	mostLife        = 10 * time.Minute
)

// part is a part of a range that one question is about.
type part struct {
	symbol, order string
	from, to      affiliate.Millis // from until before to
	kept          bool             // the store has all its records
	days          affiliate.Days   // UTC days, of a part that the store has
}

// readings reads ranges in the background, each once for all who look at it.
type readings struct {
	mu  sync.Mutex
	all map[string]*reading
}

// reading is one range being read, or read a short while ago.
type reading struct {
	key, id string
	by      string        // user who began it
	done    chan struct{} // closed at the end

	mu       sync.Mutex
	now      readingState
	stopping string // user who wants it to end
	began    time.Time
}

// readingState is how far a reading has come. Its slices and maps are never changed.
type readingState struct {
	list    recordList                  // newest first
	reached map[string]affiliate.Millis // by pair of fills, otherwise of "": everything from this instant on is in list
	under   string                      // the pair that is being read
	seen    affiliate.Millis            // time of its newest record that arrived
	asked   int                         // records that the exchange has listed so far
	kept    int                         // records of the store among list
	done    bool
	stopped string // user who ended it; empty: it was not ended
	capped  bool
	err     error
	at      time.Time // of the end
}

// whole returns the instant from which everything is in the list.
func (now readingState) whole() (from affiliate.Millis) {
	for _, reached := range now.reached {
		from = max(from, reached)
	}
	return from
}

// errReadingStopped ends a reading that a user stopped.
var errReadingStopped = errors.New("the reading was stopped")

// tooManyReadings refuses a user who has as many ranges read as [mostRunning] allows.
var tooManyReadings = handler.NewProblem(http.StatusTooManyRequests, "Several ranges are being read for you already. Wait until one is done, or stop one on its page.")

// of returns the reading of a page, and whether it has just begun. A reading that was stopped
// goes on if the page asks for that.
func (rs *readings) of(h history, q asked, s *Area) (r *reading, began bool, err error) {
	from, to := q.span()
	key := strings.Join([]string{h.Path, string(q.Account), strings.Join(q.symbols, " "), q.order, from.String(), to.String()}, "|")
	rs.mu.Lock()
	defer rs.mu.Unlock()
	before := rs.all[key]
	if before != nil && before.answers(q) {
		return before, false, nil
	}
	if rs.running(q.User) >= mostRunning {
		return nil, false, tooManyReadings
	}
	if rs.all == nil {
		rs.all = map[string]*reading{}
	}
	r = &reading{key: key, id: trading.NewID(), by: q.User, done: make(chan struct{}), began: time.Now()}
	r.now.reached = map[string]affiliate.Millis{}
	for _, symbol := range h.subjects(q) {
		r.now.reached[symbol] = to
	}
	if before != nil && before.goesOn(q) {
		r.now = before.state()
		r.now.done, r.now.stopped, r.now.seen = false, "", 0
	}
	rs.all[key] = r
	rs.forget()
	s.Go(func() {
		defer close(r.done)
		ctx, cancel := context.WithTimeout(exchange.WithPriority(s.Life, exchange.Interactive), readingTimeout)
		defer cancel()
		ctx = exchange.WithPageGate(ctx, r.open)
		err := s.Guarded("reading a range of the console", func() error { return r.read(ctx, s, h, q) })
		r.mu.Lock()
		defer r.mu.Unlock()
		if errors.Is(err, errReadingStopped) {
			r.now.stopped, err = r.stopping, nil
		}
		r.now.done, r.now.err, r.now.at = true, err, time.Now()
	})
	return r, true, nil
}

// running returns how many readings of a user are under way.
func (rs *readings) running(user string) (n int) {
	for _, r := range rs.all {
		if r.by == user && !r.state().done {
			n++
		}
	}
	return n
}

// stop ends a reading after the page that is under way.
func (rs *readings) stop(id, user string) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, r := range rs.all {
		if r.id == id {
			r.stop(user)
		}
	}
}

func (r *reading) stop(user string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopping == "" {
		r.stopping = user
	}
}

// open keeps the next page from being asked for once the reading was stopped.
func (r *reading) open() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopping != "" {
		return errReadingStopped
	}
	return nil
}

// stops reports whether the reading ends after the page that is under way.
func (r *reading) stops() bool { return r.open() != nil && !r.state().done }

// forget drops the oldest finished readings beyond the number that is kept.
func (rs *readings) forget() {
	var finished []*reading
	for _, r := range rs.all {
		if r.state().done {
			finished = append(finished, r)
		}
	}
	slices.SortFunc(finished, func(a, b *reading) int { return b.began.Compare(a.began) })
	for i, r := range finished {
		if i >= mostReadings || time.Since(r.state().at) > mostLife {
			delete(rs.all, r.key)
		}
	}
}

// answers reports whether a reading can answer a page: it runs, or it ended a short while ago
// and after the instant before which everything is to be read again. A reading that failed
// answers only those who wait for it. One that was stopped answers until a user wants it to go
// on.
func (r *reading) answers(q asked) bool {
	now := r.state()
	if !now.done {
		return true
	}
	age, ended := time.Since(now.at), affiliate.MillisOf(now.at)
	if now.stopped != "" {
		return age < mostLife && ended > q.again && ended > q.on
	}
	life := max(leastLife, min(mostLife, 20*now.at.Sub(r.began)))
	return now.err == nil && age < life && ended > q.again
}

// goesOn reports whether a new reading begins where this one was stopped.
func (r *reading) goesOn(q asked) bool {
	now := r.state()
	return now.stopped != "" && time.Since(now.at) < mostLife && affiliate.MillisOf(now.at) > q.again
}

// wait returns when the reading is done, and after the given time at the latest.
func (r *reading) wait(ctx context.Context, most time.Duration) {
	late := time.NewTimer(most)
	defer late.Stop()
	select {
	case <-r.done:
	case <-late.C:
	case <-ctx.Done():
	}
}

func (r *reading) state() readingState {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}

// span returns the range of a page: from its first instant until before its last.
func (q asked) span() (from, to affiliate.Millis) {
	span := q.query.Days.Range(q.query.Zone)
	return affiliate.MillisOf(span.From), affiliate.MillisOf(span.To)
}

// subjects returns the pairs of fills, which are read one after another; otherwise the only
// subject has no name.
func (h history) subjects(q asked) []string {
	if h.stream == "" {
		return q.symbols
	}
	return []string{""}
}

// read reads a range part by part, the newest first. What the store has completely is not asked
// of the exchange, and neither is what a reading before this one has read.
func (r *reading) read(ctx context.Context, s *Area, h history, q asked) error {
	parts, err := h.parts(ctx, s, q)
	if err != nil {
		return err
	}
	coins, err := s.coinNames(ctx, q.Asking)
	if err != nil {
		return err
	}
	for _, p := range parts {
		if p.to = min(p.to, r.state().reached[p.symbol]); p.from >= p.to {
			continue
		}
		if err := r.open(); err != nil {
			return err
		}
		list, err := h.readPart(ctx, s, q, p, r.counts(p.symbol))
		if err != nil {
			list, p.from = broken(list, p, err)
		}
		kept := list[:0]
		for _, record := range list {
			if record.at < p.from || record.at >= p.to {
				continue // the exchange does not say whether it includes the ends
			}
			if record.coin == "" {
				record.coin = coins.of(record)
			}
			kept = append(kept, record)
		}
		slices.SortStableFunc(kept, newestFirst)
		if full := r.add(kept, p); err != nil || full {
			return err
		}
	}
	return nil
}

func newestFirst(a, b recorded) int { return cmp.Compare(b.at, a.at) }

// broken returns what is known of a part whose reading broke off, and from when on. The exchange
// lists the newest records first: of the millisecond of the last one that arrived, others may be
// missing. Nothing is known if they came in another order, or cannot be trusted.
func broken(list recordList, p part, err error) (recordList, affiliate.Millis) {
	if len(list) == 0 || p.kept || exchange.ClassOf(err) == exchange.ClassMalformed || !slices.IsSortedFunc(list, newestFirst) {
		return nil, p.to
	}
	return list, min(p.to, list[len(list)-1].at+1)
}

// counts returns what is called for each record of the exchange.
func (r *reading) counts(symbol string) func(affiliate.Millis) {
	return func(at affiliate.Millis) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.now.asked++
		r.now.under, r.now.seen = symbol, at
	}
}

// add adds the records of a part, and reports whether there are as many as a page may have.
func (r *reading) add(list recordList, p part) (full bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	reached := p.from
	if room := console.MaxFileRows - len(r.now.list); len(list) > room {
		list = list[:room]
		r.now.capped = true
		if reached = p.to; room > 0 {
			reached = list[room-1].at
		}
	}
	r.now.reached = maps.Clone(r.now.reached)
	r.now.reached[p.symbol] = min(r.now.reached[p.symbol], reached)
	// A reader may hold the list: it is never sorted in place.
	r.now.list = slices.Concat(r.now.list, list)
	if p.symbol != "" { // the pairs of a page are read one after another
		slices.SortStableFunc(r.now.list, newestFirst)
	}
	if p.kept {
		r.now.kept += len(list)
	}
	return r.now.capped
}

func (h history) readPart(ctx context.Context, s *Area, q asked, p part, each func(affiliate.Millis)) (list recordList, err error) {
	switch {
	case !p.kept:
		return h.ask(ctx, q.Asking, p, each)
	case h.wallet != "":
		bills, err := s.Whole.KeptBills(ctx, q.Account, h.wallet, p.days)
		for _, b := range bills {
			list = append(list, keptBill(b))
		}
		return list, err
	}
	transfers, err := s.Whole.KeptTransfers(ctx, q.Account, p.days)
	for _, t := range transfers {
		list = append(list, keptTransfer(t))
	}
	return list, err
}

// parts divides a range, the newest part first. Consecutive days that the store has, and those
// that it does not have, make parts of limited length.
func (h history) parts(ctx context.Context, s *Area, q asked) (parts []part, err error) {
	from, to := q.span()
	utc := affiliate.Days{First: affiliate.DayOf(from.Time(), time.UTC), Last: affiliate.DayOf((to - 1).Time(), time.UTC)}
	kept := map[affiliate.Day]bool{}
	if h.stream != "" {
		if kept, err = s.Whole.KeptDays(ctx, q.Account, h.stream, utc); err != nil {
			return nil, err
		}
	}
	today := q.query.Today + 2 // the exchange's clock may be ahead, and so may be its day
	for last := utc.Last; last >= utc.First; {
		first := last
		for first > utc.First && kept[first-1] == kept[last] && last-first+1 < most(kept[last]) {
			first--
		}
		if first <= today {
			p := part{order: q.order, kept: kept[last], days: affiliate.Days{First: first, Last: last}}
			p.from, p.to = max(from, affiliate.MillisOf(first.Start(time.UTC))), min(to, affiliate.MillisOf((last+1).Start(time.UTC)))
			if h.stream == "" {
				for _, symbol := range q.symbols {
					p.symbol = symbol
					parts = append(parts, p)
				}
			} else {
				parts = append(parts, p)
			}
		}
		last = first - 1
	}
	return parts, nil
}

func most(kept bool) affiliate.Day {
	if kept {
		return keptDays
	}
	return askedDays
}

// share returns how much of a range is read, in percent.
func (now readingState) share(q asked) int {
	from, to := q.span()
	to = min(to, affiliate.MillisOf(time.Now()))
	if to <= from || len(now.reached) == 0 {
		return 0
	}
	var read affiliate.Millis
	for symbol, reached := range now.reached {
		if symbol == now.under && now.seen.Known() {
			reached = min(reached, now.seen)
		}
		read += max(0, to-max(from, reached))
	}
	return int(100 * read / ((to - from) * affiliate.Millis(len(now.reached))))
}

// progressWords says how far a reading is.
func progressWords(h history, q asked, now readingState) string {
	text := phrase.Things(max(len(now.list), now.asked+now.kept), h.Noun) + " so far"
	if now.seen.Known() {
		text += ", back to " + phrase.Second(now.seen.Time(), q.query.Zone)
	}
	if now.under != "" {
		text += " of " + affiliate.PairName(now.under)
	}
	return text + ". The exchange answers a hundred at a time, within its limit of calls."
}

// knownWords says of which time a reading has everything: "everything from … on", or by pair.
func (now readingState) knownWords(q asked) string {
	from, _ := q.span()
	on := func(at affiliate.Millis) string {
		return "everything from " + phrase.Second(at.Time(), q.query.Zone) + " on"
	}
	if len(now.reached) < 2 {
		return on(now.whole())
	}
	var whole, none, rest []string
	for _, symbol := range slices.Sorted(maps.Keys(now.reached)) {
		_, to := q.span()
		switch at, name := now.reached[symbol], affiliate.PairName(symbol); {
		case at <= from:
			whole = append(whole, name)
		case at >= to:
			none = append(none, name)
		default:
			rest = append(rest, on(at)+" of "+name)
		}
	}
	words := rest
	if len(whole) > 0 {
		words = slices.Insert(words, 0, "everything of "+strings.Join(whole, ", "))
	}
	if len(none) > 0 {
		words = append(words, "nothing of "+strings.Join(none, ", "))
	}
	return strings.Join(words, "; ")
}

// coinNames are the names of coins by their ids.
type coinNames map[string]affiliate.Coin

func (names coinNames) of(r recorded) affiliate.Coin {
	switch {
	case r.bill != nil:
		return names[r.bill.CoinID]
	case r.funding != nil:
		return names[r.funding.CoinID]
	}
	return ""
}

// currencyLife is how long the names of coins are kept: they hardly ever change. A failure is not
// repeated for each who asks, either, and kept for failureLife.
const (
	currencyLife = time.Hour
	failureLife  = time.Second
)

// currencies shares the names of coins, by client. One question at a time is asked for each.
type currencies struct {
	mu  sync.Mutex
	all map[*weex.Client]*keptNames
}

type keptNames struct {
	asking sync.Mutex // held while the exchange is asked
	names  coinNames
	tried  time.Time // when it was last asked for them
	err    error     // why it did not say
}

// of returns the keeper of the names that a client reads.
func (k *currencies) of(client *weex.Client) *keptNames {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.all == nil {
		k.all = map[*weex.Client]*keptNames{}
	}
	if k.all[client] == nil {
		k.all[client] = &keptNames{}
	}
	return k.all[client]
}

// coinNames returns the names of coins. Without them the ids remain, so a failure is only
// logged.
func (s *Area) coinNames(ctx context.Context, a console.Asking) (coinNames, error) {
	kept := s.currencies.of(a.Client)
	kept.asking.Lock()
	defer kept.asking.Unlock()
	names, err := kept.names, kept.err
	if age := time.Since(kept.tried); err == nil && age >= currencyLife || err != nil && age >= failureLife {
		list, failed := a.Client.Currencies(ctx)
		names, err = coinNames{}, failed
		for _, c := range list.Records {
			names[c.CoinID] = c.CoinName
		}
		if ctx.Err() == nil {
			kept.names, kept.tried, kept.err = names, time.Now(), err
		}
		err = cmp.Or(err, ctx.Err())
	}
	if err != nil {
		s.Log.Warn("the names of coins could not be read", "error", err)
		return coinNames{}, ctx.Err()
	}
	return names, nil
}
