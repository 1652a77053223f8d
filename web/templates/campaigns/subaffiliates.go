package campaigns

import (
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/query"
	"rebatedesk/reports/subaffiliates"
	"rebatedesk/web/templates/ui"
)

// SubAffiliatesView is one page of sub-affiliates.
type SubAffiliatesView struct {
	Report subaffiliates.Report
	Links  ui.Links
}

// SubAffiliateView is the page of one sub-affiliate.
type SubAffiliateView struct {
	Report subaffiliates.Detail
	Links  ui.Links
}

// noUnit is the note on every amount of the sub-affiliates (4.19).
const noUnit = "The exchange states no unit or coin for these amounts. They are added up among themselves and never with commission that has a coin."

const (
	subFilesNote = "One row for each sub-affiliate, product and UTC day, oldest first; the table here adds these rows up."
	subDaysNote  = "One row for each product and UTC day, exact, in the order of the table."
)

// subAffiliateColumns are the columns of the list.
func subAffiliateColumns(q query.Query, accounts []affiliate.Account) []ui.TableColumn {
	columns := []ui.TableColumn{{Field: "uid", Label: "Sub-affiliate"}}
	if len(accounts) > 1 {
		columns = append(columns, ui.TableColumn{Field: "account", Label: "Account"})
	}
	columns = append(columns,
		ui.TableColumn{Name: "volume", Field: "volume", Label: ui.VolumeLabel, Hint: "Trading volume, " + ui.Unitless, Numeric: true, Largest: true},
		ui.TableColumn{Name: "fee", Field: "fee", Label: "Fees paid", Hint: "Net trading fee that the exchange collected", Numeric: true, Largest: true},
		ui.TableColumn{Name: "spot", Field: "spot", Label: "Paid, spot", Hint: "Commission paid for spot trades", Numeric: true, Largest: true},
		ui.TableColumn{Name: "futures", Field: "futures", Label: "Paid, futures", Hint: "Commission paid for futures trades", Numeric: true, Largest: true},
		ui.TableColumn{Name: "ratio", Field: "ratio", Label: "Share of fees", Hint: "Paid commission ÷ net trading fee", Numeric: true, Largest: true},
		ui.TableColumn{Name: "share", Field: "share", Label: "Share", Hint: "Of all paid commission of this selection", Numeric: true, Largest: true},
	)
	if q.Compare != query.CompareNone {
		columns = append(columns, ui.TableColumn{Name: "change", Field: "change", Label: "Change", Hint: "Of the paid commission against the compared period", Numeric: true, Largest: true})
	}
	return append(columns,
		ui.TableColumn{Name: "trend", Label: "Per day", Hint: "Paid commission per day of the range"},
		ui.TableColumn{Name: "days", Field: "days", Label: "Days", Hint: "UTC days with business: the exchange has a record of them", Numeric: true, Largest: true},
		ui.TableColumn{Name: "first", Field: "first", Label: "First day", Hint: "First day with business in the range", Numeric: true, Extra: true},
		ui.TableColumn{Name: "last", Field: "last", Label: "Last day", Hint: "Last day with business in the range", Numeric: true, Largest: true},
		ui.TableColumn{Field: "paid", Label: "Paid", Hint: "Commission paid to the sub-affiliate", Numeric: true, Largest: true, Keep: true},
	)
}

// SubAffiliateChoices are the columns of the list that can be chosen.
func SubAffiliateChoices() []string {
	return ui.ColumnNames(subAffiliateColumns(query.Query{Compare: query.ComparePrevious}, nil))
}

// subAffiliateDayColumns are the columns of the days of one sub-affiliate.
func subAffiliateDayColumns(accounts []affiliate.Account) []ui.TableColumn {
	columns := []ui.TableColumn{{Field: "date", Label: "Day (UTC)", Largest: true}}
	if len(accounts) > 1 {
		columns = append(columns, ui.TableColumn{Field: "account", Label: "Account"})
	}
	return append(columns,
		ui.TableColumn{Field: "product", Label: "Product"},
		ui.TableColumn{Field: "volume", Label: ui.VolumeLabel, Hint: "Trading volume, " + ui.Unitless, Numeric: true, Largest: true},
		ui.TableColumn{Field: "fee", Label: "Fees paid", Hint: "Net trading fee that the exchange collected", Numeric: true, Largest: true},
		ui.TableColumn{Label: "Share of fees", Hint: "Paid commission ÷ net trading fee", Numeric: true},
		ui.TableColumn{Field: "paid", Label: "Paid", Hint: "Commission paid to the sub-affiliate", Numeric: true, Largest: true, Keep: true},
	)
}

// subPlain formats an amount without a unit, with two decimals.
func subPlain(n affiliate.Number) string { return ui.Volume(n.Decimal()) }

// utcNote names the time zone of a page's days if other pages use a different one.
func utcNote(zone *time.Location) string {
	if zone == nil || zone.String() == time.UTC.String() {
		return ""
	}
	return "Days on this page are UTC days, as the exchange counts sub-affiliates; other pages use " + zone.String() + "."
}

// checkWords describes the result of the check.
func checkWords(l subaffiliates.CheckLine) string {
	switch {
	case !l.ReportedWhole && !l.OursWhole:
		return "neither list is collected completely"
	case !l.ReportedWhole:
		return "the exchange's list is not collected completely"
	case !l.OursWhole:
		return "our records are not collected completely"
	}
	return "both collected completely"
}
