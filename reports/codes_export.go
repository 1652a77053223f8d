package reports

import (
	"context"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// codeRow is a line of the page with what can be told of it.
type codeRow struct {
	CodeLine
	view *CodesReport
}

var codeColumns = []column[codeRow]{
	textColumn("account", func(r *codeRow) affiliate.Account { return r.Account }),
	textColumn("invite_code", func(r *codeRow) string { return r.Code }),
	peopleColumn("registrations", func(r *codeRow) (int64, string) { return r.Registered, r.view.Known.Registered }),
	boolColumn("people_complete", func(r *codeRow) affiliate.Flag {
		return affiliate.FlagOf(!r.view.Known.AtLeast && !r.view.Known.FirstAtLeast)
	}),
	peopleColumn("kyc", func(r *codeRow) (int64, string) { return r.KYC, r.view.Known.KYC }),
	peopleColumn("deposited", func(r *codeRow) (int64, string) { return r.Deposited, r.view.Known.Deposited }),
	peopleColumn("traded", func(r *codeRow) (int64, string) { return r.Traded, r.view.Known.Traded }),
	percentColumn("kyc_percent", func(r *codeRow) (decimal.Decimal, bool) { return r.view.Known.KYCRate(r.CodeLine).value() }),
	percentColumn("deposit_percent", func(r *codeRow) (decimal.Decimal, bool) { return r.view.Known.DepositRate(r.CodeLine).value() }),
	percentColumn("trade_percent", func(r *codeRow) (decimal.Decimal, bool) { return r.view.Known.TradeRate(r.CodeLine).value() }),
	peopleColumn("first_depositors", func(r *codeRow) (int64, string) { return r.FirstDepositors, r.view.Known.FirstDeposits }),
	peopleColumn("first_traders", func(r *codeRow) (int64, string) { return r.FirstTraders, r.view.Known.FirstTrades }),
	peopleColumn("active_traders", func(r *codeRow) (int64, string) { return r.Active, r.view.Known.Commission }),
	coinColumn("coin", func(r *codeRow) affiliate.Coin { return r.view.Coin }),
	amountColumn("taker_amount", func(r *codeRow) affiliate.Number {
		return r.amount(func(t Totals) string { return t.TakerAmount.String() })
	}),
	amountColumn("maker_amount", func(r *codeRow) affiliate.Number {
		return r.amount(func(t Totals) string { return t.MakerAmount.String() })
	}),
	amountColumn("fee", func(r *codeRow) affiliate.Number { return r.amount(func(t Totals) string { return t.Fee.String() }) }),
	amountColumn("commission", func(r *codeRow) affiliate.Number {
		return r.amount(func(t Totals) string { return t.Commission.String() })
	}),
	decimalColumn("value_per_registration", func(r *codeRow) affiliate.Number {
		if value, ok := r.Value(r.view.Coin); ok && r.view.Known.Value == "" {
			return affiliate.Number(value.String())
		}
		return ""
	}),
	percentColumn("share_percent", func(r *codeRow) (decimal.Decimal, bool) { return r.Share.value() }),
	percentColumn("change_percent", func(r *codeRow) (decimal.Decimal, bool) {
		return r.Change.Percent, r.Change.Kind == ChangeUp || r.Change.Kind == ChangeDown || r.Change.Kind == ChangeSame
	}),
}

// amount is one of the sums in the coin of the list.
func (r *codeRow) amount(of func(Totals) string) affiliate.Number {
	if r.view.Known.Commission != "" {
		return ""
	}
	return affiliate.Number(of(r.In(r.view.Coin)))
}

func codeTable(ctx context.Context, q *question) (table, error) {
	view, err := q.codes(ctx)
	if err != nil {
		return table{}, err
	}
	rows := make([]codeRow, len(view.lines))
	for i, l := range view.lines {
		rows[i] = codeRow{l, &view}
	}
	return tableOf(codeColumns, each(rows)), nil
}

// codesCovered is complete where the commissions of the range are and all
// invitees are known that the exchange lists.
func codesCovered(ctx context.Context, q *question) (Coverage, error) {
	commissions, listed, err := q.codeCoverage(ctx)
	return commissions.With(listed), err
}
