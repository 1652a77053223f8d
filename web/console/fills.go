package console

import (
	"context"
	"iter"

	"rebatedesk/exchange"
	templates "rebatedesk/web/templates/console"
)

// fillsSheet is the page of the account's own trades on a pair (4.12).
var fillsSheet = sheet{
	Path: templates.FillsPath, title: "Fills", words: "trades executed history", noun: "fill", section: "4.12", about: "The account's own trades on a pair",
	answers: "Which orders were executed, at what price and fee?", terms: []string{"reading"},
	fields: []templates.ConsoleField{
		needed(spotField("symbol", "Pair")), field("orderId", "Order", "text"), field("after", "From", "datetime-local"),
		field("before", "To", "datetime-local"), field("pageSize", "Rows (1–100)", "number"), field("pageIndex", "Page, from 0", "number"),
	},
	columns: []templates.SheetColumn{
		column("created_utc", "Time"), column("fill_id", "Fill"), column("order_id", "Order"), column("symbol", "Pair"), column("side", "Side"),
		column("order_type", "Type"), figure("fill_price", "Price"), figure("fill_quantity", "Quantity"), figure("fill_total_amount", "Value"),
		figure("fees", "Fee"), column("base_coin", "Base"), column("quote_coin", "Quote"), column("account_id", "Account id"),
	},
	ask: func(ctx context.Context, a asking) (p sheetPage, err error) {
		q := fillQuery(a)
		got, err := a.client.Fills(ctx, q)
		p.rows = rowsOf(a, got.Records, fillRow)
		p.back, p.next = turned("pageIndex", q.PageIndex, 0, orWhole(q.PageSize, records), got)
		return p, err
	},
	all: func(ctx context.Context, a asking) iter.Seq2[templates.SheetRow, error] {
		q := fillQuery(a)
		q.PageSize, q.PageIndex = 0, 0
		return allRows(a, a.client.AllFills(ctx, q), fillRow)
	},
}

func fillQuery(a asking) exchange.FillQuery {
	return exchange.FillQuery{Symbol: a.values.Get("symbol"), OrderID: a.values.Get("orderId"), From: a.millis("after"), To: a.millis("before"),
		PageIndex: a.whole("pageIndex"), PageSize: a.whole("pageSize")}
}

func fillRow(a asking, f exchange.Fill) templates.SheetRow {
	from, to := around(f.Created)
	at := templates.TimeCell(f.Created, a.zone)
	at.Href, at.Title = a.link("/console/bills", "after", from, "before", to), "Spot bills of this second"
	return templates.SheetRow{Cells: []templates.Cell{
		at, templates.TextCell(f.FillID),
		templates.LinkCell(f.OrderID, a.link(templates.FillsPath, "symbol", f.Symbol, "orderId", f.OrderID), "Fills of this order"),
		templates.LinkCell(f.Symbol, a.link(templates.OrdersPath, "pair", f.Symbol), "Open orders of this pair"),
		templates.TextCell(string(f.Side)), templates.TextCell(string(f.Type)), templates.NumberCell(f.FillPrice), templates.NumberCell(f.FillQuantity),
		templates.NumberCell(f.FillTotalAmount), templates.NumberCell(f.Fees), templates.TextCell(string(f.BaseCoin)), templates.TextCell(string(f.QuoteCoin)),
		templates.TextCell(f.AccountID),
	}}
}
