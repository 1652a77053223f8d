package campaigns

import (
	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/drivers"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitecodes"
	"rebatedesk/reports/query"
	"rebatedesk/web/templates/ui"
)

// CodesView is one page of invite codes.
type CodesView struct {
	Report invitecodes.Report
	Links  ui.Links
}

const (
	codeFilesNote = "One row for each code, as in the table but whole: all columns, exact, amounts in its coin."
	valueHint     = "Commission per registration: all that those who registered in the range have earned until now, divided by how many they are"
	// listedNoMore explains why some people are missing for good.
	listedNoMore = "the exchange lists nobody who registered over 365 days ago"
	nobody       = "nobody registered with it in the range"
)

// codeColumns are the columns of the list.
func codeColumns(q query.Query, accounts []affiliate.Account, coin affiliate.Coin) []ui.TableColumn {
	columns := []ui.TableColumn{{Field: "code", Label: "Code"}}
	if len(accounts) > 1 {
		columns = append(columns, ui.TableColumn{Field: "account", Label: "Account"})
	}
	number := func(name, label, hint string) ui.TableColumn {
		return ui.TableColumn{Name: name, Field: name, Label: label, Hint: hint, Numeric: true, Largest: true}
	}
	extra := func(name, label, hint string) ui.TableColumn {
		c := number(name, label, hint)
		c.Extra = true
		return c
	}
	columns = append(columns,
		number("registered", "Registered", "Registered in the range with the code"),
		number("kyc", "KYC", "Of the registered, who passed KYC, and what part of them"),
		extra("kyc-rate", "KYC %", "Of the registered, the part who passed KYC"),
		number("deposited", "Deposited", "Of the registered, who deposited until now, and what part of them"),
		extra("deposit-rate", "Deposited %", "Of the registered, the part who deposited until now"),
		number("traded", "Traded", "Of the registered, who traded until now, and what part of them"),
		extra("trade-rate", "Traded %", "Of the registered, the part who traded until now"),
		number("value", "Per reg.", valueHint),
		number("first-deposits", "1st deposit", "Made their first deposit in the range, whenever they registered"),
		number("first-trades", "1st trade", "Made their first trade in the range, whenever they registered"),
		number("active", "Active", "With at least one commission record in the range, whenever they registered"),
		number("volume", ui.VolumeLabel, "Taker + maker of all coins' records together, "+ui.Unitless),
		number("fee", "Fees paid", "Fees paid by invitees, in "+string(coin)),
		number("share", "Share", "Of the commission of all codes of this selection"),
	)
	if q.Compare != query.CompareNone {
		columns = append(columns, number("change", "Change", "In "+string(coin)+", of the commission against the compared period; ordered by the amount"))
	}
	columns = append(columns, ui.TableColumn{Name: "trend", Label: "Per day", Hint: "Commission per day of the range, in " + string(coin)})
	columns = append(columns, ui.TableColumn{Field: "commission", Label: "Commission, " + string(coin), Hint: "In the range", Numeric: true, Largest: true, Keep: true})
	group := ""
	for i, c := range columns {
		switch c.Field {
		case "registered":
			group = "Of those who registered in the range, until now"
		case "first-deposits":
			group = "In the range, whenever they registered"
		}
		columns[i].Group = group
	}
	return columns
}

// CodeColumns are the columns of the list that can be chosen.
func CodeColumns() []string {
	return ui.ColumnNames(codeColumns(query.Query{Compare: query.ComparePrevious}, nil, ""))
}

// in returns an amount in the coin of the list.
func (v CodesView) in(value decimal.Decimal) affiliate.Amount {
	return affiliate.Amount{Value: value, Coin: v.Report.Coin}
}

// bar returns the bar of one of the top codes, or of the others.
func (v CodesView) bar(line invitecodes.CodeLine) ui.Bar {
	least, most := decimal.Zero, decimal.Zero
	for _, one := range append([]invitecodes.CodeLine{v.Report.Others}, v.Report.Top...) {
		commission := one.In(v.Report.Coin).Commission
		least, most = decimal.Min(least, commission), decimal.Max(most, commission)
	}
	return ui.BarOf(line.In(v.Report.Coin).Commission, least, most)
}

// otherCoins returns the cards of the coins other than that of the list.
func (v CodesView) otherCoins() []figures.CoinCard {
	var cards []figures.CoinCard
	for _, card := range v.Report.Cards {
		if card.Coin != v.Report.Coin {
			cards = append(cards, card)
		}
	}
	return cards
}

// coinCard returns the card of the coin of the list; all zero if it earned nothing.
func (v CodesView) coinCard() figures.CoinCard {
	for _, card := range v.Report.Cards {
		if card.Coin == v.Report.Coin {
			return card
		}
	}
	zero := figures.Figure{Amount: v.in(decimal.Zero), Change: figures.Change{Kind: figures.ChangeNone}}
	return figures.CoinCard{Coin: v.Report.Coin, Summed: affiliate.MapSummed(new(affiliate.Summed[bool]), func(*bool) figures.Figure { return zero })}
}

// driversOf returns the address of what moved the commission of a code; it is empty without any,
// and for invitees without a known code.
func (v CodesView) driversOf(line invitecodes.CodeLine) string {
	if line.Code == "" || line.In(v.Report.Coin).Records == 0 && line.Was(v.Report.Coin).Records == 0 {
		return ""
	}
	return v.Links.Drivers(func(q *query.Query) {
		q.Code, q.Coin, q.Text = line.Code, v.Report.Coin, ""
		if len(v.Report.Options.Accounts) > 1 {
			q.Account = line.Account
		}
	})
}

// driversOfAll returns the address of what moved the commission of all codes of the page; it is
// empty if that page cannot narrow its records in the same way.
func (v CodesView) driversOfAll() string {
	if !v.Links.DriversFit() {
		return ""
	}
	return v.Links.Drivers(func(q *query.Query) { q.Coin, q.By = v.Report.Coin, string(drivers.ByCode) })
}
