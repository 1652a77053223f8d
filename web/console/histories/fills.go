package histories

import (
	"cmp"
	"context"
	"iter"

	"rebatedesk/exchange"
	"rebatedesk/web/console"
	"rebatedesk/web/templates/console/frame"
)

// fillsSheet is the page of the account's own trades on a pair (4.12).
var fillsSheet = console.Sheet{
	Path: frame.FillsPath, Title: "Fills", Words: "trades executed history", Noun: "fill", Section: "4.12", About: "The account's own trades on a pair",
	Answers: "Which orders were executed, at what price and fee?", Terms: []string{"reading"},
	Fields: []frame.Field{
		console.Needed(console.SpotField("symbol", "Pair")), console.Field("orderId", "Order", "text"), console.Field("after", "From", "datetime-local"),
		console.Field("before", "To", "datetime-local"), console.Field("pageSize", "Rows (1–100)", "number"), console.Field("pageIndex", "Page, from 0", "number"),
	},
	Columns: []frame.SheetColumn{
		console.Column("created_utc", "Time"), console.Column("fill_id", "Fill"), console.Column("order_id", "Order"), console.Column("symbol", "Pair"), console.Column("side", "Side"),
		console.Column("order_type", "Type"), console.Figure("fill_price", "Price"), console.Figure("fill_quantity", "Quantity"), console.Figure("fill_total_amount", "Value"),
		console.Figure("fees", "Fee"), console.Column("base_coin", "Base"), console.Column("quote_coin", "Quote"), console.Column("account_id", "Account id"),
	},
	Ask: func(ctx context.Context, a console.Asking) (p console.SheetPage, err error) {
		q := fillQuery(a)
		got, err := a.Client.Fills(ctx, q)
		p.Rows = console.RowsOf(a, got.Records, fillRow)
		p.Back, p.Next = console.Turned("pageIndex", q.PageIndex, 0, cmp.Or(q.PageSize, console.UsualRows), got)
		return p, err
	},
	All: func(ctx context.Context, a console.Asking) iter.Seq2[frame.SheetRow, error] {
		q := fillQuery(a)
		q.PageSize, q.PageIndex = 0, 0
		return console.AllRows(a, a.Client.AllFills(ctx, q), fillRow)
	},
}

func fillQuery(a console.Asking) exchange.FillQuery {
	return exchange.FillQuery{Symbol: a.Values.Get("symbol"), OrderID: a.Values.Get("orderId"), From: a.Millis("after"), To: a.Millis("before"),
		PageIndex: a.Whole("pageIndex"), PageSize: a.Whole("pageSize")}
}

func fillRow(a console.Asking, f exchange.Fill) frame.SheetRow {
	from, to := console.Around(f.Created)
	at := frame.TimeCell(f.Created, a.Zone)
	at.Href, at.Title = a.Link("/console/bills", "after", from, "before", to), "Spot bills of this second"
	return frame.SheetRow{Cells: []frame.Cell{
		at, frame.TextCell(f.FillID),
		frame.LinkCell(f.OrderID, a.Link(frame.FillsPath, "symbol", f.Symbol, "orderId", f.OrderID), "Fills of this order"),
		frame.LinkCell(f.Symbol, a.Link(frame.OrdersPath, "pair", f.Symbol), "Open orders of this pair"),
		frame.TextCell(string(f.Side)), frame.TextCell(string(f.Type)), frame.NumberCell(f.FillPrice), frame.NumberCell(f.FillQuantity),
		frame.NumberCell(f.FillTotalAmount), frame.NumberCell(f.Fees), frame.TextCell(string(f.BaseCoin)), frame.TextCell(string(f.QuoteCoin)),
		frame.TextCell(f.AccountID),
	}}
}
