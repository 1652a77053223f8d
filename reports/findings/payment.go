package findings

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/books"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/recent"
	"rebatedesk/store/outbox"
	stored "rebatedesk/store/payments"
)

var _ = register(Kind{
	Finding: Payment{},
	Check: &Check{Place: 120, Of: "missing payments", Find: findPayments,
		Said: "payments missing or too low, of all time; late, too high, made twice or for no period, of the last 30 days"},
	Alert: &Alert{
		Name: "payment", Place: 60, Title: "A payment is wrong",
		When:    "The exchange did not pay what it says was earned, paid less, paid late or paid twice. Lines that somebody has accepted are left out.",
		Help:    "the exchange does not pay what was earned, pays too little, late or twice",
		Coin:    coinHint,
		Lapses:  true, // a missing payment may arrive
		Words:   func(w *Watched) string { return "A payment" + w.ofCoin() + " is missing, too low, late or made twice" },
		Signals: func(ctx context.Context, w *Watched) ([]Signal, error) { return paymentSignals(ctx, w, toldStates) },
	},
	Events:   []Event{paymentEvent("payment.missing", 50, "A payment is missing", books.Missing), paymentEvent("payment.short", 40, "A payment is too low", books.Short)},
	Headline: paymentHeadline,
})

// paymentEvent is the event of one state of payments.
func paymentEvent(name string, place int, label string, state books.State) Event {
	return Event{Name: name, Place: place, Label: label, When: label + ".", Key: "payment|", State: "|" + string(state),
		Signals: func(ctx context.Context, w *Watched) ([]Signal, error) {
			return paymentSignals(ctx, w, []books.State{state})
		}}
}

// toldStates are the states of payments that an alert reports.
var toldStates = []books.State{books.Missing, books.Short, books.Late, books.Twice}

const (
	// A payment that is missing or short is an alert after paymentDays if paymentPercent of
	// what was due in the last [invitees.PresentDays] is outstanding, and at once from
	// paymentMuch on.
	paymentDays    = 7
	paymentPercent = 1
	paymentMuch    = 10
)

// Payment says that payments in one coin are not as they should be. Missing and short
// ones are found as long as nobody accepts them, others for thirty days.
type Payment struct {
	State    books.State
	Coin     affiliate.Coin
	Lines    int
	Disputed int                  // of them
	Restated int                  // of them those whose commission changed after it was paid
	Sum      decimal.Decimal      // what is lacking, or for the other states what was paid too much or late; not negative
	Grown    decimal.Decimal      // the part of Sum that the exchange added after it had paid
	Excess   decimal.Decimal      // of a missing or short sum: what was paid twice, too much or for no period in the coin, of all time
	Days     affiliate.Days       // UTC days on which their periods begin, or on which payments without a period arrived
	Oldest   payments.PaymentLine // the one that was due first
	Age      int                  // days since Oldest was due
	Share    figures.Ratio        // Sum in percent of what was earned and due in the last thirty days
	Worth    figures.Valuation    // of Sum
	matters  bool
}

// Severity of unpaid commission rises with its age and its share. All else is an information,
// but a sum that matters and was paid twice or too much is a warning: the exchange may take it
// back.
func (f Payment) Severity() Severity {
	unpaid := f.State == books.Missing || f.State == books.Short
	share := func(percent int64) bool {
		return f.Share.Known && f.Share.Percent.GreaterThanOrEqual(decimal.NewFromInt(percent))
	}
	switch {
	case !f.matters:
		return SeverityInfo
	case unpaid && (share(paymentMuch) || share(paymentPercent) && f.Age > paymentDays):
		return SeverityAlert
	case unpaid, f.State == books.Twice, f.State == books.Over:
		return SeverityWarning
	}
	return SeverityInfo
}

func (f Payment) stake(s *recent.Snapshot) stake { return stakeOf(s, f.Sum, f.Coin) }

var paymentTitles = map[books.State]string{
	books.Missing: " missing", books.Short: " too low", books.Late: " late", books.Twice: " made twice", books.Over: " too high", books.Unexplained: " for no period",
}

