package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
)

// SharedNow is later than all that [Shared] stores.
var SharedNow = time.Date(2026, 8, 8, 6, 0, 0, 0, time.UTC)

// Shared stores what the exchange lists of the invitees for whom keeps holds, of two accounts
// with invitees in common: UIDs from 49317700 to 49317713 and three months up to SharedNow. Some
// days are read again after the instant before, with other records.
func Shared(t testing.TB, keeps func(affiliate.Account, affiliate.UID) bool) (s *store.Store, before affiliate.Millis) {
	t.Helper()
	now := time.Date(2026, 8, 8, 2, 0, 0, 0, time.UTC)
	s = Open(t, store.Options{AuditKey: AuditKey, Now: func() time.Time { return now }})
	random := rand.New(rand.NewPCG(5, 6))
	codes := []string{"ALPHA", "beta", ""}
	first := affiliate.NewDay(2026, time.May, 20)
	days := affiliate.Days{First: first, Last: first + 79}
	read := func(account affiliate.Account, days affiliate.Days, n int) {
		for _, product := range affiliate.Products()[:2] {
			var own []affiliate.Commission
			for range n {
				c := Record(0, affiliate.Number(fmt.Sprint(random.IntN(1000))))
				c.DealTime = At(days.First) + affiliate.Millis(random.Int64N(int64(days.Len())*24*3600*1000))
				c.Product, c.UID = product, affiliate.UID(fmt.Sprint(49317700+random.IntN(14)))
				c.Symbol, c.Coin = fmt.Sprintf("S%d", random.IntN(5)), affiliate.Coin([]string{"USDT", "BTC"}[random.IntN(2)])
				c.Fee, c.TakerAmount = affiliate.Number(fmt.Sprint(random.IntN(3))), affiliate.Number(fmt.Sprint(random.IntN(50)))
				if random.IntN(20) == 0 {
					c.Fee = ""
				}
				switch random.IntN(8) {
				case 0:
					c.Symbol = "OWN" + string(c.UID)
				case 1:
					c.Coin = affiliate.Coin("COIN" + string(c.UID[6:])) // a coin of one invitee of each account
				}
				if keeps(account, c.UID) {
					own = append(own, c)
				}
			}
			now = now.Add(time.Minute) // whatever is stored, a reading has the same stamp
			if len(own) == 0 {
				continue
			}
			slice := Settled(days)
			slice.Account, slice.Stream.Product = account, product
			Replace(t, s, slice, own...)
		}
	}
	invite := func(account affiliate.Account, shift int) {
		slice := DaySlice(days)
		slice.Account, slice.Stream = account, affiliate.Stream{Kind: affiliate.Invitees}
		var list []affiliate.Invitee
		for n := range 12 { // two more are known from commission only
			i := affiliate.Invitee{UID: affiliate.UID(fmt.Sprint(49317700 + n)), InviteCode: codes[(n+shift)%3], RegisterTime: At(first + affiliate.Day(3*n))}
			if n%2 == 0 {
				i.FirstTrade = i.RegisterTime + 1000
			}
			if keeps(account, i.UID) {
				list = append(list, i)
			}
		}
		now = now.Add(time.Minute)
		if len(list) == 0 {
			return
		}
		if _, err := records.ReplaceInvitees(context.Background(), s, slice, list); err != nil {
			t.Fatal(err)
		}
	}
	for _, account := range []affiliate.Account{"main", "second"} {
		kept := false
		for n := range 14 {
			kept = kept || keeps(account, affiliate.UID(fmt.Sprint(49317700+n)))
		}
		if kept {
			Done(t, s.WantFrom(context.Background(), account, first))
		}
		invite(account, 0)
		read(account, days, 250)
	}
	before = affiliate.MillisOf(now) + 1000
	read("main", affiliate.Days{First: first + 30, Last: first + 40}, 60)
	invite("second", 1)
	return s, before
}
