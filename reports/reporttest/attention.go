package reporttest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/findings"
	"rebatedesk/store/outbox"
	"rebatedesk/store/payments"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// Watched is a fixture with a quiet programme: three invitees trade every day at the same
// rate, everything is collected, and a run has just ended. Each test adds the event that
// it is about.
type Watched struct {
	*Fixture
	Records []affiliate.Commission
}

func NewWatched(t testing.TB) *Watched {
	w := &Watched{Fixture: NewFixture(t, "UTC")}
	w.Want("main", Today-200)
	for uid := 1; uid <= 3; uid++ {
		w.Trades(uid, -200, 0, "10", "4")
	}
	return w
}

// Trades adds a record of an invitee on each of the days.
func (w *Watched) Trades(uid, first, last int, fee, commission affiliate.Number) {
	for day := Today + affiliate.Day(first); day <= Today+affiliate.Day(last); day++ {
		c := Trade(day, Spot, uid, commission)
		c.Fee = fee
		w.Records = append(w.Records, c)
	}
}

// Without removes the records of an invitee on the given days; 0 stands for all invitees.
func (w *Watched) Without(uid, first, last int) {
	kept := w.Records[:0]
	for _, r := range w.Records {
		day := affiliate.DayOf(r.DealTime.Time(), time.UTC)
		if Days(first, last).Contains(day) && (uid == 0 || r.UID == Trade(day, Spot, uid, "").UID) {
			continue
		}
		kept = append(kept, r)
	}
	w.Records = kept
}

// Collect writes the records, the empty streams and a run. It omits the missing days of
// spot.
func (w *Watched) Collect(missing ...affiliate.Days) {
	w.Helper()
	first := Days(-200, 0).First
	for _, gap := range missing {
		w.Read("main", Spot, affiliate.Days{First: first, Last: gap.First - 1}, within(w.Records, affiliate.Days{First: first, Last: gap.First - 1})...)
		first = gap.Last + 1
	}
	rest := affiliate.Days{First: first, Last: Today}
	w.Read("main", Spot, rest, within(w.Records, rest)...)
	w.Read("main", Futures, Days(-200, 0))
	w.ReadInvitees("main", Days(-200, 0))
	w.ReadWallets(Days(-200, 0))
	for _, product := range affiliate.Products() {
		s := w.Slice("main", affiliate.Stream{Kind: affiliate.SubAffiliates, Product: product}, Days(-200, 0))
		if _, err := records.ReplaceSubAffiliateDays(w.Context(), w.DB, s, nil); err != nil {
			w.Fatal(err)
		}
	}
	w.Run("")
}

func within(records []affiliate.Commission, span affiliate.Days) []affiliate.Commission {
	var list []affiliate.Commission
	for _, r := range records {
		if span.Contains(affiliate.DayOf(r.DealTime.Time(), time.UTC)) {
			list = append(list, r)
		}
	}
	return list
}

// Run logs a run of the collector with its error.
func (w *Watched) Run(cause string) {
	w.Helper()
	id, err := records.StartRun(w.Context(), w.DB, "main", "test")
	if err == nil {
		err = records.FinishRun(w.Context(), w.DB, id, 1, 1, cause)
	}
	if err != nil {
		w.Fatal(err)
	}
}

func (w *Watched) Look(query string) findings.Report {
	w.Helper()
	a, err := w.Attention(w.Context(), w.Ask(query))
	if err != nil {
		w.Fatal(err)
	}
	return a
}

// Signals returns what an alert finds now.
func (w *Watched) Signals(alert outbox.Subscription) []findings.Signal {
	w.Helper()
	list, err := findings.AlertKind(alert.Watches).Alert.Signals(w.Context(), &findings.Watched{Subscription: alert, Now: w.Now, Zone: time.UTC, Ask: w.With})
	if err != nil {
		w.Fatal(err)
	}
	return list
}

// EarnedMore is what a day earned in addition to 12 USDT.
func EarnedMore(day int) affiliate.Number { return affiliate.Number(fmt.Sprintf("0.%04d", 9+200+day)) }

// Earned is what a day earned, in USDT.
func Earned(day int) affiliate.Number { return "12" + EarnedMore(day)[1:] }

// Paid stores payments for the days of newPaid, each eight hours after the day, in the amounts
// of change where it has them.
func (w *Watched) Paid(change map[int][]affiliate.Number) {
	w.Helper()
	var bills []affiliate.Bill
	for day := -200; day < 0; day++ {
		amounts, ok := change[day]
		if !ok {
			amounts = []affiliate.Number{Earned(day)}
		}
		for n, amount := range amounts {
			at := affiliate.MillisOf((Today + affiliate.Day(day) + 1).Start(time.UTC).Add(8*time.Hour + time.Duration(n)*time.Minute))
			if at < affiliate.MillisOf(w.Now) {
				bills = append(bills, affiliate.Bill{Wallet: affiliate.SpotWallet, ID: fmt.Sprint(day, n), Coin: "USDT", Business: "rr_agent_reward", Amount: amount, Balance: "1", Created: at})
			}
		}
	}
	slice := w.Slice("main", affiliate.Stream{Kind: affiliate.SpotBills}, Days(-200, 0))
	if _, err := payments.ReplaceBills(w.Context(), w.DB, slice, bills); err != nil {
		w.Fatal(err)
	}
}

// ReadWallets stores empty readings of bills and transfers, without those of the given kinds.
func (d *Fixture) ReadWallets(span affiliate.Days, without ...affiliate.StreamKind) {
	d.Helper()
	for _, stream := range affiliate.Streams() {
		if stream.Kind.Money() && !slices.Contains(without, stream.Kind) {
			storetest.ReadWallet(d, d.DB, d.Slice("main", stream, span))
		}
	}
}

// Refuse stores that the exchange gives a stream of main from a day on; 0 = not at all.
func (d *Fixture) Refuse(kind affiliate.StreamKind, first affiliate.Day) {
	d.Helper()
	refused := payments.Refusal{Account: "main", Stream: kind, Error: "40014: no permission", FirstDay: first}
	if _, err := payments.NoteRefusal(d.Context(), d.DB, refused); err != nil {
		d.Fatal(err)
	}
}
