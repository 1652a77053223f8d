package console

import (
	"context"
	"iter"

	"rebatedesk/exchange"
	templates "rebatedesk/web/templates/console"
)

// billsSheet is the page of the bills of the spot account (4.14).
var billsSheet = sheet{
	Path: "/console/bills", title: "Spot bills", words: "account history balance", noun: "bill", section: "4.14", about: "What changed the balances of the spot account",
	answers: "What came into and went out of the spot account?", terms: []string{"reading"},
	fields: []templates.ConsoleField{
		field("coinId", "Coin id", "text"), oneOfText(field("bizType", "Type", ""), exchange.BillTypes()),
		field("after", "From", "datetime-local"), field("before", "To", "datetime-local"), field("limit", "Rows (1–100)", "number"),
	},
	columns: []templates.SheetColumn{
		column("created_utc", "Time"), column("bill_id", "Bill"), column("biz_type", "Type"), column("coin", "Coin"), figure("delta_amount", "Change"),
		figure("after_amount", "Balance after"), figure("fill_size", "Filled quantity"), figure("fill_value", "Filled value"), figure("fees", "Fee"), column("coin_id", "Coin id"),
	},
	ask: func(ctx context.Context, a asking) (p sheetPage, err error) {
		q := billQuery(a)
		q.Limit = a.whole("limit")
		got, err := a.client.Bills(ctx, q)
		p.rows, p.unread = pageRows(a, got, billRow), unread(got, "bill", func(b exchange.Bill) string { return b.BillID })
		if n := len(got.Records); n > 0 {
			p.next = older("before", got.Records[n-1].Created, got.Len(), orWhole(q.Limit, records))
		}
		return p, err
	},
	all: func(ctx context.Context, a asking) iter.Seq2[templates.SheetRow, error] {
		return allRows(a, a.client.AllBills(ctx, billQuery(a)), billRow)
	},
}

func billQuery(a asking) exchange.BillQuery {
	return exchange.BillQuery{CoinID: a.values.Get("coinId"), Type: exchange.BillType(a.values.Get("bizType")), From: a.millis("after"), To: a.millis("before")}
}

func billRow(a asking, b exchange.Bill) templates.SheetRow {
	kind := templates.TextCell(string(b.Type))
	if b.Type == "trade_in" || b.Type == "trade_out" {
		// A bill names a coin and no pair, so the reader adds the pair.
		from, to := around(b.Created)
		kind.Href, kind.Title = a.link(templates.FillsPath, "after", from, "before", to), "Fills of this second, once a pair is chosen"
	}
	return templates.SheetRow{Cells: []templates.Cell{
		templates.TimeCell(b.Created, a.zone), templates.TextCell(b.BillID), kind,
		templates.LinkCell(string(b.CoinName), a.link("/console/bills", "coinId", b.CoinID), "Bills of this coin"),
		templates.NumberCell(b.DeltaAmount), templates.NumberCell(b.AfterAmount), templates.NumberCell(b.FillSize),
		templates.NumberCell(b.FillValue), templates.NumberCell(b.Fees), templates.TextCell(b.CoinID),
	}}
}

// fundingSheet is the page of the bills of the funding account (4.15).
var fundingSheet = sheet{
	Path: "/console/funding", title: "Funding bills", words: "account history deposit withdraw", noun: "funding bill", section: "4.15", about: "What changed the balances of the funding account",
	answers: "What came into and went out of the funding account?", terms: []string{"reading"},
	fields: []templates.ConsoleField{
		field("coinId", "Coin id", "text"), field("startTime", "From", "datetime-local"), field("endTime", "To", "datetime-local"),
		field("pageSize", "Rows (1–100)", "number"), field("pageIndex", "Page, from 1", "number"),
	},
	columns: []templates.SheetColumn{
		column("created_utc", "Time"), column("bill_id", "Bill"), column("biz_type", "Type"), column("coin", "Coin"), figure("delta_amount", "Change"),
		figure("after_amount", "Balance after"), figure("fees", "Fee"), column("coin_id", "Coin id"),
	},
	ask: func(ctx context.Context, a asking) (p sheetPage, err error) {
		q := fundingQuery(a)
		q.PageIndex, q.PageSize = a.whole("pageIndex"), a.whole("pageSize")
		got, err := a.client.FundingBills(ctx, q)
		p.rows, p.unread = pageRows(a, got, fundingRow), unread(got, "bill", func(b exchange.FundingBill) string { return b.BillID })
		p.back, p.next = turned("pageIndex", orWhole(q.PageIndex, 1), 1, orWhole(q.PageSize, records), got)
		return p, err
	},
	all: func(ctx context.Context, a asking) iter.Seq2[templates.SheetRow, error] {
		return allRows(a, a.client.AllFundingBills(ctx, fundingQuery(a)), fundingRow)
	},
}

