package histories

import (
	"cmp"
	"context"
	"iter"

	"rebatedesk/exchange"
	"rebatedesk/web/console"
	"rebatedesk/web/templates/console/frame"
)

// billsSheet is the page of the bills of the spot account (4.14).
var billsSheet = console.Sheet{
	Path: "/console/bills", Title: "Spot bills", Words: "account history balance", Noun: "bill", Section: "4.14", About: "What changed the balances of the spot account",
	Answers: "What came into and went out of the spot account?", Terms: []string{"reading"},
	Fields: []frame.Field{
		console.Field("coinId", "Coin id", "text"), console.OneOfText(console.Field("bizType", "Type", ""), exchange.BillTypes()),
		console.Field("after", "From", "datetime-local"), console.Field("before", "To", "datetime-local"), console.Field("limit", "Rows (1–100)", "number"),
	},
	Columns: []frame.SheetColumn{
		console.Column("created_utc", "Time"), console.Column("bill_id", "Bill"), console.Column("biz_type", "Type"), console.Column("coin", "Coin"), console.Figure("delta_amount", "Change"),
		console.Figure("after_amount", "Balance after"), console.Figure("fill_size", "Filled quantity"), console.Figure("fill_value", "Filled value"), console.Figure("fees", "Fee"), console.Column("coin_id", "Coin id"),
	},
	Ask: func(ctx context.Context, a console.Asking) (p console.SheetPage, err error) {
		q := billQuery(a)
		q.Limit = a.Whole("limit")
		got, err := a.Client.Bills(ctx, q)
		p.Rows, p.Unread = console.PageRows(a, got, billRow), console.Unread(got, "bill", func(b exchange.Bill) string { return b.BillID })
		if n := len(got.Records); n > 0 {
			p.Next = console.Older("before", got.Records[n-1].Created, got.Len(), cmp.Or(q.Limit, console.UsualRows))
		}
		return p, err
	},
	All: func(ctx context.Context, a console.Asking) iter.Seq2[frame.SheetRow, error] {
		return console.AllRows(a, a.Client.AllBills(ctx, billQuery(a)), billRow)
	},
}

func billQuery(a console.Asking) exchange.BillQuery {
	return exchange.BillQuery{CoinID: a.Values.Get("coinId"), Type: exchange.BillType(a.Values.Get("bizType")), From: a.Millis("after"), To: a.Millis("before")}
}

func billRow(a console.Asking, b exchange.Bill) frame.SheetRow {
	kind := frame.TextCell(string(b.Type))
	if b.Type == "trade_in" || b.Type == "trade_out" {
		// A bill names a coin and no pair, so the reader adds the pair.
		from, to := console.Around(b.Created)
		kind.Href, kind.Title = a.Link(frame.FillsPath, "after", from, "before", to), "Fills of this second, once a pair is chosen"
	}
	return frame.SheetRow{Cells: []frame.Cell{
		frame.TimeCell(b.Created, a.Zone), frame.TextCell(b.BillID), kind,
		frame.LinkCell(string(b.CoinName), a.Link("/console/bills", "coinId", b.CoinID), "Bills of this coin"),
		frame.NumberCell(b.DeltaAmount), frame.NumberCell(b.AfterAmount), frame.NumberCell(b.FillSize),
		frame.NumberCell(b.FillValue), frame.NumberCell(b.Fees), frame.TextCell(b.CoinID),
	}}
}

// fundingSheet is the page of the bills of the funding account (4.15).
var fundingSheet = console.Sheet{
	Path: "/console/funding", Title: "Funding bills", Words: "account history deposit withdraw", Noun: "funding bill", Section: "4.15", About: "What changed the balances of the funding account",
	Answers: "What came into and went out of the funding account?", Terms: []string{"reading"},
	Fields: []frame.Field{
		console.Field("coinId", "Coin id", "text"), console.Field("startTime", "From", "datetime-local"), console.Field("endTime", "To", "datetime-local"),
		console.Field("pageSize", "Rows (1–100)", "number"), console.Field("pageIndex", "Page, from 1", "number"),
	},
	Columns: []frame.SheetColumn{
		console.Column("created_utc", "Time"), console.Column("bill_id", "Bill"), console.Column("biz_type", "Type"), console.Column("coin", "Coin"), console.Figure("delta_amount", "Change"),
		console.Figure("after_amount", "Balance after"), console.Figure("fees", "Fee"), console.Column("coin_id", "Coin id"),
	},
	Ask: func(ctx context.Context, a console.Asking) (p console.SheetPage, err error) {
		q := fundingQuery(a)
		q.PageIndex, q.PageSize = a.Whole("pageIndex"), a.Whole("pageSize")
		got, err := a.Client.FundingBills(ctx, q)
		p.Rows, p.Unread = console.PageRows(a, got, fundingRow), console.Unread(got, "bill", func(b exchange.FundingBill) string { return b.BillID })
		p.Back, p.Next = console.Turned("pageIndex", cmp.Or(q.PageIndex, 1), 1, cmp.Or(q.PageSize, console.UsualRows), got)
		return p, err
	},
	All: func(ctx context.Context, a console.Asking) iter.Seq2[frame.SheetRow, error] {
		return console.AllRows(a, a.Client.AllFundingBills(ctx, fundingQuery(a)), fundingRow)
	},
}

