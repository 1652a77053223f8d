package console

import (
	"context"
	"errors"
	"iter"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
	"rebatedesk/reports/phrase"
	templates "rebatedesk/web/templates/console"
)

func field(name, label, kind string) templates.ConsoleField {
	return templates.ConsoleField{Name: name, Label: label, Kind: kind}
}

// spotField and contractField are fields for a pair of their market, which takes the ways in which
// people write it.
func spotField(name, label string) templates.ConsoleField {
	return templates.ConsoleField{Name: name, Label: label, Kind: "text", SymbolOf: affiliate.SpotSymbolOf}
}

func contractField(name, label string) templates.ConsoleField {
	return templates.ConsoleField{Name: name, Label: label, Kind: "text", SymbolOf: affiliate.ContractSymbolOf}
}

func needed(f templates.ConsoleField) templates.ConsoleField {
	f.Needed = true
	return f
}

func oneOfText[T ~string](f templates.ConsoleField, of []T) templates.ConsoleField {
	f.Kind = "select"
	for _, option := range of {
		f.Options = append(f.Options, string(option))
	}
	return f
}

func column(name, label string) templates.SheetColumn {
	return templates.SheetColumn{Name: name, Label: label}
}

func figure(name, label string) templates.SheetColumn {
	return templates.SheetColumn{Name: name, Label: label, Numeric: true}
}

// whole returns a validated number, or 0 if it was not given.
func (a asking) whole(name string) int {
	n, _ := strconv.Atoi(a.values.Get(name)) // validated above: it is a number
	return n
}

// millis returns a validated time.
func (a asking) millis(name string) affiliate.Millis {
	n, _ := strconv.ParseInt(a.values.Get(name), 10, 64) // validated above: it is a number
	return affiliate.Millis(n)
}

// link returns the address of another page about the same account.
func (a asking) link(path string, pairs ...string) string {
	values := url.Values{}
	if len(a.console.Names()) > 1 {
		values.Set(accountParam, string(a.account))
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
	}
	return path + "?" + values.Encode()
}

// around returns the instants a second before and after a given one, as parameters.
func around(m affiliate.Millis) (before, after string) {
	second := affiliate.Millis(time.Second.Milliseconds())
	return strconv.FormatInt(int64(m-second), 10), strconv.FormatInt(int64(m+second), 10)
}

// turned returns the neighbouring pages of a page that is counted from first.
func turned[T any](name string, at, first, size int, p exchange.Page[T]) (back, next url.Values) {
	if at > first {
		back = url.Values{name: {strconv.Itoa(at - 1)}}
	}
	if p.Next == affiliate.FlagOf(true) || p.Next == "" && len(p.Records) >= size {
		next = url.Values{name: {strconv.Itoa(at + 1)}}
	}
	return back, next
}

// older requests records not newer than the oldest of a full answer. Records of the
// same millisecond are repeated, so that none is skipped.
func older(name string, oldest affiliate.Millis, got, limit int) url.Values {
	if got < limit || !oldest.Known() {
		return nil
	}
	return url.Values{name: {strconv.FormatInt(int64(oldest+1), 10)}}
}

// rowsOf converts records to rows.
func rowsOf[T any](records []T, row func(T) templates.SheetRow) []templates.SheetRow {
	rows := make([]templates.SheetRow, len(records))
	for i, r := range records {
		rows[i] = row(r)
	}
	return rows
}

// pageRows converts a page to rows. A record that could not be read has a row of what could.
func pageRows[T any](page exchange.Page[T], row func(T) templates.SheetRow) []templates.SheetRow {
	rows := rowsOf(page.Records, row)
	for _, q := range page.Quarantined {
		rows = append(rows, row(q.Record))
	}
	return rows
}

// mostUnread is how many records that could not be read are named.
const mostUnread = 3

// unread says what of a page could not be read, in a sentence, or nothing. name names a record, as far
// as it could be read.
func unread[T any](page exchange.Page[T], noun string, name func(T) string) string {
	all := slices.Concat(page.Quarantined, page.Spared)
	if len(all) == 0 {
		return ""
	}
	var words []string
	for _, q := range all[:min(len(all), mostUnread)] {
		what := q.String()
		if of := name(q.Record); of != "" {
			what = of + ": " + what
		}
		words = append(words, what)
	}
	if more := len(all) - len(words); more > 0 {
		words = append(words, phrase.Count(more)+" more")
	}
	return phrase.Things(len(all), noun) + " could not be read completely: " + strings.Join(words, "; ") + "."
}

// allRows converts an iteration over records to one over rows. A record that could not be read has
// a row of what could.
func allRows[T any](all iter.Seq2[T, error], row func(T) templates.SheetRow) iter.Seq2[templates.SheetRow, error] {
	return func(yield func(templates.SheetRow, error) bool) {
		for record, err := range all {
			if wrong, ok := errors.AsType[*exchange.RecordError[T]](err); ok {
				if wrong.Spared {
					continue
				}
				record, err = wrong.Record, nil
			}
			if err != nil {
				yield(templates.SheetRow{}, err)
				return
			}
			if !yield(row(record), nil) {
				return
			}
		}
	}
}

const records = 100 // the default number on a page

func orWhole(n, usual int) int {
	if n == 0 {
		return usual
	}
	return n
}

