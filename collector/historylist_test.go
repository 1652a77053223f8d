package collector_test

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator/account"
	"rebatedesk/store/payments"
	"rebatedesk/store/records"
)

// instant draws when a record is: mostly any time, often the first or last
// millisecond of a day, the days just outside included.
func (h *history) instant() affiliate.Millis {
	span := h.days.Range(time.UTC)
	now := affiliate.MillisOf(h.clock.now())
	any := func() affiliate.Millis {
		return affiliate.MillisOf(span.From) + affiliate.Millis(h.random.Int64N(int64(now-affiliate.MillisOf(span.From))))
	}
	border := affiliate.MillisOf(affiliate.DayOf(any().Time(), time.UTC).Start(time.UTC))
	switch h.random.IntN(20) {
	case 0:
		return border
	case 1:
		return border - 1
	case 2:
		return border + 1
	case 3:
		return now - affiliate.Millis(h.random.IntN(3))
	}
	return any()
}

// insert adds a record, now and then as a twin of another one, or many twins
// at once.
func (h *history) insert() {
	switch h.kind {
	case affiliate.Commissions:
		h.insertCommissions()
	case affiliate.Invitees:
		h.sim.InsertInvitee(affiliate.Invitee{UID: h.uid(1_000_000_000), RegisterTime: h.instant(), InviteCode: "a", KYC: "false"})
	case affiliate.SubAffiliates:
		// There is one record of a sub-affiliate, product and day.
		h.sim.InsertSubAffiliateDay(affiliate.SubAffiliateDay{UID: h.uid(1_000_000_000), Product: h.product(), Date: affiliate.DayOf(h.instant().Time(), time.UTC),
			TradingVolume: h.number(), NetTradingFee: h.number(), PaidCommission: h.number()})
	case affiliate.Transfers:
		t := account.Movement{At: int64(h.instant()), Coin: "USDT", From: account.SpotType, To: account.FundingType, Amount: h.number().Decimal()}
		for range h.fewTwins() {
			h.wallets().ReviseTransfers(func(all []account.Movement) []account.Movement { return placed(all, t, movementTime) })
		}
	default:
		b := account.BookedBill{ID: 1 + h.random.Int64N(1<<60), At: int64(h.instant()), Coin: "USDT", Business: "transfer_in",
			Delta: h.number().Decimal(), After: h.number().Decimal()}
		for range h.fewTwins() { // equal but for the id, of which there is only one each
			b.ID++
			h.wallets().ReviseBills(h.kind.Wallet(), func(all []account.BookedBill) []account.BookedBill { return placed(all, b, billTime) })
		}
	}
}

func billTime(b account.BookedBill) int64   { return b.At }
func movementTime(t account.Movement) int64 { return t.At }

// placed adds a record to a list in the order of time.
func placed[T any](all []T, added T, at func(T) int64) []T {
	i, _ := slices.BinarySearchFunc(all, at(added), func(record T, instant int64) int { return cmp.Compare(at(record), instant) })
	return slices.Insert(slices.Clone(all), i, added)
}

// taken takes one of the records away.
func taken[T any](r *rand.Rand, all []T) (one T, rest []T) {
	i := r.IntN(len(all))
	return all[i], slices.Delete(slices.Clone(all), i, i+1)
}

func (h *history) insertCommissions() {
	c := affiliate.Commission{DealTime: h.instant(), UID: h.uid(50), Product: h.product(), Symbol: "BTCUSDT", Source: affiliate.Direct, Coin: "USDT",
		TakerAmount: h.number(), MakerAmount: "0", Fee: h.number(), Rate: "0.1", Commission: h.number()}
	for range h.twins() {
		h.sim.Insert(c)
	}
}

// twins is how many equal records there are: one, seldom a few, and very seldom many. More of one
// instant than an answer holds cannot be told from records that hide others.
func (h *history) twins() int {
	switch n := h.random.IntN(5000); {
	case n == 0:
		return 40
	case n < 150:
		return 2 + h.random.IntN(4)
	}
	return 1
}

// fewTwins is how many equal bills or transfers there are: an exchange gives no more of one
// millisecond than a single answer holds.
func (h *history) fewTwins() int { return min(h.twins(), 6) }

func (h *history) uid(of int) affiliate.UID {
	return affiliate.UID(fmt.Sprint(4_000_000_000 + h.random.IntN(of)))
}

func (h *history) product() affiliate.Product {
	if h.random.IntN(12) == 0 {
		return affiliate.Futures
	}
	return affiliate.Spot
}

func (h *history) number() affiliate.Number {
	return affiliate.Number(fmt.Sprintf("%d.%d1", h.random.IntN(1000), h.random.IntN(1000)))
}

// anyOf draws one of the records.
func anyOf[T any](r *rand.Rand, records []T) T { return records[r.IntN(len(records))] }

// remove takes a record away. The exchange forgets no invitee.
func (h *history) remove() {
	switch h.kind {
	case affiliate.Commissions:
		h.sim.Remove(anyOf(h.random, h.sim.Ledger().Commissions))
	case affiliate.SubAffiliates:
		h.sim.RemoveSubAffiliateDay(anyOf(h.random, h.sim.Ledger().SubAffiliateDays))
	case affiliate.Transfers:
		h.wallets().ReviseTransfers(func(all []account.Movement) []account.Movement {
			_, rest := taken(h.random, all)
			return rest
		})
	case affiliate.SpotBills, affiliate.FundingBills:
		h.wallets().ReviseBills(h.kind.Wallet(), func(all []account.BookedBill) []account.BookedBill {
			_, rest := taken(h.random, all)
			return rest
		})
	}
}

