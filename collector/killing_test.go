package collector_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/exchange/weex/simulator/account"
	"rebatedesk/internal/crashtest"
	"rebatedesk/store"
)

const killDays = 30

// killing is a fixture whose collectors are killed: its programme continues from one to the
// next, and what they leave behind is compared with it.
type killing struct {
	*fixture
	random    *rand.Rand
	chronicle chronicle
	zone      int           // which reporting zone the next child has
	broken    bool          // a child met an exchange without a valid answer
	whole     time.Duration // that a child takes which is left alone

	kills, amidst, finished int
}

var killZones = []string{"UTC", "Asia/Kathmandu", "Pacific/Apia"}

func newKilling(t testing.TB, seed uint64) *killing {
	k := &killing{random: rand.New(rand.NewPCG(seed, 0)), fixture: newFixture(t, simulator.Options{
		Seed: int64(seed), Days: killDays, Invitees: 60, Records: 400,
		APIKey: childKey, APISecret: childSecret, APIPassphrase: childPassphrase})}
	k.goOn()
	return k
}

// fresh forgets the database. The next child makes another.
func (k *killing) fresh() {
	if err := os.RemoveAll(filepath.Dir(k.path)); err != nil {
		k.Fatal(err)
	}
	k.path = filepath.Join(k.TempDir(), "test.db")
	k.chronicle = k.chronicle[len(k.chronicle)-1:]
	k.broken = false
}

// goOn lets a minute pass in which records of any age appear, change and vanish.
func (k *killing) goOn() {
	k.clock.advance(time.Minute)
	ledger := k.sim.Ledger()
	any := func() affiliate.Commission { return ledger.Commissions[k.random.IntN(len(ledger.Commissions))] }
	for range 2 {
		late := any()
		late.UID, late.Fee = affiliate.UID(strconv.Itoa(4_000_000_000+k.random.IntN(1_000_000))), k.number()
		k.sim.Insert(late)
		k.sim.Insert(late) // and its twin
	}
	revised, gone := any(), any()
	k.sim.Revise(func(c affiliate.Commission) bool { return c == revised }, func(c *affiliate.Commission) { c.Fee = k.number() })
	k.sim.RemoveFunc(func(c affiliate.Commission) bool {
		return c.UID == gone.UID && c.Product == gone.Product && c.DealTime/86_400_000 == gone.DealTime/86_400_000
	})
	old := ledger.Invitees[k.random.IntN(len(ledger.Invitees))]
	k.sim.ReviseInvitee(old.UID, func(i *affiliate.Invitee) { i.LastTrade = affiliate.MillisOf(k.clock.now()) })
	sub := ledger.SubAffiliateDays[k.random.IntN(len(ledger.SubAffiliateDays))]
	k.sim.RemoveSubAffiliateDay(sub)
	sub.TradingVolume = k.number()
	k.sim.InsertSubAffiliateDay(sub)
	for _, wallet := range []affiliate.Wallet{affiliate.SpotWallet, affiliate.FundingWallet} {
		k.wallets().ReviseBills(wallet, func(bills []account.BookedBill) []account.BookedBill { return altered(k, bills) })
	}
	k.wallets().ReviseTransfers(func(transfers []account.Movement) []account.Movement { return altered(k, transfers) })
	now := affiliate.MillisOf(k.clock.now())
	k.chronicle = append(k.chronicle, truthSince{now, truthByDay(k.sim.Ledger(), now)})
}

// altered gives one of the records a twin and takes another one away.
func altered[T any](k *killing, records []T) []T {
	twin := k.random.IntN(len(records))
	records = slices.Insert(slices.Clone(records), twin, records[twin])
	gone := k.random.IntN(len(records))
	return slices.Delete(records, gone, gone+1)
}

// number is an amount that no record has had.
func (k *killing) number() affiliate.Number {
	return affiliate.Number(fmt.Sprintf("%d.%017d1", k.random.IntN(1000), k.random.Int64N(100_000_000_000_000_000)))
}

// since is the day from which a run reads everything there is.
func (k *killing) since() affiliate.Day {
	return affiliate.DayOf(k.clock.now(), time.UTC) - killDays - 10
}

// prepare advances the programme. Now and then the next child creates a database, rebuilds
// the roll-ups in another zone, or meets an exchange that gives no valid answer.
func (k *killing) prepare() {
	k.goOn()
	if k.random.IntN(8) == 0 {
		k.fresh()
	}
	if k.random.IntN(4) == 0 {
		k.zone = (k.zone + 1) % len(killZones)
	}
	if k.random.IntN(16) == 0 {
		k.broken = true
		k.answers(noSoundInvitees)
	}
}

// task is the work of the next child. One with an aim reads everything again,
// so that it takes every kind of step; of the others each second one does.
func (k *killing) task(at crashtest.Aim) task {
	t := task{Path: k.path, URL: k.url, Zone: killZones[k.zone], Now: k.clock.now().UnixMilli(), History: k.history, Aim: at}
	if at.N > 0 || k.random.IntN(2) == 0 {
		t.Since = k.since()
	}
	return t
}

// looksAt opens what a child left, checks all of it, and closes it again.
func (k *killing) looksAt(also func()) {
	s, err := store.Open(context.Background(), k.path, store.Options{Now: k.clock.now})
	if err != nil {
		k.Fatal(err)
	}
	k.store = s
	for _, c := range k.coverage() {
		if c.Failed.Known() && !k.broken {
			k.Errorf("%s %s failed: %s", c.Stream, c.Day, c.Error)
		}
	}
	k.isWhole(k.chronicle)
	k.verifies()
	k.logAddsUp()
	k.proofs()
	also()
	if err := s.Close(); err != nil {
		k.Fatal(err)
	}
}
