package payments

import (
	"time"

	"github.com/a-h/templ"

	"rebatedesk/affiliate"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/payments"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/web/templates/ui"
)

// Addresses of the income and of its files in the forms of other tools.
const (
	IncomePath       = "/income"
	KoinlyPath       = IncomePath + "/koinly.csv"
	CoinTrackingPath = IncomePath + "/cointracking.csv"
)

// IncomeView is the income at receipt.
type IncomeView struct {
	Report payments.Income
	Links  ui.Links
}

func (v IncomeView) zone() *time.Location { return ui.ZoneOf(v.Links.Query) }

// several reports whether the bills need a column that names their account.
func (v IncomeView) several() bool { return len(v.Report.Options.Accounts) > 1 }

// incomeForms are the files of a month or a year, in the order of their links.
var incomeForms = []struct{ path, label, hint string }{
	{IncomePath + ".xlsx", "Excel", "a workbook of Excel"},
	{IncomePath + ".csv", "CSV", "CSV"},
	{KoinlyPath, "Koinly", "Koinly imports it"},
	{CoinTrackingPath, "CoinTracking", "CoinTracking imports it"},
}

// during returns the links of the page about some days.
func (v IncomeView) during(days affiliate.Days) ui.Links {
	l := v.Links
	l.Query.Range, l.Query.Days, l.Query.Page = query.Custom, days, 1
	return l
}

// incomeRow is a row of the table of months: a coin of a month, or all its coins.
type incomeRow struct {
	month *payments.IncomeSum
	coin  *payments.CoinIncome // nil: all coins, converted
	first bool                 // of its month
	last  bool
}

// monthRows are the rows of a year's months, newest first.
func monthRows(year *payments.IncomeYear) (rows []incomeRow) {
	for i := range year.Months {
		month := &year.Months[i]
		if len(month.Coins) > 1 {
			rows = append(rows, incomeRow{month: month, first: true})
		}
		for j := range month.Coins {
			rows = append(rows, incomeRow{month, &month.Coins[j], len(month.Coins) == 1, j == len(month.Coins)-1})
		}
	}
	return rows
}

// class keeps the coins of a month together.
func (r incomeRow) class() string {
	class := ""
	if !r.first {
		class = "[&>*]:pt-0.5!"
	}
	if !r.last {
		class += " [&>*]:border-b-0! [&>*]:pb-0.5!"
	}
	return class
}

func (v IncomeView) monthColumns() []ui.Column[incomeRow] {
	return ui.Present(
		ui.CellColumn("Month", func(r incomeRow) templ.Component { return incomeMonth(r, v) }, ui.Names("whitespace-nowrap"), ui.Styled("max-sm:pr-0!")),
		ui.CellColumn("Coin", func(r incomeRow) templ.Component {
			if r.coin == nil {
				return ui.Span("text-muted", "", phrase.Things(len(r.month.Coins), "coin"))
			}
			return ui.Foreign(string(r.coin.Coin))
		}),
		ui.TextColumn("Bills", func(r incomeRow) string {
			if r.coin == nil {
				return phrase.Count(r.month.Bills)
			}
			return phrase.Count(r.coin.Bills)
		}, ui.Nums, ui.Styled("max-sm:hidden")),
		ui.CellColumn("Amount", func(r incomeRow) templ.Component {
			if r.coin == nil {
				return ui.Text("")
			}
			return ui.Amount(amountOf(r.coin.Sum, r.coin.Coin))
		}, ui.Nums, ui.Hinted("What arrived, less what the exchange took back")),
		ui.CellColumn("Value, USDT", func(r incomeRow) templ.Component { return incomeValue(r, v) }, ui.Nums, ui.Hinted("At the prices of the days of receipt; press a figure for its prices")),
		ui.CellColumn("Files", func(r incomeRow) templ.Component { return incomeFiles(r, v) }, ui.Styled("no-print pl-8 max-sm:hidden"), ui.Classed("whitespace-nowrap"), ui.If(!v.Links.NoFiles)),
	)
}

