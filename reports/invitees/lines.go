package invitees

import (
	"context"
	"iter"
	"maps"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/people"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// inviteeLines returns the invitees of the query in no order, whatever their state, and the
// compared period if one was requested.
func inviteeLines(ctx context.Context, q *snapshot.Snapshot, snapshot *Snapshot) ([]ListLine, error) {
	brought, err := ReadBrought(ctx, q, snapshot)
	if err != nil {
		return nil, err
	}
	risks, err := ReadRisks(ctx, q, snapshot)
	if err != nil {
		return nil, err
	}
	listed, err := Listed(ctx, q, snapshot)
	if err != nil {
		return nil, err
	}
	lines := make([]ListLine, 0, len(snapshot.Lines))
	for entry := range listed {
		line := inviteeLine(q, entry, risks)
		brought.fill(&line)
		lines = append(lines, line)
	}
	return lines, nil
}

// Listed yields the invitees of a snapshot that the query covers, whatever their state.
func Listed(ctx context.Context, q *snapshot.Snapshot, snapshot *Snapshot) (iter.Seq[*SnapshotLine], error) {
	tagged, err := tagged(ctx, q)
	return func(yield func(*SnapshotLine) bool) {
		for i := range snapshot.Lines {
			entry := &snapshot.Lines[i]
			if !lists(q, entry) || tagged != nil && !tagged[entry.UID] {
				continue
			}
			if !yield(entry) {
				return
			}
		}
	}, err
}

// State returns the state of an invitee at the time of the question.
func (l *SnapshotLine) State(q *snapshot.Snapshot) State {
	return stateOf(tradingDays{registered: q.DayOf(l.RegisterTime), firstTrade: q.DayOf(l.FirstTrade), lastTrade: l.LastTradeDay, usualGap: l.UsualGap},
		affiliate.DayOf(q.Now, q.Zone))
}

// Absence returns whether an invitee with a known usual gap is silent or slowing; empty if neither.
func (l *SnapshotLine) Absence() State { return l.absence }

// inviteeLine returns the part of a line that does not depend on the range.
func inviteeLine(q *snapshot.Snapshot, entry *SnapshotLine, risks risks) ListLine {
	today := affiliate.DayOf(q.Now, q.Zone)
	line := ListLine{Invitee: entry.Invitee, OurCode: entry.OurCode, Account: entry.Account, Status: entry.Status(q.Now),
		FirstSeen: entry.FirstSeen, LastSeen: entry.LastSeen, Vanished: entry.Vanished,
		LastTradeDay: entry.LastTradeDay, UsualGap: entry.UsualGap, AtRisk: risks.Of(entry), Lifetime: entry.Ever}
	line.risky = risks.matter(line.AtRisk)
	if line.LastTradeDay != 0 {
		line.SilentDays = max(0, int(today-line.LastTradeDay))
	}
	line.State = entry.State(q)
	return line
}

// tagged returns the invitees with the requested tag, or nil if no tag is requested.
func tagged(ctx context.Context, q *snapshot.Snapshot) (map[affiliate.UID]bool, error) {
	if q.Tag == "" {
		return nil, nil
	}
	return people.Tagged(ctx, q.Whole(), q.Tag)
}

// Brought holds the totals of invitees under the filters of the query, by invitee.
type Brought struct {
	InRange  TotalsByInvitee
	Lifetime TotalsByInvitee // nil: the totals of all time
	Before   TotalsByInvitee // in the compared period
}

// ReadBrought reads the totals of invitees.
func ReadBrought(ctx context.Context, q *snapshot.Snapshot, snapshot *Snapshot) (f Brought, err error) {
	narrow := q.Filter()
	narrow.Code, narrow.Text = "", "" // these decide who is listed, not which records count
	if f.InRange, err = ReadTotals(ctx, q, narrow); err != nil {
		return f, err
	}
	if days, asked := q.Compare.Days(q.Days); asked {
		narrow.Days = days
		if f.Before, err = ReadTotals(ctx, q, narrow); err != nil {
			return f, err
		}
	}
	if q.Product == "" && q.Coin == "" && q.Symbol == "" && q.Source == "" {
		return f, nil
	}
	narrow.Days = affiliate.Days{First: snapshot.first, Last: affiliate.DayOf(q.Now, q.Zone)}
	f.Lifetime, err = ReadTotals(ctx, q, narrow)
	return f, err
}

// fill adds the totals of an invitee to its line.
func (f *Brought) fill(line *ListLine) {
	key := sums.InviteeKey{Account: line.Account, UID: line.UID}
	line.InRange, line.Before = f.InRange[key], f.Before[key]
	if f.Lifetime != nil {
		line.Lifetime = f.Lifetime[key]
	}
}

// TotalsByInvitee has the totals of each invitee, per coin, most records first.
type TotalsByInvitee map[sums.InviteeKey][]figures.Totals

// ReadTotals adds up the records of a filter by invitee and coin. All reports of invitees
// get their sums here. The map is shared with other queries and must not be changed.
func ReadTotals(ctx context.Context, q *snapshot.Snapshot, f records.CommissionFilter) (TotalsByInvitee, error) {
	return snapshot.OfDays(ctx, q, "totals of invitees", f, sums.FiguresOfInvitees, totalsOf)
}

// totalsOf returns the totals over all parts, which are of different days.
func totalsOf(parts ...sums.InviteeFigures) TotalsByInvitee {
	totals := make(TotalsByInvitee, len(parts[0]))
	sums.EachInvitee(parts, func(key sums.InviteeKey, coins []sums.CoinFigures) {
		list := make([]figures.Totals, len(coins))
		for i, c := range coins {
			list[i] = figures.Totals{Coin: c.Coin, Records: c.Records, Summed: affiliate.MapSummed(&c.Summed, (*affiliate.Sum).Decimal)}
		}
		slices.SortFunc(list, figures.MostRecords)
		totals[key] = list
	})
	return totals
}

// TagsInUse lists the tags in use among the invitees the caller may see, with how many
// of them have each.
func TagsInUse(ctx context.Context, q *snapshot.Snapshot) (list []people.TagCount, err error) {
	if !q.Limited() {
		return people.Tags(ctx, q.Tx)
	}
	snapshot, err := ReadSnapshot(ctx, q)
	if err != nil {
		return nil, err
	}
	all, err := people.TagsByUID(ctx, q.Tx)
	if err != nil {
		return nil, err
	}
	counts, seen := map[string]int64{}, map[affiliate.UID]bool{}
	for _, line := range snapshot.Lines {
		if seen[line.UID] {
			continue // also an invitee of another account
		}
		seen[line.UID] = true
		for _, tag := range all[line.UID] {
			counts[tag]++
		}
	}
	for _, tag := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, people.TagCount{Tag: tag, Invitees: counts[tag]})
	}
	return list, nil
}