// revise changes an amount of a record in its place, or its time.
func (h *history) revise() {
	switch h.kind {
	case affiliate.Commissions:
		revised, later := anyOf(h.random, h.sim.Ledger().Commissions), h.random.IntN(2) == 0
		h.sim.Revise(func(c affiliate.Commission) bool { return c == revised }, func(c *affiliate.Commission) {
			if c.Fee = h.number(); later {
				c.DealTime = h.instant()
			}
		})
	case affiliate.Invitees:
		h.sim.ReviseInvitee(anyOf(h.random, h.sim.Ledger().Invitees).UID, func(i *affiliate.Invitee) { i.KYC, i.LastTrade = "true", h.instant() })
	case affiliate.SubAffiliates:
		d := anyOf(h.random, h.sim.Ledger().SubAffiliateDays)
		h.sim.RemoveSubAffiliateDay(d)
		d.PaidCommission = h.number()
		h.sim.InsertSubAffiliateDay(d)
	case affiliate.Transfers:
		h.wallets().ReviseTransfers(func(all []account.Movement) []account.Movement {
			t, rest := taken(h.random, all)
			t.At, t.Amount = int64(h.instant()), h.number().Decimal()
			return placed(rest, t, movementTime)
		})
	default:
		h.wallets().ReviseBills(h.kind.Wallet(), func(all []account.BookedBill) []account.BookedBill {
			b, rest := taken(h.random, all)
			b.At, b.Delta = int64(h.instant()), h.number().Decimal()
			return placed(rest, b, billTime)
		})
	}
}

// equalsLedger compares what is stored of the days of the history with what
// the ledger has of them.
func (h *history) equalsLedger() {
	h.Helper()
	r, ctx := h.reader(), context.Background()
	defer r.Close()
	truth, span, now := h.sim.Ledger(), h.days.Range(time.UTC), affiliate.MillisOf(h.clock.now())
	switch h.kind {
	case affiliate.Commissions:
		rows := records.Commissions(ctx, r, records.CommissionFilter{Days: h.days}, records.CommissionOrder{Column: "time"}, 0, 0)
		stored := counted(h, rows, func(r records.CommissionRow) affiliate.Commission { return r.Commission.Key() })
		truth.Commissions = slices.DeleteFunc(truth.Commissions, func(c affiliate.Commission) bool { return !span.Contains(c.DealTime) })
		equal(h, "commissions", stored, countOf(truth.Commissions, affiliate.Commission.Key))
	case affiliate.SubAffiliates:
		rows := records.SubAffiliateDays(ctx, r, records.SubAffiliateFilter{Days: h.days})
		stored := counted(h, rows, func(r records.SubAffiliateRow) affiliate.SubAffiliateDay { return r.SubAffiliateDay.Key() })
		truth.SubAffiliateDays = slices.DeleteFunc(truth.SubAffiliateDays, func(d affiliate.SubAffiliateDay) bool { return !h.days.Contains(d.Date) })
		equal(h, "sub-affiliate days", stored, countOf(truth.SubAffiliateDays, affiliate.SubAffiliateDay.Key))
	case affiliate.Invitees:
		rows := records.Invitees(ctx, r, records.InviteeFilter{Registered: span})
		stored := counted(h, rows, func(r records.InviteeRow) affiliate.Invitee { return r.Invitee })
		truth.Invitees = slices.DeleteFunc(truth.Invitees, func(i affiliate.Invitee) bool { return !span.Contains(i.RegisterTime) })
		equal(h, "invitees", stored, countOf(truth.Invitees, func(i affiliate.Invitee) affiliate.Invitee { return i }))
	case affiliate.Transfers:
		stored := counted(h, payments.Transfers(ctx, r, payments.TransferFilter{Days: h.days}), func(r payments.TransferRow) affiliate.Transfer { return r.Transfer.Key() })
		truth.Transfers = slices.DeleteFunc(truth.Transfers, func(t affiliate.Transfer) bool { return !span.Contains(t.Time) || t.Time >= now })
		equal(h, "transfers", stored, countOf(truth.Transfers, affiliate.Transfer.Key))
	default:
		rows := payments.Bills(ctx, r, payments.BillFilter{Days: h.days, Wallet: h.kind.Wallet()})
		stored := counted(h, rows, func(r payments.BillRow) affiliate.Bill { return r.Bill.Key() })
		truth.Bills = slices.DeleteFunc(truth.Bills, func(b affiliate.Bill) bool {
			return b.Wallet != h.kind.Wallet() || !span.Contains(b.Created) || b.Created >= now
		})
		equal(h, "bills", stored, countOf(truth.Bills, affiliate.Bill.Key))
	}
}

// counted reads rows into a multiset.
func counted[R any, T comparable](t testing.TB, rows iter.Seq2[R, error], record func(R) T) count[T] {
	t.Helper()
	all := count[T]{}
	for row, err := range rows {
		if err != nil {
			t.Fatal(err)
		}
		all[record(row)]++
	}
	return all
}
