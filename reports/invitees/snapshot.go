package invitees

import (
	"context"
	"fmt"
	"iter"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// Snapshot lists every invitee that the exchange ever listed or that has commission
// records, with the figures that do not depend on days and filters.
type Snapshot struct {
	first affiliate.Day  // the oldest day with any data
	Lines []SnapshotLine // in no order
}

// SnapshotLine is one invitee of a snapshot.
type SnapshotLine struct {
	records.InviteeRow
	LastTradeDay affiliate.Day      // see [InviteeLine.LastTradeDay]
	UsualGap     figures.HalfDays   // see [InviteeLine.UsualGap]
	Ever         []figures.Totals   // all commission of the invitee, per coin
	absence      State              // silent or slowing by its usual gap; otherwise empty
	usual        []affiliate.Amount // see [SnapshotLine.risk]
}

// ReadSnapshot returns the snapshot that the query needs. Making one reads half a year of
// days, so all pages and orders of a list share one from the cache.
func ReadSnapshot(ctx context.Context, q *snapshot.Snapshot) (*Snapshot, error) {
	if q.UID != "" || q.AsOfMillis().Known() {
		return makeSnapshot(ctx, q, records.CommissionFilter{Account: q.Account, UID: q.UID, Members: q.Members, AsOf: q.AsOfMillis()})
	}
	return snapshot.Part(ctx, q, "snapshot", affiliate.DayOf(q.Now, q.Zone), func(ctx context.Context) (*Snapshot, error) {
		return makeSnapshot(ctx, q, records.CommissionFilter{Members: q.Members})
	})
}

// makeSnapshot reads the invitees of one account and UID, or all of them.
func makeSnapshot(ctx context.Context, q *snapshot.Snapshot, of records.CommissionFilter) (*Snapshot, error) {
	var r Snapshot
	var err error
	if r.first, err = sums.FirstDay(ctx, q.Tx, q.Today); err != nil {
		return nil, err
	}
	today := affiliate.DayOf(q.Now, q.Zone)
	of.Days = affiliate.Days{First: r.first, Last: today}
	ever, err := ReadTotals(ctx, q, of)
	if err != nil {
		return nil, err
	}
	listed := make(map[sums.InviteeKey]bool, len(ever))
	r.Lines = make([]SnapshotLine, 0, len(ever))
	known, err := invitees(ctx, q, records.InviteeFilter{Account: of.Account, UID: of.UID, Members: of.Members, AsOf: of.AsOf})
	if err != nil {
		return nil, err
	}
	for row, err := range known {
		if err != nil {
			return nil, err
		}
		key := sums.InviteeKey{Account: row.Account, UID: row.UID}
		r.Lines = append(r.Lines, SnapshotLine{InviteeRow: row, Ever: ever[key]})
		listed[key] = true
	}
	codes, err := q.InviteeCodes(ctx)
	if err != nil {
		return nil, err
	}
	for key, totals := range ever {
		if listed[key] {
			continue
		}
		code := codes.Of(key)
		row := records.InviteeRow{Invitee: affiliate.Invitee{UID: key.UID, InviteCode: code}, OurCode: code != "", Account: key.Account}
		r.Lines = append(r.Lines, SnapshotLine{InviteeRow: row, Ever: totals})
	}
	of.Days.First = today - RhythmDays + 1
	active, err := snapshot.OfDaysOnce(ctx, q, "activity of invitees", of, sums.ActivityOfInvitees, sums.JoinActivity)
	if err != nil {
		return nil, err
	}
	for i := range r.Lines {
		line := &r.Lines[i]
		own := active[sums.InviteeKey{Account: line.Account, UID: line.UID}]
		if err := rhythm(ctx, q, line, own.Days); err != nil {
			return nil, err
		}
		line.risk(own, today, q.InactivityLimit)
	}
	return &r, nil
}

// invitees yields the invitees of a filter. All of them as known now stay in the cache until
// one changes.
func invitees(ctx context.Context, q *snapshot.Snapshot, f records.InviteeFilter) (iter.Seq2[records.InviteeRow, error], error) {
	if f != (records.InviteeFilter{Members: f.Members}) {
		return records.Invitees(ctx, q.Tx, f), nil
	}
	changed, err := sums.LastInviteeChange(ctx, q.Tx)
	if err != nil {
		return nil, err
	}
	all, err := snapshot.Lasting(ctx, q, "invitees", f.Members, changed, func(ctx context.Context) (records.AllInvitees, error) {
		return records.ReadAllInvitees(ctx, q.Tx, f.Members)
	})
	if err != nil {
		return nil, err
	}
	return all.At(ctx, q.Tx), nil
}

// Every yields whom the exchange ever listed, as far as the query is limited to them,
// whatever its other filters. If it is about now, the list stays in the cache until an invitee
// changes.
func Every(ctx context.Context, q *snapshot.Snapshot) (iter.Seq2[records.InviteeRow, error], error) {
	return invitees(ctx, q, q.EveryInvitee())
}

// recordsOf returns the filter of all records of an invitee.
func recordsOf(q *snapshot.Snapshot, account affiliate.Account, uid affiliate.UID) records.CommissionFilter {
	return records.CommissionFilter{Account: account, UID: uid, Members: q.Members, AsOf: q.AsOfMillis()}
}

// rhythm adds when an invitee last traded and its usual gap. days are those of its trades.
func rhythm(ctx context.Context, q *snapshot.Snapshot, line *SnapshotLine, days []affiliate.Day) error {
	line.UsualGap = usualGap(days)
	if n := len(days); n > 0 {
		line.LastTradeDay = days[n-1]
	} else if len(line.Ever) > 0 {
		last, err := sums.LastCommission(ctx, q.Tx, recordsOf(q, line.Account, line.UID))
		if err != nil {
			return fmt.Errorf("the last trade of %s: %w", line.UID, err)
		}
		line.LastTradeDay = q.DayOf(last)
	}
	line.LastTradeDay = max(line.LastTradeDay, q.DayOf(line.LastTrade))
	return nil
}