func fundingQuery(a console.Asking) exchange.FundingBillQuery {
	return exchange.FundingBillQuery{CoinID: a.Values.Get("coinId"), From: a.Millis("startTime"), To: a.Millis("endTime")}
}

func fundingRow(a console.Asking, b exchange.FundingBill) frame.SheetRow {
	return frame.SheetRow{Cells: []frame.Cell{
		frame.TimeCell(b.Created, a.Zone), frame.TextCell(b.BillID), frame.TextCell(string(b.Type)),
		frame.LinkCell(string(b.CoinName), a.Link("/console/funding", "coinId", b.CoinID), "Funding bills of this coin"),
		frame.NumberCell(b.DeltaAmount), frame.NumberCell(b.AfterAmount), frame.NumberCell(b.Fees), frame.TextCell(b.CoinID),
	}}
}

// transfersSheet is the page of the transfers between accounts (4.16). The exchange's
// "after" means before that time, and its "before" after it: the labels state the
// actual meaning.
var transfersSheet = console.Sheet{
	Path: "/console/transfers", Title: "Transfers", Words: "account history", Noun: "transfer", Section: "4.16", About: "Between the accounts of this user",
	Answers: "What was moved between the accounts?", Terms: []string{"reading"},
	Fields: []frame.Field{
		console.Field("coinId", "Coin id", "text"), console.Field("fromType", "From account", "text"), console.Field("before", "From", "datetime-local"),
		console.Field("after", "To", "datetime-local"), console.Field("limit", "Rows (1–500)", "number"),
	},
	Columns: []frame.SheetColumn{
		console.Column("trade_time_utc", "Time"), console.Column("coin", "Coin"), console.Figure("amount", "Amount"), console.Column("from_type", "From"), console.Column("from_symbol", "From pair"),
		console.Column("to_type", "To"), console.Column("to_symbol", "To pair"), console.Column("status", "Status"),
	},
	Ask: func(ctx context.Context, a console.Asking) (p console.SheetPage, err error) {
		q := transferQuery(a)
		q.Limit = cmp.Or(a.Whole("limit"), console.UsualRows)
		got, err := a.Client.Transfers(ctx, q)
		p.Rows, p.Unread = console.PageRows(a, got, transferRow), console.Unread(got, "transfer", func(t exchange.Transfer) string { return string(t.CoinName) })
		if n := len(got.Records); n > 0 {
			p.Next = console.Older("after", got.Records[n-1].Time, got.Len(), q.Limit)
		}
		return p, err
	},
	All: func(ctx context.Context, a console.Asking) iter.Seq2[frame.SheetRow, error] {
		return console.AllRows(a, a.Client.AllTransfers(ctx, transferQuery(a)), transferRow)
	},
}

func transferQuery(a console.Asking) exchange.TransferQuery {
	return exchange.TransferQuery{CoinID: a.Values.Get("coinId"), FromType: a.Values.Get("fromType"), From: a.Millis("before"), To: a.Millis("after")}
}

func transferRow(a console.Asking, v exchange.Transfer) frame.SheetRow {
	return frame.SheetRow{Cells: []frame.Cell{
		frame.TimeCell(v.Time, a.Zone), frame.TextCell(string(v.CoinName)), frame.NumberCell(v.Amount), frame.TextCell(string(v.FromType)),
		frame.TextCell(string(v.FromSymbol)), frame.TextCell(string(v.ToType)), frame.TextCell(string(v.ToSymbol)), frame.TextCell(string(v.Status)),
	}}
}
