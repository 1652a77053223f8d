package collector_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/exchange"
	"rebatedesk/exchange/simulator"
	"rebatedesk/store"
)

// collectInto makes this test binary a collector: the child that gets killed.
// Its value is the database and the exchange, separated by a space.
const collectInto = "REBATEDESK_TEST_COLLECT_INTO"

func TestMain(m *testing.M) {
	if task := os.Getenv(collectInto); task != "" {
		if err := beCollector(task); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// beCollector collects everything once, saying when it begins.
func beCollector(task string) error {
	path, url, _ := strings.Cut(task, " ")
	clock := newClock()
	client, err := exchange.New(exchange.Config{
		BaseURL: url, Key: "kill-key", Secret: "kill-secret", Passphrase: "kill-phrase",
		Budget: exchange.NewBudget(1_000_000), Now: clock.now, Backoff: time.Millisecond,
	})
	if err != nil {
		return err
	}
	s, err := store.Open(context.Background(), path, store.Options{Now: clock.now})
	if err != nil {
		return err
	}
	fmt.Println("collecting")
	_, err = collector.New(collector.Options{
		Store: s, Accounts: []collector.Account{{Name: "main", Client: client}}, History: killDays * day, Now: clock.now,
	}).Collect(context.Background(), collector.Request{Cause: "child"})
	return errors.Join(err, s.Close())
}

const killDays = 200

// leastKills is how often a collector at work is killed.
func leastKills() int {
	if raced {
		return 2 // a process has no races with its own death
	}
	return 24
}

// Killed at any moment, a collector leaves whole slices and nothing else, and
// the runs after it come to the same end.
func TestKilledAtAnyMoment(t *testing.T) {
	d := newDesk(t, simulator.Options{Seed: 21, Days: killDays, Invitees: 300, Records: sized(6000),
		APIKey: "kill-key", APISecret: "kill-secret", APIPassphrase: "kill-phrase"})
	truth := truthByDay(d.sim.Ledger())
	kills, amidst, finished := 0, 0, 0
	begun := time.Now()
	if runChild(t, d.path, d.url, 5*time.Minute) {
		t.Fatal("a run takes more than five minutes")
	}
	whole := time.Since(begun) // with the start of the process, which lasts as long as anything
	d.isWhole(truth)
	d.fresh()
	for kills < leastKills() {
		if !runChild(t, d.path, d.url, rand.N(whole/2)) {
			// All is collected: what follows starts from nothing again.
			finished++
			d.isWhole(truth)
			d.fresh()
			continue
		}
		kills++
		if days := d.isWhole(truth); days > 0 && days < 5*killDays {
			amidst++
		}
	}
	t.Logf("%d kills, %d of them with a part stored; %d times all was collected", kills, amidst, finished)
	if amidst < leastKills()/4 {
		t.Errorf("only %d of %d kills were in the midst of the work", amidst, kills)
	}
	d.run(collector.Request{})
	d.holdsTheTruth()
	if report := d.run(collector.Request{Since: affiliate.DayOf(start, time.UTC) - killDays}); report.Opened != 0 || report.Closed != 0 {
		t.Errorf("reading everything again opened %d and closed %d", report.Opened, report.Closed)
	}
}

// runChild lets a collector work for a while and kills it; false when it was
// done before.
func runChild(t *testing.T, path, url string, pause time.Duration) (killed bool) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), collectInto+"="+path+" "+url)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the child said %q: %v (%v)", line, err, child.Wait())
	}
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Fatalf("the child: %v", err)
		}
		return false
	case <-time.After(pause):
	}
	if err := child.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	return <-ended != nil
}

// streamDay is one day of a stream.
type streamDay struct {
	stream affiliate.Stream
	day    affiliate.Day
}

type truthOfDays struct {
	commissions map[streamDay]count[affiliate.Commission]
	subs        map[streamDay]count[affiliate.SubAffiliateDay]
	invitees    map[streamDay]count[affiliate.Invitee]
}

func add[T comparable](to map[streamDay]count[T], stream affiliate.Stream, day affiliate.Day, record T, n int) {
	at := streamDay{stream, day}
	if to[at] == nil {
		to[at] = count[T]{}
	}
	to[at][record] += n
}

func newTruth() truthOfDays {
	return truthOfDays{map[streamDay]count[affiliate.Commission]{}, map[streamDay]count[affiliate.SubAffiliateDay]{}, map[streamDay]count[affiliate.Invitee]{}}
}

func (t truthOfDays) addCommission(c affiliate.Commission, n int) {
	add(t.commissions, affiliate.Stream{Kind: affiliate.Commissions, Product: c.Product}, affiliate.DayOf(c.DealTime.Time(), time.UTC), c, n)
}

func (t truthOfDays) addSubAffiliateDay(s affiliate.SubAffiliateDay, n int) {
	add(t.subs, affiliate.Stream{Kind: affiliate.SubAffiliates, Product: s.Product}, s.Date, s, n)
}

func (t truthOfDays) addInvitee(i affiliate.Invitee, n int) {
	add(t.invitees, affiliate.Stream{Kind: affiliate.Invitees}, affiliate.DayOf(i.RegisterTime.Time(), time.UTC), i, n)
}

func truthByDay(l simulator.Ledger) truthOfDays {
	t := newTruth()
	for _, c := range l.Commissions {
		t.addCommission(c.Key(), 1)
	}
	for _, s := range l.SubAffiliateDays {
		t.addSubAffiliateDay(s.Key(), 1)
	}
	for _, i := range l.Invitees {
		t.addInvitee(i, 1)
	}
	return t
}

// isWhole opens what the child left and compares it with the truth: every day
// that is covered holds just its records, every other day holds none. It gives
// the number of covered stream-days.
func (d *desk) isWhole(truth truthOfDays) (covered int) {
	d.Helper()
	if err := d.store.Check(context.Background()); err != nil {
		d.Fatal(err)
	}
	stored := newTruth()
	for c, n := range d.commissions(0) {
		stored.addCommission(c, n)
	}
	for s, n := range d.subAffiliateDays() {
		stored.addSubAffiliateDay(s, n)
	}
	for i, n := range d.invitees() {
		stored.addInvitee(i, n)
	}
	read := map[streamDay]bool{}
	for _, c := range d.coverage() {
		if c.Failed.Known() {
			d.Fatalf("%s %s failed: %s", c.Stream, c.Day, c.Error)
		}
		read[streamDay{c.Stream, c.Day}] = c.Through.Known()
	}
	compareDays(d, stored.commissions, truth.commissions, read)
	compareDays(d, stored.subs, truth.subs, read)
	compareDays(d, stored.invitees, truth.invitees, read)
	return len(read)
}

func compareDays[T comparable](d *desk, stored, truth map[streamDay]count[T], read map[streamDay]bool) {
	d.Helper()
	for at := range stored {
		if !read[at] {
			d.Fatalf("%s %s is not covered and has %d records", at.stream, at.day, len(stored[at]))
		}
	}
	for at, records := range truth {
		if read[at] {
			equal(d, fmt.Sprintf("%s %s", at.stream, at.day), stored[at], records)
		}
	}
}

// fresh gives the desk an empty database.
func (d *desk) fresh() {
	d.Helper()
	d.path = filepath.Join(d.TempDir(), "test.db")
	d.store = d.open(nil)
	d.Collector = d.collector(d.store, d.client)
}