func (f Payment) words(a About) Statement {
	w := Statement{Title: phrase.Things(f.Lines, "payment") + " in " + string(f.Coin) + paymentTitles[f.State],
		Link: "See the payments", Href: a.within("/payments", f.Days, "coin", string(f.Coin), "state", string(f.State))}
	if f.Lines == 1 {
		w.Link, w.Href = "See the payment", payments.LineAddress(f.Oldest.Key(), a.Query.AsOf)
	}
	sum := phrase.Say(money(f.Sum, f.Coin), a.worth(f.Worth, false))
	switch f.State {
	case books.Missing:
		w.Text = phrase.Say(sum, " were earned and not paid")
	case books.Short:
		if w.Text = phrase.Say(sum, " less paid than earned"); f.Grown.Equal(f.Sum) {
			w.Title = phrase.Things(f.Lines, "payment") + " in " + string(f.Coin) + " lower than what was earned later"
			w.Text = phrase.Say(sum, " was added by the exchange after it had paid all that was earned then, and is not paid")
		} else if f.Grown.IsPositive() {
			w.Text = append(w.Text, phrase.Say("; "+phrase.Grown([]affiliate.Amount{money(f.Grown, f.Coin)}))...)
		}
	case books.Late:
		w.Text = phrase.Say(sum, " came after they were due")
	case books.Unexplained:
		w.Text = phrase.Say(sum, " arrived for no period of the payout rule")
	default:
		w.Text = phrase.Say(sum, " more paid than earned; the exchange may take it back")
	}
	if unpaid := f.State == books.Missing || f.State == books.Short; unpaid && f.Share.Known {
		w.Text = append(w.Text, phrase.Say(", of all time: as much as "+phrase.Percent(f.Share.Percent)+" of what was due in the last 30 days")...)
	}
	w.Text = append(w.Text, phrase.Say(". "+a.oldest(f))...)
	switch {
	case f.Restated == 0 || f.State == books.Short && f.Grown.IsPositive():
	case f.Lines == 1:
		w.Text = append(w.Text, phrase.Say(" "+phrase.PaymentRestated(f.Oldest.Line)+".")...)
	default:
		w.Text = append(w.Text, phrase.Say(" The exchange changed the commission of "+phrase.Count(f.Restated)+" of them after it had paid.")...)
	}
	if more := phrase.TooMuch([]affiliate.Amount{money(f.Excess, f.Coin)}); more != "" && (f.State == books.Missing || f.State == books.Short) {
		w.Text = append(w.Text, phrase.Say(" Of all time, "+more+".")...)
	}
	if f.Disputed > 0 {
		w.Text = append(w.Text, phrase.Say(" Disputed: "+phrase.Count(f.Disputed)+" of "+phrase.Count(f.Lines)+".")...)
	}
	return w
}

// oldest names the payment that was due first.
func (a About) oldest(f Payment) string {
	words, l := "The oldest is", &f.Oldest
	if f.Lines == 1 {
		words = "It is"
	}
	switch unpaid := f.State == books.Missing || f.State == books.Short; {
	case l.From == l.To:
		words += " of " + phrase.Clock(l.From.Time(), a.Zone)
	case unpaid && f.Age > 1:
		words += " for " + phrase.PaymentPeriod(l.From, l.To) + " (UTC), open for " + phrase.Things(f.Age, "day")
	case unpaid:
		words += " for " + phrase.PaymentPeriod(l.From, l.To) + " (UTC), due on " + phrase.Clock(l.Due.Time(), a.Zone)
	default:
		words += " for " + phrase.PaymentPeriod(l.From, l.To) + " (UTC)"
	}
	return words + a.of(l.Account) + "."
}

// findPayments checks the books of all time.
func findPayments(ctx context.Context, s *recent.Snapshot) ([]Finding, error) {
	q := *s.Snapshot
	q.Query = query.Query{Account: s.Account, AsOf: s.AsOf, Zone: s.Zone, Today: s.Today, Days: s.Last(invitees.PresentDays)}
	view, err := payments.MakeOverview(ctx, &q)
	if err != nil {
		return nil, err
	}
	var found []Finding
	for _, account := range s.Accounts {
		if n := view.Unruled[account]; n > 0 {
			found = append(found, Unruled{Account: account, Bills: n})
		}
	}
	for _, state := range payments.States() {
		byCoin := map[affiliate.Coin]*Payment{}
		var coins []affiliate.Coin
		for i := range view.Faults {
			line := &view.Faults[i]
			if line.State != state || !still(s, line) {
				continue
			}
			if byCoin[line.Coin] == nil {
				byCoin[line.Coin] = &Payment{State: state, Coin: line.Coin}
				coins = append(coins, line.Coin)
			}
			byCoin[line.Coin].add(line)
		}
		slices.Sort(coins)
		for _, coin := range coins {
			f := byCoin[coin]
			f.Age = f.Oldest.Age(view.Now)
			recent, all := balanceIn(view.InRange, coin), balanceIn(view.AllTime, coin)
			f.Share = figures.QuotientOf(f.Sum, recent.Earned.Decimal().Sub(recent.Pending.Decimal()))
			f.Excess = all.Excess.Decimal()
			f.Worth, f.matters = s.Prices.Worth(affiliate.Amount{Value: f.Sum, Coin: coin}), s.Matters(f.Sum, coin)
			found = append(found, *f)
		}
	}
	return found, nil
}

// still reports whether a line is to be found now.
func still(s *recent.Snapshot, line *payments.PaymentLine) bool {
	return line.State == books.Missing || line.State == books.Short || s.Days.Contains(affiliate.DayOf(line.Noticed().Time(), s.Zone))
}

// balanceIn returns the balance of a coin.
func balanceIn(balances []payments.CoinBalance, coin affiliate.Coin) (none payments.CoinBalance) {
	for i := range balances {
		if balances[i].Coin == coin {
			return balances[i]
		}
	}
	return none
}

