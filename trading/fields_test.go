package trading_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"rebatedesk/trading"
)

// typed says which fields of an order are typed by whoever drafts it; the desk writes the others. A
// field that is added to an order is added here, and to the changes of [TestSameOrder] if it is typed.
var typed = map[string]bool{
	"Side": true, "Type": true, "Force": true, "Price": true, "Quantity": true, "TriggerPrice": true,
	"Action": true, "Match": true, "Margin": true, "ClientID": true, "OrderID": true,

	"N": false, "Worth": false, "Coin": false,
	"State": false, "Status": false, "Code": false, "Message": false, "Class": false, "Rule": false, "At": false,
	"Verdict": false, "Reason": false, "DecidedBy": false, "Overridden": false,
}

// orderChange is a change of one field of an order.
type orderChange struct {
	field  string
	change func(*trading.Order)
	other  bool // it makes another order, which is no repetition of the first
}

// An order repeats one that was just sent unless its side, type, action, quantity or one of its
// prices differs. Another force, match or margin mode, or another spelling of a number, is none.
func TestSameOrder(t *testing.T) {
	t.Parallel()
	id := func(o *trading.Order) { o.ClientID, o.OrderID = "typed", "1" }
	kinds := map[string]struct {
		draft   func(*fixture) trading.Draft
		changes []orderChange
	}{
		"limit": {(*fixture).limit, []orderChange{
			{"Side", func(o *trading.Order) { o.Side = "sell" }, true},
			{"Type", func(o *trading.Order) { o.Type = "market" }, true},
			{"Price", func(o *trading.Order) { o.Price = "70000" }, true},
			{"Price", func(o *trading.Order) { o.Price += "0" }, false},
			{"Quantity", func(o *trading.Order) { o.Quantity = "0.02" }, true},
			{"Quantity", func(o *trading.Order) { o.Quantity = "0.0100" }, false},
			{"Force", func(o *trading.Order) { o.Force = "postOnly" }, false},
			{"ClientID", id, false}, {"OrderID", id, false},
		}},
		"trigger": {(*fixture).trigger, []orderChange{
			{"Action", func(o *trading.Order) { o.Action = "4" }, true}, // buys as well
			{"Price", func(o *trading.Order) { o.Price = "1001" }, true},
			{"TriggerPrice", func(o *trading.Order) { o.TriggerPrice = "1001" }, true},
			{"TriggerPrice", func(o *trading.Order) { o.TriggerPrice = "1000.0" }, false},
			{"Quantity", func(o *trading.Order) { o.Quantity = "0.02" }, true},
			{"Match", func(o *trading.Order) { o.Match = "1" }, false},
			{"Margin", func(o *trading.Order) { o.Margin = 3 }, false},
		}},
	}
	changed := map[string]bool{}
	for name, kind := range kinds {
		f := openFixture(t, nil)
		f.place(kind.draft(f))
		if !f.repeats(kind.draft(f)) {
			t.Errorf("%s: the same order is no repetition", name)
		}
		for _, c := range kind.changes {
			changed[c.field] = true
			draft := kind.draft(f)
			c.change(&draft.Orders[0])
			if got := f.repeats(draft); got == c.other {
				t.Errorf("%s of another %s: a repetition: %v, want %v", name, c.field, got, !c.other)
			}
		}
	}
	f := openFixture(t, nil)
	batch := f.batch()
	if f.repeats(batch) {
		t.Error("orders of different prices in one list are repetitions")
	}
	if batch.Orders[2] = batch.Orders[1]; !f.repeats(batch) {
		t.Error("an order that stands in the list twice is no repetition")
	}
	for field, yes := range typed {
		if yes && !changed[field] {
			t.Errorf("no order of another %s", field)
		}
	}
}

// repeats reports whether a draft is stopped as a repetition.
func (f *fixture) repeats(draft trading.Draft) bool {
	f.Helper()
	return f.breaks(draft, trading.RuleDuplicate)
}

