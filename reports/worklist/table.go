package worklist

import (
	"context"

	"rebatedesk/affiliate"
	"rebatedesk/reports/export"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/snapshot"
)

// row is a line with one of the coins that are at risk. A line without any has one row.
type row struct {
	*Line
	atRisk affiliate.Number
	coin   affiliate.Coin
	worth  affiliate.Number // in USDT; unknown: the coin has no rate
	name   string
}

// columns of the export are fixed, because other programs read them.
var columns = []export.Column[row]{
	export.TextColumn("account", func(r *row) affiliate.Account { return r.Account }),
	export.UIDColumn("uid", func(r *row) affiliate.UID { return r.UID }),
	export.TextColumn("name", func(r *row) string { return r.name }),
	export.TextColumn("invite_code", func(r *row) string { return r.Code }),
	export.TextColumn("state", func(r *row) invitees.State { return r.State }),
	export.TextColumn("reason", func(r *row) ReasonName { return r.Reasons[0].Name }).Means("Why: the most urgent reason for a call."),
	export.TimeColumn("last_trade_utc", func(r *row) affiliate.Millis { return r.LastTrade }),
	export.KnownColumn("days_silent", func(r *row) (int, bool) { return r.SilentDays, r.LastTradeDay != 0 }),
	export.DecimalColumn("usual_gap_days", func(r *row) affiliate.Number { return affiliate.Number(r.UsualGap.String()) }),
	export.KnownColumn("days_left", func(r *row) (int, bool) { return r.DaysLeft, r.Tied }).Means("Days until the exchange ends the tie to the invitee."),
	export.AmountColumn("at_risk", func(r *row) affiliate.Number { return r.atRisk }),
	export.CoinColumn("coin", func(r *row) affiliate.Coin { return r.coin }),
	export.DecimalColumn("at_risk_usdt", func(r *row) affiliate.Number { return r.worth }).Means("The same of all coins, converted into USDT.").Fine(),
	export.TextColumn("owner", func(r *row) string { return r.Owner }).Means("Who looks after the invitee."),
	export.TextColumn("snoozed_until", func(r *row) string {
		if r.Snoozed == 0 {
			return ""
		}
		return r.Snoozed.String()
	}).Means("Day until which the invitee is set aside."),
	export.TextColumn("note", func(r *row) string { return r.Note.Text }).Means("Newest note."),
}

// rows returns a row for each coin that is at risk with the line. name is that of the invitee.
func (l *Line) rows(name string) (list []row) {
	for _, c := range l.Worth.Coins {
		list = append(list, row{Line: l, name: name, atRisk: affiliate.Number(c.Sum.Value.String()), coin: c.Sum.Coin, worth: affiliate.Number(c.Value.String())})
	}
	for _, amount := range l.Worth.Missing {
		list = append(list, row{Line: l, name: name, atRisk: affiliate.Number(amount.Value.String()), coin: amount.Coin})
	}
	if len(list) == 0 {
		list = append(list, row{Line: l, name: name})
	}
	return list
}

// File is the file of the worklist.
var File = &export.Kind{Name: "worklist", Title: "Worklist", Stream: affiliate.Commissions,
	About: "Invitees to call, with the reason.",
	Table: table, Columns: export.Infos(columns), Covered: covered, Foreign: []string{"from", "to", "product", "symbol", "source"},
}

// table has the lines of the page in its order, with a row for each coin that is at risk.
func table(ctx context.Context, q *snapshot.Snapshot) (export.Table, error) {
	all, err := list(ctx, q)
	if err != nil {
		return export.Table{}, err
	}
	lines := shown(all.lines, q.Own("show"))
	if err := all.fillTimes(ctx, lines); err != nil {
		return export.Table{}, err
	}
	var rows []row
	for _, line := range lines {
		rows = append(rows, line.rows(q.Names.Of(line.UID))...)
	}
	return export.TableOf(columns, export.Each(rows)), nil
}