func (f *Payment) add(line *payments.PaymentLine) {
	begins := affiliate.DayOf(line.From.Time(), time.UTC)
	if f.Lines == 0 {
		f.Days = affiliate.Days{First: begins, Last: begins}
	}
	f.Days = affiliate.Days{First: min(f.Days.First, begins), Last: max(f.Days.Last, begins)}
	if f.Lines == 0 || line.Due < f.Oldest.Due {
		f.Oldest = *line
	}
	f.Lines++
	if line.Verdict() == stored.Disputed {
		f.Disputed++
	}
	if restated := line.Restated(); restated.Cmp(new(affiliate.Sum)) != 0 {
		f.Restated++
	}
	grown := line.Grown()
	f.Grown = f.Grown.Add(grown.Decimal())
	sum := line.Difference()
	if line.State == books.Late {
		sum = line.Paid
	}
	f.Sum = f.Sum.Add(sum.Decimal().Abs())
}

// paymentSignals reports payments in some states. Those that came late or twice before the alert
// began are left out.
func paymentSignals(ctx context.Context, w *Watched, states []books.State) (found []Signal, err error) {
	view, err := shared(ctx, w, "payments", w.inCoin(w.whole().Days), payments.MakeOverview) // its findings are of all time
	for _, line := range view.Faults {
		over := (line.State == books.Late || line.State == books.Twice) && line.Noticed() <= w.Since
		if over || !slices.Contains(states, line.State) {
			continue
		}
		one := Signal{Key: paymentKey(line), Words: phrase.PaymentFault(line, false, w.Zone) + tooMuch(view, line), Page: payments.LineAddress(line.Key(), time.Time{}), Detail: paymentDetails(line)}
		if !slices.ContainsFunc(w.Known, func(f outbox.Fact) bool { return f.Key != one.Key && f.Message != 0 && tellsOf(f.Key, line) }) {
			found = append(found, one)
		}
	}
	return found, err
}

// tooMuch says after a line that is not paid in full what was paid too much in its coin.
func tooMuch(view payments.Overview, line payments.PaymentLine) string {
	unpaid, all := line.Unpaid(), balanceIn(view.AllTime, line.Coin)
	if unpaid.Cmp(new(affiliate.Sum)) > 0 {
		if words := phrase.TooMuch([]affiliate.Amount{{Value: all.Excess.Decimal(), Coin: line.Coin}}); words != "" {
			return ". Of all time, " + words
		}
	}
	return ""
}

// paymentDetails are a line as programs get it.
func paymentDetails(l payments.PaymentLine) string {
	difference, restated := l.Difference(), l.Restated()
	return details("account", string(l.Account), "coin", string(l.Coin), "kind", string(l.Kind), "state", string(l.State), "period_from", l.From.String(), "period_to", l.To.String(),
		"earned", l.Earned.String(), "paid", l.Paid.String(), "difference", difference.String(), "restated", restated.String())
}

// paymentKey identifies a line in its state. A missing payment that comes late is two events.
func paymentKey(l payments.PaymentLine) string {
	return fmt.Sprintf("%s%s|%d|%d|%s", paymentsOf(l), l.Kind, l.From, l.To, l.State)
}

// paymentsOf is the start of the keys of an account and a coin.
func paymentsOf(l payments.PaymentLine) string {
	return fmt.Sprintf("payment|%s|%s|", l.Account, l.Coin)
}

// tellsOf reports whether a key is about a time that the line is about too, and the same
// state: the periods of another payout rule are not reported again.
func tellsOf(key string, l payments.PaymentLine) bool {
	text, ok := strings.CutPrefix(key, paymentsOf(l))
	parts := strings.Split(text, "|")
	if !ok || len(parts) != 4 {
		return false
	}
	from, err1 := strconv.ParseInt(parts[1], 10, 64)
	to, err2 := strconv.ParseInt(parts[2], 10, 64)
	kind := books.Kind(parts[0])
	return err1 == nil && err2 == nil && parts[3] == string(l.State) && (kind == l.Kind || kind == books.All || l.Kind == books.All) &&
		affiliate.Millis(from) < l.To && l.From < affiliate.Millis(to)
}

// paymentHeadline counts payments by what is wrong with them.
func paymentHeadline(_ *Watched, facts []outbox.Fact) string {
	words := map[books.State]string{books.Missing: "missing", books.Short: "too low", books.Late: "late", books.Twice: "made twice"}
	var parts []string
	for _, state := range toldStates {
		n := 0
		for _, f := range facts {
			if strings.HasSuffix(f.Key, "|"+string(state)) {
				n++
			}
		}
		switch {
		case n == 0:
		case len(parts) == 0:
			parts = append(parts, phrase.Things(n, "payment")+" "+words[state])
		default:
			parts = append(parts, phrase.Count(n)+" "+words[state])
		}
	}
	return strings.Join(parts, ", ")
}
