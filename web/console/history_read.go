package console

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/reports"
	"rebatedesk/reports/phrase"
)

const (
	readingPatience = 1500 * time.Millisecond // how long a page waits before it shows the progress
	readingTimeout  = 10 * time.Minute        // of one range
	keptDays        = 31                      // the most days of one question to the database
	askedDays       = 88                      // and to the exchange, whose windows have 90
	mostReadings    = 6                       // that are kept, of all readers
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
	key  string
	done chan struct{} // closed at the end

	mu    sync.Mutex
	now   readingState
	began time.Time
}

// readingState is how far a reading has come.
type readingState struct {
	list    recordList       // newest first
	reached affiliate.Millis // everything of the range from this instant on is in list
	asked   int              // records that the exchange has listed so far
	kept    int              // records of the store among list
	done    bool
	capped  bool
	err     error
	at      time.Time // of the end
}

// of returns the reading of a page, and whether it has just begun.
func (rs *readings) of(h history, q asked, s *Area) (r *reading, began bool) {
	from, to := q.span()
	key := strings.Join([]string{h.Path, string(q.account), strings.Join(q.symbols, " "), q.order, from.String(), to.String()}, "|")
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if r := rs.all[key]; r != nil && r.answers(q.again) {
		return r, false
	}
	if rs.all == nil {
		rs.all = map[string]*reading{}
	}
	r = &reading{key: key, done: make(chan struct{}), began: time.Now()}
	r.now.reached = to
	rs.all[key] = r
	rs.forget()
	s.Go(func() {
		defer close(r.done)
		ctx, cancel := context.WithTimeout(exchange.WithPriority(s.Life, exchange.Interactive), readingTimeout)
		defer cancel()
		err := s.Guarded("reading a range of the console", func() error { return r.read(ctx, s, h, q) })
		r.mu.Lock()
		defer r.mu.Unlock()
		r.now.done, r.now.err, r.now.at = true, err, time.Now()
	})
	return r, true
}

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

// answers reports whether a reading can answer: it runs, or it ended a short while ago and
// after the instant before which everything is to be read again. A reading that failed answers
// only those who wait for it.
func (r *reading) answers(again affiliate.Millis) bool {
	now := r.state()
	if !now.done {
		return true
	}
	life := max(leastLife, min(mostLife, 20*now.at.Sub(r.began)))
	return now.err == nil && time.Since(now.at) < life && affiliate.MillisOf(now.at) > again
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

// read reads a range part by part, the newest first. What the store has completely is not asked
// of the exchange.
func (r *reading) read(ctx context.Context, s *Area, h history, q asked) error {
	parts, err := h.parts(ctx, s, q)
	if err != nil {
		return err
	}
	coins, err := s.coinNames(ctx, q.asking)
	if err != nil {
		return err
	}
	for _, p := range parts {
		list, err := h.readPart(ctx, s, q, p, r.one)
		if err != nil {
			return err
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
		slices.SortStableFunc(kept, func(a, b recorded) int { return cmp.Compare(b.at, a.at) })
		if r.add(kept, p) {
			return nil
		}
	}
	return nil
}

// one counts a record of the exchange.
func (r *reading) one() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now.asked++
}

// add adds the records of a part, and reports whether there are as many as a page may have.
func (r *reading) add(list recordList, p part) (full bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if room := maxFileRows - len(r.now.list); len(list) > room {
		list = list[:room]
		r.now.capped = true
		r.now.reached = p.from
		if room > 0 {
			r.now.reached = list[room-1].at
		}
	} else {
		r.now.reached = min(r.now.reached, p.from)
	}
	// A reader may hold the list: it is never sorted in place.
	r.now.list = slices.Concat(r.now.list, list)
	if p.symbol != "" { // the pairs of a page are read one after another
		slices.SortStableFunc(r.now.list, func(a, b recorded) int { return cmp.Compare(b.at, a.at) })
	}
	if p.kept {
		r.now.kept += len(list)
	}
	return r.now.capped
}

func (h history) readPart(ctx context.Context, s *Area, q asked, p part, each func()) (list recordList, err error) {
	switch {
	case !p.kept:
		return h.ask(ctx, q.asking, p, each)
	case h.wallet != "":
		bills, err := reports.NewMoneyDesk(s.Whole).KeptBills(ctx, q.account, h.wallet, p.days)
		for _, b := range bills {
			list = append(list, keptBill(b))
		}
		return list, err
	}
	transfers, err := reports.NewMoneyDesk(s.Whole).KeptTransfers(ctx, q.account, p.days)
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
		if kept, err = reports.NewMoneyDesk(s.Whole).KeptDays(ctx, q.account, h.stream, utc); err != nil {
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
	if to <= from || now.reached >= to {
		return 0
	}
	return int(100 * (to - now.reached) / (to - from))
}

// progressWords says how far a reading is.
func progressWords(h history, q asked, now readingState) string {
	n := max(len(now.list), now.asked+now.kept)
	text := phrase.Things(n, h.noun) + " so far"
	if len(now.list) > 0 {
		text += fmt.Sprintf(", back to %s", phrase.Second(now.reached.Time(), q.query.Zone))
	}
	return text + ". The exchange answers a hundred at a time, within its limit of calls."
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

// currencyLife is how long the names of coins are kept: they hardly ever change.
const currencyLife = time.Hour

// coinNames returns the names of coins. Without them the ids remain, so a failure is only
// logged.
func (s *Area) coinNames(ctx context.Context, a asking) (coinNames, error) {
	got, err := s.currencies.of(ctx, a.client, currencyLife, func(ctx context.Context) (coinNames, error) {
		list, err := a.client.Currencies(ctx)
		names := coinNames{}
		for _, c := range list {
			names[c.CoinID] = c.CoinName
		}
		return names, err
	})
	if err != nil {
		s.Log.Warn("the names of coins could not be read", "error", err)
		return coinNames{}, ctx.Err()
	}
	return got.value, nil
}
