package goals

import (
	"context"
	"fmt"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/dated"
)

// Key says which commission a goal is about. It is comparable, and at most one goal in
// force has it.
type Key struct {
	Month   affiliate.Day     // its first day
	Account affiliate.Account // empty: every account
	Coin    affiliate.Coin    // empty: all coins, converted
	Code    string            // invite code; empty: all
	Tag     string            // of invitees; empty: all
	Segment string            // name of a segment of invitees; empty: all
}

// Goal is what a month should bring.
type Goal struct {
	Key
	ID      int64            // a change gives a new one
	Amount  affiliate.Number // commission; positive
	Actor   string           // who set it
	Created affiliate.Millis
}

// Most is the maximum number of goals of one month.
const Most = 50

// String names the goal for the audit log, without its amount.
func (k Key) String() string {
	parts := []string{k.Month.Format("2006-01")}
	for _, part := range []struct{ name, value string }{
		{"", string(k.Coin)}, {"code ", k.Code}, {"tag ", k.Tag}, {"segment ", k.Segment}, {"account ", string(k.Account)},
	} {
		if part.value != "" {
			parts = append(parts, part.name+part.value)
		}
	}
	if k.Coin == "" {
		parts[0] += " all coins"
	}
	return strings.Join(parts, ", ")
}

// Table has the goals: by month, account, coin, code, tag and segment, those of everything first. One of
// the key of another, an unknown account and more than [Most] of a month are refused.
var Table = &dated.Table[Goal]{
	Name: "goals", Noun: "goal",
	Columns: []dated.Column[Goal]{
		dated.Day("month", func(g *Goal) *affiliate.Day { return &g.Month }),
		dated.Account(false, func(g *Goal) *affiliate.Account { return &g.Account }),
		dated.Text("coin", func(g *Goal) *affiliate.Coin { return &g.Coin }),
		dated.Text("code", func(g *Goal) *string { return &g.Code }),
		dated.Text("tag", func(g *Goal) *string { return &g.Tag }),
		dated.Text("segment", func(g *Goal) *string { return &g.Segment }),
		dated.Text("amount", func(g *Goal) *affiliate.Number { return &g.Amount }),
	},
	Stamp: func(g *Goal) dated.Stamp { return dated.Stamp{ID: &g.ID, Actor: &g.Actor, Created: &g.Created} },
	Order: `t.month, coalesce(a.name, ''), t.coin, t.code, t.tag, t.segment, t.id`,
	Check: check,
	Fits:  fits,
	Words: func(g, before *Goal) (object, detail string) {
		if detail = string(g.Amount); before != nil {
			detail += " instead of " + string(before.Amount)
		}
		return g.Key.String(), detail
	},
}

// List lists the goals of months that begin in a range of days, as known at an instant, where
// unknown means now.
func List(ctx context.Context, r *store.Tx, months affiliate.Days, at affiliate.Millis) ([]Goal, error) {
	var w store.Where
	w.Add(`t.month >= ? AND t.month <= ?`, store.DayText(months.First), store.DayText(months.Last))
	return Table.List(ctx, r, at, w)
}

func fits(ctx context.Context, tx *store.Tx, in *dated.Table[Goal], g, before *Goal) error {
	if before != nil {
		return nil
	}
	list, err := in.Same(ctx, tx, "month", store.DayText(g.Month))
	if err != nil {
		return err
	}
	for _, other := range list {
		if other.Key == g.Key {
			return store.RefuseAt("amount", "There is a goal for this already, of %s: change that one.", other.Amount)
		}
	}
	if len(list) >= Most {
		return store.Refuse("A month has at most %d goals: remove one first.", Most)
	}
	return nil
}

// Copy adds to a month the goals of another one, each with its line of the audit log, and
// returns how many it added. A goal whose key the month has already is left alone, so a form
// sent twice copies once.
func Copy(ctx context.Context, s *store.Store, from, to affiliate.Day, by audit.Line) (added int, err error) {
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		added = 0
		copied, err := Table.Same(ctx, tx, "month", store.DayText(from))
		if err != nil {
			return err
		}
		present, err := Table.Same(ctx, tx, "month", store.DayText(to))
		if err != nil {
			return err
		}
		taken := map[Key]bool{}
		for _, g := range present {
			taken[g.Key] = true
		}
		for _, g := range copied {
			if g.Month = to; taken[g.Key] {
				continue
			}
			if len(taken) >= Most {
				return store.Refuse("A month has at most %d goals: remove some first.", Most)
			}
			by.Detail = ", as in " + from.Format("2006-01")
			if _, err := Table.Insert(ctx, s, tx, stamp, g, nil, by); err != nil {
				return err
			}
			taken[g.Key] = true
			added++
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("copying the goals of a month: %w", err)
	}
	return added, nil
}

// check puts the amount into the form in which it is stored. One that is no positive number is refused.
func check(g *Goal) error {
	n, err := affiliate.ParseNumber(strings.TrimSpace(string(g.Amount)))
	switch {
	case err != nil:
		return store.RefuseAt("amount", "Give the amount in digits, with a point before decimals, such as 8000 or 0.25: at most 20 digits and 18 decimals.")
	case !n.Decimal().IsPositive():
		return store.RefuseAt("amount", "A goal is more than 0.")
	}
	g.Amount = n.Canonical()
	return nil
}
