package segments

import (
	"context"
	"errors"
	"maps"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/people"
	"rebatedesk/store/records"
	stored "rebatedesk/store/segments"
)

// Report lists the segments in use.
type Report struct {
	Query    query.Query
	Days     affiliate.Days // of the commission: the last [invitees.PresentDays]
	Segments []Line
	Choices
}

// Line is a segment with its members as of now.
type Line struct {
	stored.Segment
	Definition Definition
	Hidden     bool   // the definition is another user's, and can name others than the reader sees
	Problem    string // why the members cannot be found; empty if they can
	Members    int
	Uses       stored.Uses      // what names it; nothing for who sees some invitees only
	Recent     []figures.Totals // of the members in the days of the report, per coin, most records first
}

// Choices are the values that conditions offer.
type Choices struct {
	Accounts []affiliate.Account
	Coins    []affiliate.Coin
	Codes    []string
	Tags     []string
	Owners   []string
}

// Make makes the report for a reader. Who is bound to some invitees sees the segments
// that have any of them, and those made by the reader.
func Make(ctx context.Context, q *snapshot.Snapshot, reader string) (Report, error) {
	today := affiliate.DayOf(q.Now, q.Zone)
	view := Report{Query: q.Query, Days: affiliate.Days{First: today - invitees.PresentDays + 1, Last: today}}
	list, err := stored.List(ctx, q.Tx)
	if err != nil {
		return view, err
	}
	f := records.CommissionFilter{Days: view.Days, Members: q.Visible, AsOf: q.AsOfMillis()}
	everybody := *q
	everybody.Members = q.Visible
	recent, err := invitees.ReadTotals(ctx, &everybody, f)
	if err != nil {
		return view, err
	}
	uses, err := usesOf(ctx, q)
	if err != nil {
		return view, err
	}
	for _, s := range list {
		line := Line{Segment: s, Uses: uses[affiliate.Folded(s.Name)]}
		own := !q.Visible.Limited() || s.Maker == reader
		line.Hidden = !own
		members, err := line.read(ctx, q)
		if err != nil {
			return view, err
		}
		line.Members = members.Count()
		if !own && line.Members == 0 {
			continue
		}
		if line.Hidden {
			line.Segment.Definition, line.Definition, line.Problem = "", Definition{}, ""
		}
		totals := figures.CoinTotals{}
		for key, of := range recent {
			if members.Has(key.Account, key.UID) {
				totals.Add(of)
			}
		}
		line.Recent = totals.Totals()
		view.Segments = append(view.Segments, line)
	}
	view.Choices, err = ReadChoices(ctx, q)
	return view, err
}

// usesOf returns what names each segment. Mails, goals and views are others' matters to those who
// see some invitees only.
func usesOf(ctx context.Context, q *snapshot.Snapshot) (map[string]stored.Uses, error) {
	if q.Visible.Limited() {
		return nil, nil
	}
	return stored.UsesOf(ctx, q.Tx)
}

// UsesNow returns what names a segment.
func UsesNow(ctx context.Context, q *snapshot.Snapshot, name string) (stored.Uses, error) {
	uses, err := usesOf(ctx, q)
	return uses[affiliate.Folded(name)], err
}

// read reads the definition and returns the members. A definition that can no longer be read is
// the problem of the line.
func (l *Line) read(ctx context.Context, q *snapshot.Snapshot) (affiliate.Members, error) {
	nobody := affiliate.MembersOf(nil, nil)
	definition, err := Checked(ctx, q, l.Segment.Definition)
	if wrong, ok := errors.AsType[*query.ParamError](err); ok {
		l.Problem = wrong.Error()
		return nobody, nil
	}
	if err != nil {
		return nobody, err
	}
	l.Definition = definition
	return MembersNow(ctx, q, l.Segment)
}

// ReadChoices returns the values that conditions offer.
func ReadChoices(ctx context.Context, q *snapshot.Snapshot) (c Choices, err error) {
	c.Accounts = q.Known
	if c.Coins, err = q.Coins(ctx); err != nil {
		return c, err
	}
	if c.Codes, err = q.Codes(ctx, q.Visible); err != nil {
		return c, err
	}
	tags, err := invitees.TagsInUse(ctx, q)
	for _, t := range tags {
		c.Tags = append(c.Tags, t.Tag)
	}
	if err != nil {
		return c, err
	}
	c.Owners, err = ownersInUse(ctx, q)
	return c, err
}

// ownersInUse lists the owners of the people the caller may see.
func ownersInUse(ctx context.Context, q *snapshot.Snapshot) ([]string, error) {
	owners, err := people.Owners(ctx, q.Tx, q.AsOfMillis())
	if err != nil || len(owners) == 0 {
		return nil, err
	}
	if q.Limited() {
		snapshot, err := invitees.ReadSnapshot(ctx, q)
		if err != nil {
			return nil, err
		}
		visible := map[affiliate.UID]string{}
		for _, line := range snapshot.Lines {
			visible[line.UID] = owners[line.UID]
		}
		owners = visible
	}
	list := slices.Sorted(maps.Values(owners))
	return slices.DeleteFunc(slices.Compact(list), func(owner string) bool { return owner == "" }), nil
}

// Counted returns how many members a definition has now.
func Counted(ctx context.Context, q *snapshot.Snapshot, d Definition) (int, error) {
	members, err := find(ctx, q, d)
	return members.Count(), err
}
