package costs

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/dated"
	"rebatedesk/store/records"
)

// Table has the costs. A cost that breaks a rule (see [Cost.Check]), one that contradicts another, and
// more than [Most] are refused. The caller writes a code as it is stored, and leaves out costs that its
// user may not see.
var Table = &dated.Table[Cost]{
	Name: "costs", Noun: "cost", Shown: true,
	Columns: []dated.Column[Cost]{
		dated.Text("scope", func(c *Cost) *Scope { return &c.Scope }),
		dated.Text("value", func(c *Cost) *string { return &c.Value }),
		dated.Derived("folded", func(c *Cost) any { return affiliate.Folded(c.Value) }),
		dated.Text("kind", func(c *Cost) *Kind { return &c.Kind }),
		dated.Text("amount", func(c *Cost) *affiliate.Number { return &c.Amount }),
		dated.Text("coin", func(c *Cost) *affiliate.Coin { return &c.Coin }),
		dated.Day("first_day", func(c *Cost) *affiliate.Day { return &c.First }),
		dated.DayOrNone("last_day", func(c *Cost) *affiliate.Day { return &c.Last }),
		dated.Text("note", func(c *Cost) *string { return &c.Note }),
	},
	Stamp: func(c *Cost) dated.Stamp { return dated.Stamp{ID: &c.ID, Actor: &c.Actor, Created: &c.Created} },
	Order: `t.created_ms, t.id`,
	Check: (*Cost).Check,
	Fits:  fits, Complete: spell,
	Words: func(c, before *Cost) (object, detail string) {
		if detail = c.String(); before != nil {
			detail += " instead of " + before.String()
		}
		return c.object(), detail
	},
}

// List lists the costs as known at an instant, where unknown means now: by scope, value and first
// day.
func List(ctx context.Context, r *store.Tx, at affiliate.Millis) ([]Cost, error) {
	return Table.List(ctx, r, at, store.Where{})
}

// spell gives a code the spelling that is stored of it then, as a cost may be older than the first
// invitee of its code.
func spell(ctx context.Context, r *store.Tx, at affiliate.Millis, list []Cost) error {
	codes, err := records.Codes(ctx, r, affiliate.Members{}, at)
	if err != nil {
		return fmt.Errorf("the codes that costs are for: %w", err)
	}
	for i := range list {
		if list[i].Scope == OfCode {
			list[i].Value = affiliate.Spelling(codes, list[i].Value)
		}
	}
	sort(list)
	return nil
}

func fits(ctx context.Context, tx *store.Tx, in *dated.Table[Cost], c, before *Cost) error {
	kept, err := in.List(ctx, tx, 0, store.Where{})
	if err != nil {
		return err
	}
	if before == nil && len(kept) >= Most {
		return in.Room(ctx, tx, Most)
	}
	other, ok := c.contradiction(kept)
	switch {
	case ok && before == nil:
		return store.RefuseAt("from", "The %s %s already has a cost of this kind on these days: %s. End that one first, choose other days, or remove it and give the sum of both.", other.Scope, other.Value, other)
	case ok:
		return store.RefuseAt("to", "The %s %s has a later cost of this kind: %s. Choose a last day before it.", other.Scope, other.Value, other)
	}
	return nil
}

// End sets the last day of a cost, see [dated.Table.Change]. A cost that falls due once cannot end; a
// last day before the first is a *[store.RuleError].
func End(ctx context.Context, s *store.Store, id int64, last affiliate.Day, by audit.Line) error {
	by.Action = "cost ended"
	return Table.Change(ctx, s, id, func(c *Cost) error {
		if c.Kind == Once {
			return store.RefuseAt("to", "A cost that falls due once has no last day: remove it if it was not spent.")
		}
		c.Last = last
		return nil
	}, by)
}
