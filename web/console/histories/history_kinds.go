package histories

import (
	"cmp"
	"context"
	"errors"
	"iter"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
	"rebatedesk/reports/payments"
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

func fillQuery(a console.Asking) weex.FillQuery {
	return weex.FillQuery{Symbol: a.Values.Get("symbol"), OrderID: a.Values.Get("orderId"), From: a.Millis("after"), To: a.Millis("before"),
		PageIndex: a.Whole("pageIndex"), PageSize: a.Whole("pageSize")}
}

func fillRow(a console.Asking, f weex.Fill) frame.SheetRow {
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

// billsSheet is the page of the bills of the spot account (4.14).
var billsSheet = console.Sheet{
	Path: "/console/bills", Title: "Spot bills", Words: "account history balance", Noun: "bill", Section: "4.14", About: "What changed the balances of the spot account",
	Answers: "What came into and went out of the spot account?", Terms: []string{"reading"},
	Fields: []frame.Field{
		console.Field("coinId", "Coin id", "text"), console.OneOfText(console.Field("bizType", "Type", ""), weex.BillTypes()),
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
		p.Rows, p.Unread = console.PageRows(a, got, billRow), console.Unread(got, "bill", func(b weex.Bill) string { return b.BillID })
		if n := len(got.Records); n > 0 {
			p.Next = console.Older("before", got.Records[n-1].Created, got.Len(), cmp.Or(q.Limit, console.UsualRows))
		}
		return p, err
	},
	All: func(ctx context.Context, a console.Asking) iter.Seq2[frame.SheetRow, error] {
		return console.AllRows(a, a.Client.AllBills(ctx, billQuery(a)), billRow)
	},
}

func billQuery(a console.Asking) weex.BillQuery {
	return weex.BillQuery{CoinID: a.Values.Get("coinId"), Type: weex.BillType(a.Values.Get("bizType")), From: a.Millis("after"), To: a.Millis("before")}
}

func billRow(a console.Asking, b weex.Bill) frame.SheetRow {
	kind := frame.TextCell(string(b.Type))
	if b.Type == "trade_in" || b.Type == "trade_out" {
		// A bill names a coin and no pair, so the reader adds the pair.
		from, to := console.Around(b.Created)
		kind.Href, kind.Title = a.Link(frame.FillsPath, "after", from, "before", to), "Fills of this second, once a pair is chosen"
	}
	return frame.SheetRow{Cells: []frame.Cell{
		frame.TimeCell(b.Created, a.Zone), frame.TextCell(b.BillID), kind,
		frame.LinkCell(string(b.CoinName), a.Link("/console/bills", "coinId", b.CoinID), "Bills of this coin"),
		frame.AmountCell(b.DeltaAmount), frame.AmountCell(b.AfterAmount), frame.AmountCell(b.FillSize),
		frame.AmountCell(b.FillValue), frame.AmountCell(b.Fees), frame.TextCell(b.CoinID),
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
		p.Rows, p.Unread = console.PageRows(a, got, fundingRow), console.Unread(got, "bill", func(b weex.FundingBill) string { return b.BillID })
		p.Back, p.Next = console.Turned("pageIndex", cmp.Or(q.PageIndex, 1), 1, cmp.Or(q.PageSize, console.UsualRows), got)
		return p, err
	},
	All: func(ctx context.Context, a console.Asking) iter.Seq2[frame.SheetRow, error] {
		return console.AllRows(a, a.Client.AllFundingBills(ctx, fundingQuery(a)), fundingRow)
	},
}

func fundingQuery(a console.Asking) weex.FundingBillQuery {
	return weex.FundingBillQuery{CoinID: a.Values.Get("coinId"), From: a.Millis("startTime"), To: a.Millis("endTime")}
}

func fundingRow(a console.Asking, b weex.FundingBill) frame.SheetRow {
	return frame.SheetRow{Cells: []frame.Cell{
		frame.TimeCell(b.Created, a.Zone), frame.TextCell(b.BillID), frame.TextCell(string(b.Type)),
		frame.LinkCell(string(b.CoinName), a.Link("/console/funding", "coinId", b.CoinID), "Funding bills of this coin"),
		frame.AmountCell(b.DeltaAmount), frame.AmountCell(b.AfterAmount), frame.AmountCell(b.Fees), frame.TextCell(b.CoinID),
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
		p.Rows, p.Unread = console.PageRows(a, got, transferRow), console.Unread(got, "transfer", func(t weex.Transfer) string { return string(t.CoinName) })
		if n := len(got.Records); n > 0 {
			p.Next = console.Older("after", got.Records[n-1].Time, got.Len(), q.Limit)
		}
		return p, err
	},
	All: func(ctx context.Context, a console.Asking) iter.Seq2[frame.SheetRow, error] {
		return console.AllRows(a, a.Client.AllTransfers(ctx, transferQuery(a)), transferRow)
	},
}

func transferQuery(a console.Asking) weex.TransferQuery {
	return weex.TransferQuery{CoinID: a.Values.Get("coinId"), FromType: a.Values.Get("fromType"), From: a.Millis("before"), To: a.Millis("after")}
}

func transferRow(a console.Asking, v weex.Transfer) frame.SheetRow {
	return frame.SheetRow{Cells: []frame.Cell{
		frame.TimeCell(v.Time, a.Zone), frame.TextCell(string(v.CoinName)), frame.AmountCell(v.Amount), frame.TextCell(string(v.FromType)),
		frame.TextCell(string(v.FromSymbol)), frame.TextCell(string(v.ToType)), frame.TextCell(string(v.ToSymbol)), frame.TextCell(string(v.Status)),
	}}
}

// recorded is one record of a history, with what all kinds have in common.
type recorded struct {
	at      affiliate.Millis
	coin    affiliate.Coin   // of the change; of a fill the quote coin
	kind    string           // business type, side of a fill, or status of a transfer
	change  affiliate.Number // of the balance; of a fill its value, of a transfer its amount
	balance affiliate.Number // after it; unknown for fills and transfers

	fill     *weex.Fill
	bill     *weex.Bill
	funding  *weex.FundingBill
	transfer *weex.Transfer
}

// recordList are the records of one history, the newest first once they are read.
type recordList []recorded

func billName(account affiliate.Account, wallet affiliate.Wallet, id string) payments.BillName {
	return payments.BillName{Account: account, Wallet: wallet, ID: id}
}

// gather turns an iteration into records, and hands on the time of each. A record that could not be read
// is one of what could: its change is unknown, and so are the sums that it belongs to.
func gather[T any](all iter.Seq2[T, error], of func(T) recorded, each func(affiliate.Millis)) (list recordList, err error) {
	for record, err := range all {
		if wrong, ok := errors.AsType[*exchange.RecordError[T]](err); ok {
			if wrong.Spared {
				continue
			}
			record, err = wrong.Record, nil
		}
		if err != nil {
			return list, err
		}
		list = append(list, of(record))
		each(list[len(list)-1].at)
	}
	return list, nil
}

func ofFill(f weex.Fill) recorded {
	return recorded{at: f.Created, coin: f.QuoteCoin, kind: string(f.Side), change: f.FillTotalAmount, fill: &f}
}

func ofBill(b weex.Bill) recorded {
	return recorded{at: b.Created, coin: b.CoinName, kind: string(b.Type), change: b.DeltaAmount, balance: b.AfterAmount, bill: &b}
}

func ofFunding(b weex.FundingBill) recorded {
	return recorded{at: b.Created, coin: b.CoinName, kind: string(b.Type), change: b.DeltaAmount, balance: b.AfterAmount, funding: &b}
}

// transferArrow is between the two accounts of a transfer's kind.
const transferArrow = " → "

func ofTransfer(t weex.Transfer) recorded {
	return recorded{at: t.Time, coin: t.CoinName, kind: string(t.FromType) + transferArrow + string(t.ToType), change: t.Amount, transfer: &t}
}

// keptBill converts a stored bill to the form in which the exchange lists it.
func keptBill(b affiliate.Bill) recorded {
	if b.Wallet == affiliate.FundingWallet {
		return ofFunding(weex.FundingBill{BillID: b.ID, CoinID: b.CoinID, CoinName: b.Coin, Type: weex.FundingBillType(b.Business),
			DeltaAmount: b.Amount, AfterAmount: b.Balance, Fees: b.Fees, Created: b.Created})
	}
	return ofBill(weex.Bill{BillID: b.ID, CoinID: b.CoinID, CoinName: b.Coin, Type: weex.BillType(b.Business), FillSize: b.FillSize, FillValue: b.FillValue,
		DeltaAmount: b.Amount, AfterAmount: b.Balance, Fees: b.Fees, Created: b.Created})
}

func keptTransfer(t affiliate.Transfer) recorded {
	listed := weex.Transfer{CoinName: t.Coin, Status: weex.TransferStatus(t.Status), Amount: t.Amount, Time: t.Time}
	set(&listed.ToType, t.ToType)
	set(&listed.ToSymbol, t.ToSymbol)
	set(&listed.FromType, t.FromType)
	set(&listed.FromSymbol, t.FromSymbol)
	return ofTransfer(listed)
}

func set[T ~string](field *T, text string) { *field = T(text) }

var fillHistory = history{
	Sheet: fillsSheet,
	ask: func(ctx context.Context, a console.Asking, part part, each func(affiliate.Millis)) (recordList, error) {
		return gather(a.Client.AllFills(ctx, weex.FillQuery{Symbol: part.symbol, OrderID: part.order, From: part.from, To: part.to}), ofFill, each)
	},
	row:   func(a console.Asking, r recorded) frame.SheetRow { return fillRow(a, *r.fill) },
	kinds: []string{string(weex.Buy), string(weex.Sell)},
}

var billHistory = history{
	Sheet: billsSheet, stream: affiliate.SpotBills, wallet: affiliate.SpotWallet,
	ask: func(ctx context.Context, a console.Asking, part part, each func(affiliate.Millis)) (recordList, error) {
		return gather(a.Client.AllBills(ctx, weex.BillQuery{From: part.from, To: part.to}), ofBill, each)
	},
	row:   func(a console.Asking, r recorded) frame.SheetRow { return billRow(a, *r.bill) },
	kinds: textsOf(weex.BillTypes()),
}

var fundingHistory = history{
	Sheet: fundingSheet, stream: affiliate.FundingBills, wallet: affiliate.FundingWallet,
	ask: func(ctx context.Context, a console.Asking, part part, each func(affiliate.Millis)) (recordList, error) {
		return gather(a.Client.AllFundingBills(ctx, weex.FundingBillQuery{From: part.from, To: part.to}), ofFunding, each)
	},
	row:   func(a console.Asking, r recorded) frame.SheetRow { return fundingRow(a, *r.funding) },
	kinds: textsOf(weex.FundingBillTypes()),
}

var transferHistory = history{
	Sheet: transfersSheet, stream: affiliate.Transfers,
	ask: func(ctx context.Context, a console.Asking, part part, each func(affiliate.Millis)) (recordList, error) {
		return gather(a.Client.AllTransfers(ctx, weex.TransferQuery{From: part.from, To: part.to}), ofTransfer, each)
	},
	row: func(a console.Asking, r recorded) frame.SheetRow { return transferRow(a, *r.transfer) },
}

// textsOf returns values as the exchange writes them.
func textsOf[T ~string](values []T) (texts []string) {
	for _, value := range values {
		texts = append(texts, string(value))
	}
	return texts
}