// ordersSheet is one answer of the exchange about the open orders of a pair (4.11).
var ordersSheet = sheet{
	Path: "/console/orders", title: "Open orders", words: "trade", noun: "order", section: "4.11",
	about:   "Orders of a pair that are not filled, or only in part",
	answers: "Which orders wait at the exchange?", terms: []string{"intent", "unknown intent"},
	fields: []templates.ConsoleField{needed(spotField("symbol", "Pair")), field("limit", "Rows (1–100)", "number"), field("pageNo", "Page, from 0", "number")},
	columns: []templates.SheetColumn{
		column("order_id", "Order"), column("client_order_id", "Client order id"), column("symbol", "Pair"), column("side", "Side"),
		column("order_type", "Type"), column("status", "Status"), figure("price", "Price"), figure("quantity", "Quantity"),
		figure("fill_quantity", "Filled"), figure("fill_total_amount", "Filled value"), figure("latest_fill_price", "Last fill"),
		figure("max_fill_price", "Highest fill"), figure("min_fill_price", "Lowest fill"),
		column("created_utc", "Created"), column("updated_utc", "Updated"), column("account_id", "Account id"),
	},
	ask: func(ctx context.Context, a asking) (p sheetPage, err error) {
		q := exchange.OpenOrderQuery{Symbol: a.values.Get("symbol"), Limit: a.whole("limit"), PageNo: a.whole("pageNo")}
		got, err := a.client.OpenOrders(ctx, q)
		p.rows = rowsOf(got.Records, a.orderRow)
		p.back, p.next = turned("pageNo", q.PageNo, 0, orWhole(q.Limit, records), got)
		return p, err
	},
	all: func(ctx context.Context, a asking) iter.Seq2[templates.SheetRow, error] {
		return allRows(a.client.AllOpenOrders(ctx, exchange.OpenOrderQuery{Symbol: a.values.Get("symbol")}), a.orderRow)
	},
}

func (a asking) orderRow(o exchange.OpenOrder) templates.SheetRow {
	fills := a.link(fillsSheetPath, "symbol", o.Symbol, "orderId", o.OrderID)
	return templates.SheetRow{Cells: []templates.Cell{
		templates.LinkCell(o.OrderID, fills, "Fills of this order"), templates.TextCell(string(o.ClientOrderID)), templates.TextCell(o.Symbol),
		templates.TextCell(string(o.Side)), templates.TextCell(string(o.Type)), templates.TextCell(string(o.Status)),
		templates.NumberCell(o.Price), templates.NumberCell(o.Quantity), templates.NumberCell(o.FillQuantity),
		templates.NumberCell(o.FillTotalAmount), templates.NumberCell(o.LatestFillPrice), templates.NumberCell(o.MaxFillPrice),
		templates.NumberCell(o.MinFillPrice), templates.TimeCell(o.Created, a.zone), templates.TimeCell(o.Updated, a.zone), templates.TextCell(o.AccountID),
	}}
}

const fillsSheetPath = "/console/fills"

// fillsSheet is the page of the account's own trades on a pair (4.12).
var fillsSheet = sheet{
	Path: fillsSheetPath, title: "Fills", words: "trades executed history", noun: "fill", section: "4.12", about: "The account's own trades on a pair",
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
		q := a.fillQuery()
		got, err := a.client.Fills(ctx, q)
		p.rows = rowsOf(got.Records, a.fillRow)
		p.back, p.next = turned("pageIndex", q.PageIndex, 0, orWhole(q.PageSize, records), got)
		return p, err
	},
	all: func(ctx context.Context, a asking) iter.Seq2[templates.SheetRow, error] {
		q := a.fillQuery()
		q.PageSize, q.PageIndex = 0, 0
		return allRows(a.client.AllFills(ctx, q), a.fillRow)
	},
}

func (a asking) fillQuery() exchange.FillQuery {
	return exchange.FillQuery{Symbol: a.values.Get("symbol"), OrderID: a.values.Get("orderId"), From: a.millis("after"), To: a.millis("before"),
		PageIndex: a.whole("pageIndex"), PageSize: a.whole("pageSize")}
}

func (a asking) fillRow(f exchange.Fill) templates.SheetRow {
	from, to := around(f.Created)
	at := templates.TimeCell(f.Created, a.zone)
	at.Href, at.Title = a.link("/console/bills", "after", from, "before", to), "Spot bills of this second"
	return templates.SheetRow{Cells: []templates.Cell{
		at, templates.TextCell(f.FillID),
		templates.LinkCell(f.OrderID, a.link(fillsSheetPath, "symbol", f.Symbol, "orderId", f.OrderID), "Fills of this order"),
		templates.LinkCell(f.Symbol, a.link(OrdersPath, "pair", f.Symbol), "Open orders of this pair"),
		templates.TextCell(string(f.Side)), templates.TextCell(string(f.Type)), templates.NumberCell(f.FillPrice), templates.NumberCell(f.FillQuantity),
		templates.NumberCell(f.FillTotalAmount), templates.NumberCell(f.Fees), templates.TextCell(string(f.BaseCoin)), templates.TextCell(string(f.QuoteCoin)),
		templates.TextCell(f.AccountID),
	}}
}
