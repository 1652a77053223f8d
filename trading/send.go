package trading

import (
	"context"
	"errors"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
	"rebatedesk/internal/crashpoint"
	"rebatedesk/store/orders"
)

// ReviewAge is the maximum age of a review that is sent. Prices and rules are read again;
// the limit concerns what the user had in mind.
const ReviewAge = 10 * time.Minute

// Send checks an intent again and sends it once: every other call for the intent,
// simultaneous or later, returns the outcome. The states of its orders say what happened to
// them; the error concerns the desk itself: [ErrNoIntent], or the database. The caller's
// context may end meanwhile.
func (d *Desk) Send(ctx context.Context, by Requester, id string) (Intent, error) {
	ctx = context.WithoutCancel(ctx)
	return d.once.do(id, func() (Intent, error) {
		in, err := d.Intent(ctx, id)
		if err != nil || in.Orders[0].State != IntentDrafted {
			return in, err
		}
		flight := d.check(ctx, draftOf(in), true).Flight
		return d.fly(ctx, by, in, flight, nil)
	})
}

// Call sends the orders of an intent in a special way, once, and returns an outcome for
// each of them in their order. It passes the preflight on to the call.
type Call func(ctx context.Context, c *weex.Client, preflight weex.OrderOption) []weex.Outcome

// Submit prepares a draft and sends it by call, on one check: programs use it, because they
// have no review. The error is a *RefusedDraft if a rule stops the draft; if a rule stopped
// it later, its orders name the rule and call was not called. call must send what the draft
// says and nothing else.
func (d *Desk) Submit(ctx context.Context, by Requester, draft Draft, call Call) (Intent, error) {
	ctx = context.WithoutCancel(ctx)
	draft.ID = NewID()
	in, flight, err := d.prepare(ctx, by, draft)
	if err != nil {
		return Intent{}, err
	}
	return d.once.do(in.ID, func() (Intent, error) { return d.fly(ctx, by, in, *flight, call) })
}

// fly claims an intent, sends it and stores its outcome.
func (d *Desk) fly(ctx context.Context, by Requester, in Intent, flight Flight, call Call) (Intent, error) {
	line := by.line()
	line.Detail = recorded(in)
	living, err := d.live(ctx)
	if err != nil {
		return in, err
	}
	in, claimed, err := orders.ClaimIntent(living, d.o.Store, in.ID, d.exposureQuery(in.Account, in.Pair), line,
		func(in Intent, now orders.Exposure) orders.Claim { return d.decide(in, flight, now) })
	if err != nil || !claimed || in.Orders[0].State != IntentSending {
		return in, err
	}
	crashpoint.Pass(crashpoint.SendingCommitted)
	account, _ := d.o.Accounts(in.Account) // without an account the call reports that nothing was sent
	var rule Rule
	why := ""
	all := parts(in)
	for n, part := range all {
		outcomes := notSent(part, rule, why)
		if why == "" {
			outcomes = d.call(living, account.Sender, in, part, call)
		}
		rule, why = blockReason(outcomes)
		crashpoint.Pass(crashpoint.OrderAnswered)
		kept, err := d.record(ctx, by, in.ID, outcomes)
		if err != nil {
			for _, rest := range all[n+1:] {
				d.hold(by, in.ID, notSent(rest, RuleBlock, "What became of the orders before could not be written, so this one was not sent."))
			}
			return kept, err
		}
		in = kept
	}
	return in, nil
}

