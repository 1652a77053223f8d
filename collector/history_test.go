package collector_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/internal/soak"
	"rebatedesk/store/storetest"
)

var oneHistory = flag.Uint64("history", 0, "the seed of one paging history to go through again; 0 = all of them")

// historyRows is how many records a history begins with, and historyGap how
// many days lie between two histories in one database.
const (
	historyRows = 1000
	historyGap  = 20
)

// history is a list of records that is read page by page while it moves and reports wrong
// counts. It has separate days in the database, so that many histories fit into one.
type history struct {
	*fixture
	tally    *historyTally
	random   *rand.Rand
	kind     affiliate.StreamKind
	days     affiliate.Days
	requests int         // for pages of the list, so far
	moves    map[int]int // ahead of which request how many records move
	fault    simulator.Fault
}

// historian runs through histories in one database until it is full, then in another.
type historian struct {
	*fixture
	*historyTally
}

const historiesPerDatabase = 25

// historyTally counts what became of histories.
type historyTally struct {
	moved  atomic.Int64 // records that came, went or changed between two pages
	unread atomic.Int64 // first readings that were not believed
	mended atomic.Int64 // second readings that found something else
}

// After a list has moved and reported wrong counts page by page, it is read again while it
// does not change. Then the store holds exactly the records of the ledger, each as often as
// it occurs there, whatever the first reading returned.
func TestSoakPagingHistories(t *testing.T) {
	n, readers := soak.Times(50, 10_000), 2
	switch {
	case raced:
		n = 4
	case testing.Short():
		n = 30
	}
	first := uint64(1)
	if soak.Long() {
		first = rand.Uint64N(1 << 48)
	}
	if *oneHistory != 0 {
		first, n, readers = *oneHistory, 1, 1
	}
	t.Logf("%d histories from seed %d on", n, first)
	tally := &historyTally{}
	t.Run("readers", func(t *testing.T) {
		for reader := range readers {
			t.Run(fmt.Sprint(reader), func(t *testing.T) {
				t.Parallel()
				h := historian{newFixture(t, simulator.Options{}), tally}
				for i := reader; i < n; i += readers {
					h.goThrough(first+uint64(i), i/readers)
				}
				h.verifies()
			})
		}
	})
	t.Logf("%d records moved, %d first readings were not believed, %d second ones mended the first",
		tally.moved.Load(), tally.unread.Load(), tally.mended.Load())
	if n > 1 && !t.Failed() && (tally.moved.Load() < int64(n) || tally.mended.Load() == 0) {
		t.Error("the lists held still")
	}
}

// goThrough makes the history of a seed and reads it. It is the n-th of this
// fixture.
func (d historian) goThrough(seed uint64, n int) {
	if n > 0 && n%historiesPerDatabase == 0 {
		d.verifies()
		if err := d.store.Close(); err != nil {
			d.Fatal(err)
		}
		if err := os.RemoveAll(filepath.Dir(d.path)); err != nil {
			d.Fatal(err)
		}
		d.path = storetest.Empty(d)
		d.store = d.open(nil)
	}
	h := d.draw(seed, n%historiesPerDatabase)
	h.answers(h.ahead)
	moving, err := h.collect()
	h.answers(nil)
	h.clock.advance(time.Hour)
	still, again := h.collect()
	if d.count(moving, still); again != nil || !still.Complete {
		h.Errorf("standing still it was not read: %+v (%v)", still, again)
	}
	h.equalsLedger()
	if h.Failed() {
		h.Fatalf("go test ./collector -run TestSoakPagingHistories -history %d: %s of %s, fault %q, moves %v; the first reading: %+v (%v)",
			seed, h.kind, h.days, h.fault, h.moves, moving, err)
	}
}

func (d historian) count(moving, still collector.RunReport) {
	if !moving.Complete {
		d.unread.Add(1)
	}
	if still.Opened+still.Closed > 0 {
		d.mended.Add(1)
	}
}

// draw makes the history of a seed. place is its place in the database.
func (d historian) draw(seed uint64, place int) *history {
	h := &history{fixture: d.fixture, tally: d.historyTally, random: rand.New(rand.NewPCG(seed, 0)), moves: map[int]int{}}
	h.clock.ms.Store(start.Truncate(day).AddDate(0, 0, place*historyGap).UnixMilli())
	h.clock.advance(time.Duration(h.random.IntN(86_400)) * time.Second)
	h.fixture.history = time.Duration(1+h.random.IntN(historyGap-6)) * day
	h.days.First = affiliate.DayOf(h.clock.now().Add(-h.fixture.history), time.UTC)
	h.days.Last = affiliate.DayOf(h.clock.now(), time.UTC)
	h.kind = affiliate.Commissions
	if h.random.IntN(4) == 0 {
		h.kind = anyOf(h.random, affiliate.StreamKinds())
	}
	for range h.random.IntN(6) {
		h.moves[2+h.random.IntN(30)] = 1 + h.random.IntN(5)
	}
	h.fault = []simulator.Fault{"", "", simulator.TotalLow, simulator.TotalHigh, simulator.TotalChanging,
		simulator.WrongPages, simulator.RepeatedPage, simulator.EmptyPage}[h.random.IntN(8)]
	h.sim = h.exchange()
	return h
}

// exchange lists what a history begins with.
func (h *history) exchange() *simulator.Simulator {
	keys := h.sim.Credentials()
	o := simulator.Options{
		Now: h.clock.now, RateLimit: -1,
		APIKey: keys.APIKey.Reveal(), APISecret: keys.APISecret.Reveal(), APIPassphrase: keys.APIPassphrase.Reveal(),
		Order:  []simulator.RowOrder{simulator.NewestFirst, simulator.OldestFirst}[h.random.IntN(2)],
		Bounds: []simulator.Bounds{simulator.BoundsInclusive, simulator.BoundsHalfOpen, simulator.BoundsExclusive}[h.random.IntN(3)],
	}
	if h.fault != "" {
		o.Rules = []simulator.FaultRule{{Fault: h.fault, Every: 1}}
	}
	h.sim = simulator.New(o)
	rows := historyRows // full pages: the last one asked for is empty
	if h.random.IntN(2) == 0 {
		rows += h.random.IntN(200) - 100
	}
	for range rows {
		h.insert()
	}
	return h.sim
}

// collect makes a run over the list.
func (h *history) collect() (collector.RunReport, error) {
	return h.collector(h.store, h.client).Collect(context.Background(),
		collector.RunRequest{Kinds: []affiliate.StreamKind{h.kind}, Since: h.days.First})
}

// ahead moves the list before a page is answered.
func (h *history) ahead(_ http.ResponseWriter, r *http.Request) bool {
	if !strings.Contains(r.URL.Path, "/affiliate/") && !strings.Contains(r.URL.Path, "/account/") {
		return false
	}
	h.requests++
	for range h.moves[h.requests] {
		h.tally.moved.Add(1)
		switch h.random.IntN(4) {
		case 0:
			h.remove()
		case 1:
			h.revise()
		default:
			h.insert()
		}
	}
	return false
}
