package trading

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"rebatedesk/exchange/weex"
	"rebatedesk/internal/guard"
)

// parts divides the orders of an intent among calls: cancelling all orders of a pair takes
// one call per 50 orders, everything else one call.
func parts(in Intent) [][]Order {
	return slices.Collect(slices.Chunk(in.Orders, MaxOrders))
}

// call makes one call for some orders of an intent. It checks immediately before whether
// sending is stopped, and again when the call gets its turn, which can be seconds later.
func (d *Desk) call(ctx context.Context, c *weex.Client, in Intent, part []Order, call Call) (outcomes []Order) {
	if why := d.stopped(ctx); why != "" {
		return notSent(part, RuleKill, why)
	}
	if c == nil {
		return notSent(part, RuleKey, "The account has no trading key.")
	}
	ctx, cancel := context.WithTimeout(ctx, d.o.Patience)
	defer cancel()
	outcomes = inDoubt(part, d.o.Now())
	if call == nil {
		call = usual(in, part)
	}
	stopped := ""
	// The order may have left despite a panic, so its outcome stays in doubt.
	_ = guard.Do(d.o.Log, fmt.Sprintf("sending intent %s", in.ID), func() error {
		got := call(ctx, c, weex.WithPreflight(func(ctx context.Context) error {
			if stopped = d.stopped(ctx); stopped != "" {
				return errors.New(stopped)
			}
			return nil
		}))
		if len(got) != len(part) {
			return nil
		}
		for i := range part {
			outcomes[i] = answered(part[i], got[i])
			if stopped != "" && outcomes[i].State == IntentNotSent {
				outcomes[i].Rule, outcomes[i].Message = string(RuleKill), stopped
			}
		}
		return nil
	})
	return outcomes
}

// usual is the call that an intent of the pages makes.
func usual(in Intent, part []Order) Call {
	return func(ctx context.Context, c *weex.Client, preflight weex.OrderOption) []weex.Outcome {
		one := part[0]
		switch IntentKind(in.Kind) {
		case Place:
			return []weex.Outcome{c.PlaceOrder(ctx, in.Pair, newOrder(one), preflight)}
		case PlaceBatch:
			orders := make([]weex.NewOrder, len(part))
			for i, o := range part {
				orders[i] = newOrder(o)
			}
			return c.PlaceOrders(ctx, in.Pair, orders, preflight)
		case Cancel:
			return []weex.Outcome{c.CancelOrder(ctx, in.Pair, weex.OrderRef{OrderID: one.OrderID, ClientOrderID: one.ClientID}, preflight)}
		case CancelSome, CancelAll:
			return c.CancelOrders(ctx, in.Pair, refs(part), preflight)
		case Trigger:
			return []weex.Outcome{c.PlaceTrigger(ctx, trigger(in.Pair, one), preflight)}
		}
		return nil
	}
}

func newOrder(o Order) weex.NewOrder {
	return weex.NewOrder{
		Side: weex.Side(o.Side), Type: weex.OrderType(o.Type), Force: weex.Force(o.Force),
		Price: o.Price, Quantity: o.Quantity, ClientOrderID: o.ClientID,
	}
}

func trigger(pair string, o Order) weex.TriggerOrder {
	return weex.TriggerOrder{
		Symbol: pair, ClientOID: o.ClientID, Size: o.Quantity, Type: weex.Action(o.Action), MatchType: weex.Match(o.Match),
		ExecutePrice: o.Price, TriggerPrice: o.TriggerPrice, MarginMode: weex.MarginMode(o.Margin),
	}
}

func refs(part []Order) (refs weex.OrderRefs) {
	for _, o := range part {
		if o.OrderID != "" {
			refs.OrderIDs = append(refs.OrderIDs, o.OrderID)
		} else {
			refs.ClientOrderIDs = append(refs.ClientOrderIDs, o.ClientID)
		}
	}
	return refs
}
