package reports

import (
	"context"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store/people"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// inviteeRow is an invitee in an export. Amounts of several coins are never
// added, and a row has one: the coin that is asked for, else the one of most of
// the invitee's records.
type inviteeRow struct {
	InviteeLine
	coin     affiliate.Coin
	lifetime affiliate.Number // in the coin; unknown where no record is
	atRisk   affiliate.Number // in the coin; unknown where the invitee is not silent by its own usual gap
	tags     string
}

// inviteeRows makes rows of lines.
type inviteeRows struct {
	coin affiliate.Coin // that is asked for
	tags map[people.Person][]string
}

func (q *question) inviteeRows(ctx context.Context) (r inviteeRows, err error) {
	r.coin = q.Coin
	r.tags, err = people.TagsByInvitee(ctx, q.Tx)
	return r, err
}

func (r inviteeRows) of(line InviteeLine) inviteeRow {
	row := inviteeRow{InviteeLine: line, coin: r.coin,
		tags: strings.Join(r.tags[people.Person{Account: line.Account, UID: line.UID}], people.TagSeparator)}
	switch {
	case row.coin != "":
	case len(line.Lifetime) > 0:
		row.coin = line.Lifetime[0].Coin
	case len(line.AtRisk) > 0:
		row.coin = line.AtRisk[0].Coin
	}
	if ever := line.Ever(row.coin); ever.Records > 0 {
		row.lifetime = affiliate.Number(ever.Commission.String())
	}
	if risk := line.Risk(row.coin); risk.IsPositive() {
		row.atRisk = affiliate.Number(risk.String())
	}
	return row
}

// inviteeTable takes the days of the query as days of registration. All time
// takes in those whose registration is not known.
func inviteeTable(ctx context.Context, q *question) (table, error) {
	roster, err := q.rosterOf(ctx)
	if err != nil {
		return table{}, err
	}
	risks, err := q.risks(ctx, roster)
	if err != nil {
		return table{}, err
	}
	rows, err := q.inviteeRows(ctx)
	if err != nil {
		return table{}, err
	}
	entries := make(map[sums.InviteeKey]*rosterLine, len(roster.lines))
	for i := range roster.lines {
		entry := &roster.lines[i]
		entries[sums.InviteeKey{Account: entry.Account, UID: entry.UID}] = entry
	}
	f := q.inviteeFilter()
	f.Text = q.Text
	if q.Range != AllTime {
		f.Registered = q.Days.Range(q.Zone)
	}
	return tableOf(inviteeColumns, func(yield func(inviteeRow, error) bool) {
		for stored, err := range records.Invitees(ctx, q.Tx, f) {
			if err != nil {
				yield(inviteeRow{}, err)
				return
			}
			entry := entries[sums.InviteeKey{Account: stored.Account, UID: stored.UID}]
			if !yield(rows.of(q.inviteeLine(entry, risks)), nil) {
				return
			}
		}
	}), nil
}

// inviteeListTable has the rows of the page of invitees in its order. Of those
// who are known from commission only, all that the exchange would tell is
// unknown.
func inviteeListTable(ctx context.Context, q *question) (table, error) {
	_, lines, err := q.inviteeList(ctx)
	if err != nil {
		return table{}, err
	}
	rows, err := q.inviteeRows(ctx)
	if err != nil {
		return table{}, err
	}
	return tableOf(inviteeColumns, func(yield func(inviteeRow, error) bool) {
		for _, line := range lines {
			if !yield(rows.of(line), nil) {
				return
			}
		}
	}), nil
}

var inviteeColumns = []column[inviteeRow]{
	textColumn("account", func(i *inviteeRow) affiliate.Account { return i.Account }),
	uidColumn("uid", func(i *inviteeRow) affiliate.UID { return i.UID }),
	textColumn("invite_code", func(i *inviteeRow) string { return i.InviteCode }),
	timeColumn("register_time_utc", func(i *inviteeRow) affiliate.Millis { return i.RegisterTime }),
	boolColumn("kyc", func(i *inviteeRow) affiliate.Flag { return i.KYC }),
	timeColumn("first_deposit_utc", func(i *inviteeRow) affiliate.Millis { return i.FirstDeposit }),
	timeColumn("first_trade_utc", func(i *inviteeRow) affiliate.Millis { return i.FirstTrade }),
	timeColumn("last_deposit_utc", func(i *inviteeRow) affiliate.Millis { return i.LastDeposit }),
	timeColumn("last_trade_utc", func(i *inviteeRow) affiliate.Millis { return i.LastTrade }),
	timeColumn("first_seen_utc", func(i *inviteeRow) affiliate.Millis { return i.FirstSeen }),
	timeColumn("last_seen_utc", func(i *inviteeRow) affiliate.Millis { return i.LastSeen }),
	textColumn("state", func(i *inviteeRow) InviteeState { return i.State }),
	knownColumn("days_silent", func(i *inviteeRow) (int, bool) { return i.SilentDays, i.LastTradeDay != 0 }),
	decimalColumn("usual_gap_days", func(i *inviteeRow) affiliate.Number { return affiliate.Number(i.UsualGap.String()) }),
	amountColumn("lifetime_commission", func(i *inviteeRow) affiliate.Number { return i.lifetime }),
	coinColumn("coin", func(i *inviteeRow) affiliate.Coin { return i.coin }),
	amountColumn("at_risk", func(i *inviteeRow) affiliate.Number { return i.atRisk }),
	textColumn("name", func(*inviteeRow) string { return "" }), // nobody can be given one yet
	textColumn("tags", func(i *inviteeRow) string { return i.tags }),
}
