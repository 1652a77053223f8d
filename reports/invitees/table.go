package invitees

import (
	"context"
	"strings"

	"rebatedesk/affiliate"
	whos "rebatedesk/people"
	"rebatedesk/reports/export"
	"rebatedesk/reports/query"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/people"
	"rebatedesk/store/records"
	"rebatedesk/store/sums"
)

// inviteeRow is an invitee in an export. Amounts of several coins are never added, and a
// row has one: the requested coin, otherwise the one of most of the invitee's records.
type inviteeRow struct {
	ListLine
	coin     affiliate.Coin
	lifetime affiliate.Number // in the coin; unknown if there is no record
	atRisk   affiliate.Number // in the coin; unknown unless the invitee is silent by its own usual gap
	name     string           // empty if there is none, or the reader may not see it
	tags     string
}

// inviteeRows converts lines to rows.
type inviteeRows struct {
	coin  affiliate.Coin // the requested coin
	names *whos.NameBook // that the reader may see
	tags  map[affiliate.UID][]string
}

func newRows(ctx context.Context, q *snapshot.Snapshot) (r inviteeRows, err error) {
	r.coin, r.names = q.Coin, q.Names
	r.tags, err = people.TagsByUID(ctx, q.Tx)
	return r, err
}

func (r inviteeRows) of(line ListLine) inviteeRow {
	row := inviteeRow{ListLine: line, coin: r.coin, name: r.names.Of(line.UID),
		tags: strings.Join(r.tags[line.UID], people.TagSeparator)}
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

// File is the file of invitees by their registration.
var File = &export.Kind{Name: "invitees", Stream: affiliate.Invitees, Settled: true, Table: table, Columns: export.Infos(inviteeColumns), Foreign: []string{"product", "coin", "symbol", "source"}}

// table takes the days of the query as days of registration. All time includes invitees
// whose registration is not known.
func table(ctx context.Context, q *snapshot.Snapshot) (export.Table, error) {
	snapshot, err := ReadSnapshot(ctx, q)
	if err != nil {
		return export.Table{}, err
	}
	risks, err := ReadRisks(ctx, q, snapshot)
	if err != nil {
		return export.Table{}, err
	}
	rows, err := newRows(ctx, q)
	if err != nil {
		return export.Table{}, err
	}
	entries := make(map[sums.InviteeKey]*SnapshotLine, len(snapshot.Lines))
	for i := range snapshot.Lines {
		entry := &snapshot.Lines[i]
		entries[sums.InviteeKey{Account: entry.Account, UID: entry.UID}] = entry
	}
	f := q.InviteeFilter()
	f.Text, f.Named = q.Text, q.Names.Find(q.Text)
	if q.Range != query.AllTime {
		f.Registered = q.Days.Range(q.Zone)
	}
	return export.TableOf(inviteeColumns, func(yield func(inviteeRow, error) bool) {
		for stored, err := range records.Invitees(ctx, q.Tx, f) {
			if err != nil {
				yield(inviteeRow{}, err)
				return
			}
			entry := entries[sums.InviteeKey{Account: stored.Account, UID: stored.UID}]
			if !yield(rows.of(inviteeLine(q, entry, risks)), nil) {
				return
			}
		}
	}), nil
}

// ListFile is the file of the rows of the page in their order, whereas [File] narrows by registration.
var ListFile = &export.Kind{Name: "invitee-list", Title: "Invitees", Stream: affiliate.Invitees,
	About:   "Invitees with their state and lifetime commission, and the commission records of one.",
	Settled: true, Reach: true, Table: listTable, Columns: export.Infos(inviteeColumns),
}

// listTable has the rows of the page of invitees in its order. For invitees known only from
// commission, every value that the exchange would report is unknown.
func listTable(ctx context.Context, q *snapshot.Snapshot) (export.Table, error) {
	_, lines, err := inviteeList(ctx, q)
	if err != nil {
		return export.Table{}, err
	}
	rows, err := newRows(ctx, q)
	if err != nil {
		return export.Table{}, err
	}
	return export.TableOf(inviteeColumns, func(yield func(inviteeRow, error) bool) {
		for _, line := range lines {
			if !yield(rows.of(line), nil) {
				return
			}
		}
	}), nil
}

var inviteeColumns = []export.Column[inviteeRow]{
	export.TextColumn("account", func(i *inviteeRow) affiliate.Account { return i.Account }),
	export.UIDColumn("uid", func(i *inviteeRow) affiliate.UID { return i.UID }),
	export.TextColumn("invite_code", func(i *inviteeRow) string { return i.InviteCode }),
	export.TimeColumn("register_time_utc", func(i *inviteeRow) affiliate.Millis { return i.RegisterTime }).Means("When the invitee registered, UTC."),
	export.BoolColumn("kyc", func(i *inviteeRow) affiliate.Flag { return i.KYC }),
	export.TimeColumn("first_deposit_utc", func(i *inviteeRow) affiliate.Millis { return i.FirstDeposit }).Means("First deposit, UTC."),
	export.TimeColumn("first_trade_utc", func(i *inviteeRow) affiliate.Millis { return i.FirstTrade }).Means("First trade, UTC."),
	export.TimeColumn("last_deposit_utc", func(i *inviteeRow) affiliate.Millis { return i.LastDeposit }).Means("Last deposit, UTC."),
	export.TimeColumn("last_trade_utc", func(i *inviteeRow) affiliate.Millis { return i.LastTrade }),
	export.TimeColumn("first_seen_utc", func(i *inviteeRow) affiliate.Millis { return i.FirstSeen }),
	export.TimeColumn("last_seen_utc", func(i *inviteeRow) affiliate.Millis { return i.LastSeen }).Means("When the exchange last listed it, UTC."),
	export.TextColumn("state", func(i *inviteeRow) State { return i.State }),
	export.KnownColumn("days_silent", func(i *inviteeRow) (int, bool) { return i.SilentDays, i.LastTradeDay != 0 }),
	export.DecimalColumn("usual_gap_days", func(i *inviteeRow) affiliate.Number { return affiliate.Number(i.UsualGap.String()) }),
	export.AmountColumn("lifetime_commission", func(i *inviteeRow) affiliate.Number { return i.lifetime }).Means("Commission of all time, in coin."),
	export.CoinColumn("coin", func(i *inviteeRow) affiliate.Coin { return i.coin }),
	export.AmountColumn("at_risk", func(i *inviteeRow) affiliate.Number { return i.atRisk }),
	export.TextColumn("name", func(i *inviteeRow) string { return i.name }),
	export.TextColumn("tags", func(i *inviteeRow) string { return i.tags }).Means("Tags, separated by a semicolon."),
}