// receiptColumns are the columns of the bills.
func (v IncomeView) receiptColumns() []ui.Column[payments.Receipt] {
	type receipt = payments.Receipt
	coin := func(r receipt) affiliate.Coin { return r.Coin }
	return ui.Present(
		ui.SortColumn("", "Received", "When the bill arrived, in the reporting zone", func(r receipt) templ.Component {
			return ui.Span("whitespace-nowrap", phrase.Second(r.Created.Time(), time.UTC), phrase.Minute(r.Local, v.zone()))
		}, ui.OnPhone(ui.Lead)),
		ui.SortColumn("", "Pays (UTC)", "The period that the bill pays", func(r receipt) templ.Component { return receiptLine(r, v) }, ui.OnPhone(ui.Note)),
		ui.SortColumn("", "Kind", "Direct commissions, those of sub-agents, or both in one sum", func(r receipt) templ.Component { return ui.Text(ui.KindLabel(r.Line.Kind)) }),
		ui.SortColumn("", "Account", "", func(r receipt) templ.Component { return ui.Foreign(string(r.Account)) }, ui.If(v.several())),
		ui.SortColumn("", "Bill", "Its wallet and its id at the exchange", func(r receipt) templ.Component { return receiptBill(r) }),
		ui.SortColumn("", "Amount", "What arrived; negative if the exchange took it back", func(r receipt) templ.Component {
			if !r.Amount.Known() {
				return ui.Unknown(r.WhyNoValue())
			}
			return ui.Amount(affiliate.Amount{Value: r.Amount.Decimal(), Coin: r.Coin})
		}, ui.Nums, ui.Classed("font-medium"), ui.OnPhone(ui.Figure)).Kept(coin),
		ui.SortColumn("", "Coin", "", func(r receipt) templ.Component { return ui.Foreign(string(r.Coin)) }),
		ui.SortColumn("", "Value, USDT", "At the price of the day of receipt", func(r receipt) templ.Component { return receiptValue(r, v) }, ui.Nums, ui.OnPhone(ui.NamedNote)),
		ui.SortColumn("", "Price, USDT", "Of one coin", func(r receipt) templ.Component { return receiptPrice(r) }, ui.Nums),
	)
}

// priceWords says which price gave the value of a bill.
func priceWords(r *payments.Receipt, zone *time.Location) string {
	words := affiliate.Amount{Value: r.Value.Decimal(), Coin: figures.ValuedIn}.Exact()
	if r.Price == payments.PricePar {
		return words
	}
	words += "\n" + affiliate.Amount{Value: r.Amount.Decimal(), Coin: r.Coin}.Exact() + " × " + phrase.Price(r.Rate) + " USDT (" + r.Rate.Source + ", " + phrase.Clock(r.Rate.At.Time(), zone) + ")"
	if instead := priceMarks[r.Price]; instead != "" {
		words += "\nThe day of receipt has no price: " + instead + " is used."
	}
	return words
}

var priceMarks = map[payments.PriceKind]string{
	payments.PriceEarlier:  "the newest price from before",
	payments.PriceImported: "an imported price",
	payments.PriceLater:    "the first known price, of a later day,",
}

// scopeWords says of which days the income is.
func (v IncomeView) scopeWords() string {
	if v.Links.Query.Range == query.AllTime {
		return "in all"
	}
	return phrase.In(v.Links.Query, false)
}

// amounts are the sums of all coins.
func (v IncomeView) amounts() (list []affiliate.Amount) {
	for _, c := range v.Report.Total.Coins {
		list = append(list, amountOf(c.Sum, c.Coin))
	}
	return list
}

// answerTail ends the sentence about what arrived: in how many bills, and at which prices.
func (v IncomeView) answerTail() string {
	total := &v.Report.Total
	words := "in " + phrase.Things(total.Bills, "bill")
	if total.Worth.Known() {
		if len(total.Coins) > 1 {
			words += " of " + phrase.Things(len(total.Coins), "coin")
		}
		words += ", at the prices of the days of receipt" + phrase.OtherPrices(total.Worth, v.zone())
	}
	words += "."
	if missing := phrase.Unpriced(total.Worth.Missing); missing != "" {
		words += " " + missing
	}
	if total.Blank > 0 {
		words += " The exchange tells no amount of " + phrase.Things(total.Blank, "bill") + ", which add nothing."
	}
	return words
}

// incomeFilesNote describes the files of the page.
const incomeFilesNote = "A row for each bill, with its price. Koinly and CoinTracking take their files as they are; times in them are UTC."
