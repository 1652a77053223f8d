package invitecodes

import (
	"context"
	"slices"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/export"
	"rebatedesk/reports/snapshot"
)

// codeRow is a line of the page with the figures that are known.
type codeRow struct {
	CodeLine
	view *Report
}

// The columns of the file are fixed, because other programs read them: sums that came later are last.
var codeColumns = slices.Concat([]export.Column[codeRow]{
	export.TextColumn("account", func(r *codeRow) affiliate.Account { return r.Account }),
	export.TextColumn("invite_code", func(r *codeRow) string { return r.Code }),
	export.PeopleColumn("registrations", func(r *codeRow) (int64, string) { return r.Registered, r.view.Known.Registered }),
	export.BoolColumn("people_complete", func(r *codeRow) affiliate.Flag {
		return affiliate.FlagOf(!r.view.Known.AtLeast && !r.view.Known.FirstAtLeast)
	}).Means("Whether all registrations are known."),
	export.PeopleColumn("kyc", func(r *codeRow) (int64, string) { return r.KYC, r.view.Known.KYC }).Means("Registrations whose identity is verified."),
	export.PeopleColumn("deposited", func(r *codeRow) (int64, string) { return r.Deposited, r.view.Known.Deposited }).Means("Registrations that deposited."),
	export.PeopleColumn("traded", func(r *codeRow) (int64, string) { return r.Traded, r.view.Known.Traded }).Means("Registrations that traded."),
	export.PercentColumn("kyc_percent", func(r *codeRow) (decimal.Decimal, bool) { return r.view.Known.KYCRate(r.CodeLine).Value() }).Means("Verified registrations, in percent."),
	export.PercentColumn("deposit_percent", func(r *codeRow) (decimal.Decimal, bool) { return r.view.Known.DepositRate(r.CodeLine).Value() }).Means("Registrations that deposited, in percent."),
	export.PercentColumn("trade_percent", func(r *codeRow) (decimal.Decimal, bool) { return r.view.Known.TradeRate(r.CodeLine).Value() }).Means("Registrations that traded, in percent."),
	export.PeopleColumn("first_depositors", func(r *codeRow) (int64, string) { return r.FirstDepositors, r.view.Known.FirstDeposits }).Means("Invitees whose first deposit is in the range."),
	export.PeopleColumn("first_traders", func(r *codeRow) (int64, string) { return r.FirstTraders, r.view.Known.FirstTrades }).Means("Invitees whose first trade is in the range."),
	export.PeopleColumn("active_traders", func(r *codeRow) (int64, string) { return r.Active, r.view.Known.Commission }),
	export.CoinColumn("coin", func(r *codeRow) affiliate.Coin { return r.view.Coin }),
}, export.SumColumns(affiliate.SummedFields[2:4], (*codeRow).sum), export.SumColumns(affiliate.SummedFields[:2], (*codeRow).sum), []export.Column[codeRow]{
	export.DecimalColumn("value_per_registration", func(r *codeRow) affiliate.Number {
		if value, ok := r.Value(r.view.Coin); ok && r.view.Known.Value == "" {
			return affiliate.Number(value.String())
		}
		return ""
	}).Means("Commission for each registration, in coin."),
	export.PercentColumn("share_percent", func(r *codeRow) (decimal.Decimal, bool) { return r.Share.Value() }).Means("Share of the whole commission, in percent. Where some rows are negative it is the share of the positive ones, and negative ones have none."),
	export.PercentColumn("change_percent", func(r *codeRow) (decimal.Decimal, bool) {
		return r.Change.Percent, r.Change.Relative()
	}).Means("Change since the compared period, in percent. Empty if it was zero or negative then or is negative now: such a change is an amount only."),
}, export.SumColumns(affiliate.SummedFields.After("maker_amount"), (*codeRow).sum))

// sum returns one of [affiliate.Summed.All] in the coin of the list.
func (r *codeRow) sum(place int) affiliate.Number {
	if r.view.Known.Commission != "" {
		return ""
	}
	totals := r.In(r.view.Coin)
	return affiliate.Number(totals.All()[place].String())
}

// File is the file of invite codes.
var File = &export.Kind{Name: "codes", Title: "Invite codes", Stream: affiliate.Commissions,
	About: "Registrations, deposits, trades and commission of each invite code.",
	Table: table, Columns: export.Infos(codeColumns), Covered: covered,
}

// table has a row for each code, in the order of the query.
func table(ctx context.Context, q *snapshot.Snapshot) (export.Table, error) {
	view, err := codes(ctx, q)
	if err != nil {
		return export.Table{}, err
	}
	rows := make([]codeRow, len(view.lines))
	for i, l := range view.lines {
		rows[i] = codeRow{l, &view}
	}
	return export.TableOf(codeColumns, export.Each(rows)), nil
}

// covered is complete if the commissions of the range are and all invitees that the
// exchange lists are known.
func covered(ctx context.Context, q *snapshot.Snapshot) (coverage.Coverage, error) {
	commissions, listed, err := codeCoverage(ctx, q)
	return commissions.With(listed), err
}
