package reports

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// roster is everybody the exchange ever listed or commission is of, with what
// does not depend on the days and filters of a question.
type roster struct {
	first affiliate.Day // the oldest day there is anything about
	lines []rosterLine  // in no order
}

// rosterLine is one of them.
type rosterLine struct {
	records.InviteeRow
	lastTrade affiliate.Day      // see [InviteeLine.LastTradeDay]
	usualGap  HalfDays           // see [InviteeLine.UsualGap]
	ever      []Totals           // of all that it brought, per coin
	atRisk    []affiliate.Amount // see [rosterLine.risk]
}

// rosterOf is the roster of the question. To make one means to read half a year
// of days; each page and each order of a list takes its lines from the same.
func (q *question) rosterOf(ctx context.Context) (*roster, error) {
	if q.UID != "" || q.asOfMillis().Known() {
		return q.makeRoster(ctx, records.CommissionFilter{Account: q.Account, UID: q.UID, AsOf: q.asOfMillis()})
	}
	return part(ctx, q, "roster", affiliate.DayOf(q.now, q.Zone), func(ctx context.Context) (*roster, error) {
		return q.makeRoster(ctx, records.CommissionFilter{})
	})
}

// makeRoster reads a roster of an account and a UID, or of all.
func (q *question) makeRoster(ctx context.Context, of records.CommissionFilter) (*roster, error) {
	var r roster
	var err error
	if r.first, err = sums.FirstDay(ctx, q.Tx, q.Today); err != nil {
		return nil, err
	}
	today := affiliate.DayOf(q.now, q.Zone)
	of.Days = affiliate.Days{First: r.first, Last: today}
	ever, err := q.inviteeTotals(ctx, of)
	if err != nil {
		return nil, err
	}
	listed := map[sums.InviteeKey]bool{}
	for row, err := range records.Invitees(ctx, q.Tx, records.InviteeFilter{Account: of.Account, UID: of.UID, AsOf: of.AsOf}) {
		if err != nil {
			return nil, err
		}
		key := sums.InviteeKey{Account: row.Account, UID: row.UID}
		r.lines = append(r.lines, rosterLine{InviteeRow: row, ever: ever[key]})
		listed[key] = true
	}
	for key, totals := range ever {
		if listed[key] {
			continue
		}
		row := records.InviteeRow{Invitee: affiliate.Invitee{UID: key.UID}, Account: key.Account}
		r.lines = append(r.lines, rosterLine{InviteeRow: row, ever: totals})
	}
	of.Days.First = today - rhythmDays + 1
	days, err := sums.InviteeDays(ctx, q.Tx, of)
	if err != nil {
		return nil, err
	}
	brought, err := q.inviteeTotals(ctx, of)
	if err != nil {
		return nil, err
	}
	for i := range r.lines {
		line := &r.lines[i]
		if err := q.rhythm(ctx, line, days); err != nil {
			return nil, err
		}
		key := sums.InviteeKey{Account: line.Account, UID: line.UID}
		line.risk(days[key], brought[key], today)
	}
	return &r, nil
}

// rhythm adds when an invitee traded last and what its usual gap is.
func (q *question) rhythm(ctx context.Context, line *rosterLine, active map[sums.InviteeKey][]affiliate.Day) error {
	key := sums.InviteeKey{Account: line.Account, UID: line.UID}
	days := active[key]
	line.usualGap = usualGap(days)
	if n := len(days); n > 0 {
		line.lastTrade = days[n-1]
	} else if len(line.ever) > 0 {
		last, err := sums.LastCommission(ctx, q.Tx, key, q.asOfMillis())
		if err != nil {
			return fmt.Errorf("the last trade of %s: %w", key.UID, err)
		}
		line.lastTrade = q.dayOf(last)
	}
	line.lastTrade = max(line.lastTrade, q.dayOf(line.LastTrade))
	return nil
}