// breaks reports whether a draft breaks a rule, and requires that the rule was checked.
func (f *fixture) breaks(draft trading.Draft, rule trading.Rule) bool {
	f.Helper()
	flight := f.desk.Check(context.Background(), draft)
	for _, line := range flight.Lines {
		if line.Rule == rule {
			return line.Verdict != trading.VerdictPass
		}
	}
	f.Fatalf("%q of %+v was not checked: %+v", rule, draft.Orders, flight.Stops())
	return false
}

// A form that was used for a draft is refused for every other one, whichever field differs, and
// to another user.
func TestFormOfAnotherDraft(t *testing.T) {
	t.Parallel()
	f := openFixture(t, nil)
	draft := f.limit()
	draft.ID = trading.NewID()
	first := f.prepare(draft)
	refused := func(what string, draft trading.Draft, by trading.Requester, want bool) {
		t.Helper()
		in, err := f.desk.Prepare(context.Background(), by, draft)
		refusal, ok := errors.AsType[*trading.RefusedDraft](err)
		switch {
		case ok != want, !ok && err != nil:
			t.Errorf("%s: refused %v, want %v: %v", what, ok, want, err)
		case ok && refusal.Flight.Stops()[0].Rule != trading.RuleForm:
			t.Errorf("%s: %+v", what, refusal.Flight.Stops())
		case !ok && !reflect.DeepEqual(in, first):
			t.Errorf("%s: %+v, want %+v", what, in, first)
		}
	}
	refused("the same draft", draft, trader, false)
	other := trader
	other.Name = "ann"
	refused("another user", draft, other, true)

	fields := reflect.TypeFor[trading.Order]()
	if fields.NumField() != len(typed) {
		t.Errorf("an order has %d fields, and %d are known here", fields.NumField(), len(typed))
	}
	for i := range fields.NumField() {
		changed := draft
		changed.Orders = []trading.Order{draft.Orders[0]}
		another(t, reflect.ValueOf(&changed.Orders[0]).Elem().Field(i))
		refused("another "+fields.Field(i).Name, changed, trader, typed[fields.Field(i).Name])
	}
	for i := range reflect.TypeFor[trading.Draft]().NumField() {
		field := reflect.TypeFor[trading.Draft]().Field(i).Name
		changed := draft
		switch field {
		case "ID":
			continue
		case "Orders":
			changed.Orders = append(changed.Orders[:1:1], changed.Orders[0])
		default:
			another(t, reflect.ValueOf(&changed).Elem().Field(i))
		}
		refused("another "+field, changed, trader, true)
	}
}

// another changes a value to a different one.
func another(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "1")
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Bool:
		v.SetBool(!v.Bool())
	default:
		t.Fatalf("a field is of type %s", v.Type())
	}
}

// The exchange receives each field of an order as it was drafted.
func TestFieldsThatAreSent(t *testing.T) {
	t.Parallel()
	f := openFixture(t, nil)
	batch := f.batch()
	batch.Orders = batch.Orders[1:]
	batch.Orders[1].Side, batch.Orders[1].Price, batch.Orders[1].Quantity, batch.Orders[1].Force = "sell", f.price(104), "0.03", "postOnly"
	trigger := f.trigger()
	trigger.Orders[0] = trading.Order{Action: "3", Match: "1", Price: "1001", TriggerPrice: "1002", Quantity: "0.04", Margin: 3}
	var want, got []trading.Order
	for _, draft := range []trading.Draft{f.limit(), batch, trigger} {
		for n, o := range f.place(draft).Orders {
			drafted := draft.Orders[n]
			drafted.ClientID, drafted.OrderID = o.ClientID, o.OrderID
			want = append(want, drafted)
		}
	}
	l := f.sim.Ledger()
	for _, o := range l.Orders {
		got = append(got, trading.Order{
			Side: o.Side, Type: o.Type, Force: o.Force, Price: o.Price, Quantity: o.Quantity, ClientID: o.ClientOrderID, OrderID: o.ID,
		})
	}
	for _, o := range l.TriggerOrders {
		got = append(got, trading.Order{
			Price: o.ExecutePrice, Quantity: o.Size, TriggerPrice: o.TriggerPrice,
			Action: o.Type, Match: o.MatchType, Margin: o.MarginMode, ClientID: o.ClientID, OrderID: o.ID,
		})
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the exchange has\n%+v, want\n%+v", got, want)
	}
}