func fundingQuery(a asking) exchange.FundingBillQuery {
	return exchange.FundingBillQuery{CoinID: a.values.Get("coinId"), From: a.millis("startTime"), To: a.millis("endTime")}
}

func fundingRow(a asking, b exchange.FundingBill) templates.SheetRow {
	return templates.SheetRow{Cells: []templates.Cell{
		templates.TimeCell(b.Created, a.zone), templates.TextCell(b.BillID), templates.TextCell(string(b.Type)),
		templates.LinkCell(string(b.CoinName), a.link("/console/funding", "coinId", b.CoinID), "Funding bills of this coin"),
		templates.NumberCell(b.DeltaAmount), templates.NumberCell(b.AfterAmount), templates.NumberCell(b.Fees), templates.TextCell(b.CoinID),
	}}
}

// transfersSheet is the page of the transfers between accounts (4.16). The exchange's
// "after" means before that time, and its "before" after it: the labels state the
// actual meaning.
var transfersSheet = sheet{
	Path: "/console/transfers", title: "Transfers", words: "account history", noun: "transfer", section: "4.16", about: "Between the accounts of this user",
	answers: "What was moved between the accounts?", terms: []string{"reading"},
	fields: []templates.ConsoleField{
		field("coinId", "Coin id", "text"), field("fromType", "From account", "text"), field("before", "From", "datetime-local"),
		field("after", "To", "datetime-local"), field("limit", "Rows (1–500)", "number"),
	},
	columns: []templates.SheetColumn{
		column("trade_time_utc", "Time"), column("coin", "Coin"), figure("amount", "Amount"), column("from_type", "From"), column("from_symbol", "From pair"),
		column("to_type", "To"), column("to_symbol", "To pair"), column("status", "Status"),
	},
	ask: func(ctx context.Context, a asking) (p sheetPage, err error) {
		q := transferQuery(a)
		q.Limit = orWhole(a.whole("limit"), records)
		got, err := a.client.Transfers(ctx, q)
		p.rows, p.unread = pageRows(a, got, transferRow), unread(got, "transfer", func(t exchange.Transfer) string { return string(t.CoinName) })
		if n := len(got.Records); n > 0 {
			p.next = older("after", got.Records[n-1].Time, got.Len(), q.Limit)
		}
		return p, err
	},
	all: func(ctx context.Context, a asking) iter.Seq2[templates.SheetRow, error] {
		return allRows(a, a.client.AllTransfers(ctx, transferQuery(a)), transferRow)
	},
}

func transferQuery(a asking) exchange.TransferQuery {
	return exchange.TransferQuery{CoinID: a.values.Get("coinId"), FromType: a.values.Get("fromType"), From: a.millis("before"), To: a.millis("after")}
}

func transferRow(a asking, v exchange.Transfer) templates.SheetRow {
	return templates.SheetRow{Cells: []templates.Cell{
		templates.TimeCell(v.Time, a.zone), templates.TextCell(string(v.CoinName)), templates.NumberCell(v.Amount), templates.TextCell(string(v.FromType)),
		templates.TextCell(string(v.FromSymbol)), templates.TextCell(string(v.ToType)), templates.TextCell(string(v.ToSymbol)), templates.TextCell(string(v.Status)),
	}}
}
