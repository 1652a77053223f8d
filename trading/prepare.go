package trading

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/orders"
)

// errBroken is returned to the waiting callers if the caller that did the work for them did
// not finish.
var errBroken = errors.New("sending broke off: look at the intent")

// Prepare checks a draft and stores it as an intent; nothing is sent. For a draft whose ID
// was prepared before, or is being prepared, it returns the resulting intent. The error is
// a *RefusedDraft if a rule stops the draft.
func (d *Desk) Prepare(ctx context.Context, by Requester, draft Draft) (Intent, error) {
	if draft.ID == "" {
		draft.ID = NewID()
	}
	ctx = context.WithoutCancel(ctx) // others may wait for the same result
	in, err := d.forms.do(draft.ID, func() (Intent, error) {
		in, _, err := d.prepare(ctx, by, draft)
		return in, err
	})
	if err == nil {
		err = isAgain(draft, in, by)
	}
	if err != nil {
		return Intent{}, err
	}
	return in, nil
}

// prepare also returns the flight check if the intent is new.
func (d *Desk) prepare(ctx context.Context, by Requester, draft Draft) (Intent, *Flight, error) {
	if !idForm.MatchString(draft.ID) {
		return Intent{}, nil, refusal(draft, RuleForm, "This form has no number: open a new one.")
	}
	switch first, err := d.Intent(ctx, draft.ID); {
	case err == nil:
		return first, nil, nil
	case !errors.Is(err, ErrNoIntent):
		return Intent{}, nil, err
	}
	flight := d.Check(ctx, draft)
	if !flight.Clear() {
		// The order that forbids it may be this very form, sent by another process
		// since the first look.
		if first, err := d.Intent(ctx, draft.ID); !errors.Is(err, ErrNoIntent) {
			return first, nil, err
		}
		return Intent{}, nil, &RefusedDraft{flight}
	}
	in := flight.Draft.intent(by, draft.digest())
	line := by.line()
	line.Detail = recorded(in)
	living, err := d.live(ctx)
	if err != nil {
		return Intent{}, nil, err
	}
	kept, added, err := orders.AddIntent(living, d.o.Store, in, line)
	if rule, ok := errors.AsType[*store.RuleError](err); ok {
		return Intent{}, nil, refusal(draft, RuleFields, rule.Problem)
	}
	if err != nil || !added {
		return kept, nil, err
	}
	return kept, &flight, nil
}

// isAgain refuses a draft with the ID of a different draft.
func isAgain(draft Draft, first Intent, by Requester) error {
	if first.Typed == draft.digest() && first.Actor == by.Name {
		return nil
	}
	return refusal(draft, RuleForm, "This form was used already, for something else: open a new one.")
}

func refusal(draft Draft, rule Rule, why string) *RefusedDraft {
	return &RefusedDraft{Flight{Draft: draft, Lines: []FlightLine{{Rule: rule, Order: -1, Verdict: VerdictFail, Words: why}}}}
}

func (d Draft) intent(by Requester, typed string) Intent {
	return Intent{
		ID: d.ID, Account: d.Account, Kind: string(d.Kind), Pair: d.Pair, Source: string(d.Source), Again: d.Again,
		Typed: typed, Actor: by.Name, Via: by.Via, Orders: d.Orders,
	}
}

// draftOf returns the draft from which an intent was made, as it was checked.
func draftOf(in Intent) Draft {
	return Draft{
		ID: in.ID, Account: in.Account, Kind: IntentKind(in.Kind), Pair: in.Pair, Source: Channel(in.Source), Again: in.Again,
		Orders: slices.Clone(in.Orders),
	}
}

// Describe returns what an intent does, one sentence for each of its orders.
func Describe(in Intent) string {
	sentences := make([]string, len(in.Orders))
	for n, o := range in.Orders {
		sentences[n] = sentence(in, o)
	}
	return strings.Join(sentences, " ")
}

func sentence(in Intent, o Order) string {
	switch {
	case o.Side == "" && o.OrderID != "":
		return fmt.Sprintf("Cancel order %s of %s.", o.OrderID, affiliate.MarketPair(in.Pair))
	case o.Side == "":
		return fmt.Sprintf("Cancel order %s (its client order id) of %s.", o.ClientID, affiliate.MarketPair(in.Pair))
	}
	text := strings.ToUpper(o.Side[:1]) + o.Side[1:] + fmt.Sprintf(" %s of %s", grouped(o.Quantity), affiliate.MarketPair(in.Pair))
	switch {
	case o.TriggerPrice.Known():
		text += fmt.Sprintf(" (%s) when the price reaches %s, %s", actions[o.Action], grouped(o.TriggerPrice), matches[o.Match])
		if o.Match == "0" {
			text += fmt.Sprintf(" at %s", grouped(o.Price))
		}
	case o.Price.Known():
		text += fmt.Sprintf(" at %s, %s", grouped(o.Price), forces[o.Force])
	default:
		text += " at the market"
	}
	if o.Worth.Known() && o.Coin != "" {
		text += fmt.Sprintf(", worth up to %s %s", grouped(o.Worth), o.Coin)
	}
	return text + "."
}

func grouped(n affiliate.Number) string { return affiliate.Grouped(string(n)) }

// The values of 4.7 and 4.13 in words.
var (
	forces = map[string]string{
		"normal": "until it is cancelled", "postOnly": "as a maker only", "fok": "wholly and at once or not at all", "ioc": "what can be had at once",
	}
	actions = map[string]string{"1": "open long", "2": "open short", "3": "close long", "4": "close short"}
	matches = map[string]string{"0": "limit", "1": "at the market"}
)