// decide decides whether an intent is sent, by its flight check and by the state of the
// desk in the transaction that claims it.
func (d *Desk) decide(in Intent, flight Flight, now orders.Exposure) orders.Claim {
	draft := draftOf(in)
	if flight.Draft.Orders != nil {
		draft.Orders = flight.Draft.Orders
	}
	f := Flight{Lines: slices.Concat(d.exposureLines(draft, now), flight.Stops(), d.tooLate(in, flight))}
	if stops := f.Stops(); len(stops) > 0 {
		return orders.Claim{State: IntentNotSent, Rule: string(stops[0].Rule), Message: words(stops)}
	}
	claim := orders.Claim{State: IntentSending}
	if d.o.Mode != Live {
		claim = orders.Claim{State: IntentDryRun, Message: "A dry run: nothing was sent."}
	}
	for _, o := range draft.Orders {
		claim.Worth = append(claim.Worth, o.Worth)
	}
	return claim
}

// tooLate returns the rules that fail because time has passed: since the review or, if the
// database delayed the order, since the prices of its check were read.
func (d *Desk) tooLate(in Intent, flight Flight) []FlightLine {
	line := FlightLine{Order: -1, Verdict: VerdictFail}
	switch now := d.o.Now(); {
	case now.Sub(in.Made.Time()) > ReviewAge:
		line.Rule, line.Words = RuleExpired, "The review is too old: check the order again."
	case draftOf(in).places() && now.Sub(flight.made) > maxTickerAge:
		line.Rule, line.Words = RuleTicker, "The order had to wait, and its price is too old by now: check it again."
	default:
		return nil
	}
	return []FlightLine{line}
}

// blockReason says why the remaining parts of an intent are not sent, empty if they are. If the exchange leaves one part in doubt, no further part is sent.
func blockReason(outcomes []Order) (Rule, string) {
	for _, o := range outcomes {
		switch o.State {
		case IntentUnknown:
			return RuleBlock, "What became of the orders before is unknown, so this one was not sent."
		case IntentNotSent:
			return Rule(o.Rule), "The orders before could not be sent, so this one was not: " + o.Message
		}
	}
	return "", ""
}

// tries is how often the desk tries to store an outcome at once if the database fails,
// while the sender waits.
const tries = 2

// record stores the outcomes of orders. If that fails, they stay in flight, which soon
// counts as unknown, until the database accepts the outcome.
func (d *Desk) record(ctx context.Context, by Requester, id string, placed []Order) (in Intent, err error) {
	for try := range tries {
		if in, err = orders.RecordOutcomes(ctx, d.o.Store, id, placed, by.line()); err == nil {
			return in, nil
		}
		d.o.Log.Error("what became of orders could not be written", "intent", id, "try", try+1, "error", err)
		time.Sleep(time.Duration(try) * 100 * time.Millisecond)
	}
	d.hold(by, id, placed)
	for _, o := range placed { // evidence in case the process ends before the outcome is stored
		d.o.Log.Error("an outcome that is not kept so far", "intent", id, "order", o.N, "client_order_id", o.ClientID, "state", o.State, "order_id", o.OrderID)
	}
	return Intent{}, errors.Join(errors.New("what became of the orders could not be written: they count as unknown until it is, which is tried again and again"), err)
}

// answered returns an order with what is known about it after a call.
func answered(o Order, got weex.Outcome) Order {
	o.State, o.Status, o.Code, o.Class = IntentState(got.State), got.Evidence.Status, got.Evidence.Code, string(got.Evidence.Class)
	o.Message, o.At = got.Evidence.Message, got.Evidence.At
	if got.OrderID != "" {
		o.OrderID = got.OrderID
	}
	return o
}

// notSent returns orders that a rule kept from being sent.
func notSent(orders []Order, rule Rule, why string) []Order {
	kept := make([]Order, len(orders))
	for i, o := range orders {
		o.State, o.Rule, o.Message = IntentNotSent, string(rule), why
		kept[i] = o
	}
	return kept
}

// inDoubt returns orders whose call gave no outcome for each of them.
func inDoubt(orders []Order, at time.Time) []Order {
	kept := make([]Order, len(orders))
	for i, o := range orders {
		o.State, o.Message, o.At = IntentUnknown, "The call came to no outcome.", affiliate.MillisOf(at)
		kept[i] = o
	}
	return kept
}
