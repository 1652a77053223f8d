// Package invitees draws invitees, and groups of them: cohorts and segments.
package invitees

import (
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/drivers"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/invitees"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/query"
	"rebatedesk/reports/segments"
	"rebatedesk/store/people"
	"rebatedesk/store/records"
	"rebatedesk/web/templates/ui"
)

// InviteesView is one page of invitees.
type InviteesView struct {
	Report invitees.List
	Links  ui.Links
	Saves  bool // the reader may save the filters as a segment
}

// newSegment returns the form of a new segment with the filters of a list of invitees.
func newSegment(q query.Query) string { return ui.SegmentsPath + "/new?" + segments.FromList(q) }

// inviteeFilesNote describes the files of the list.
const inviteeFilesNote = "Every invitee of this selection, in the order of the table, with what the exchange tells of it. Of those known from commission only, the exchange tells nothing: those cells are empty. Lifetime commission and commission at risk are in one coin per row: the one chosen above, else the one of most of the invitee's records."

// atRiskHint explains commission at risk.
const atRiskHint = "Mean commission of 30 days while the invitee traded, in the last 180 days: of those who are silent by their own rhythm"

// inviteeColumns are the columns of the list. Summed columns come last.
func inviteeColumns(q query.Query, r invitees.List) []ui.TableColumn {
	in := ""
	if r.Coin != "" {
		in = ", " + string(r.Coin)
	}
	columns := []ui.TableColumn{{Field: "uid", Label: "UID"}}
	if len(r.Options.Accounts) > 1 {
		columns = append(columns, ui.TableColumn{Field: "account", Label: "Account"})
	}
	columns = append(columns,
		ui.TableColumn{Name: "code", Field: "code", Label: "Code", Hint: "Invite code"},
		ui.TableColumn{Name: "trend", Label: "Per day", Hint: "Commission per day of the range" + in},
		ui.TableColumn{Name: "state", Field: "state", Label: "State", Hint: "How the invitee trades, and how the exchange stands to it"},
		ui.TableColumn{Name: "tags", Label: "Tags", Extra: len(r.Tags) == 0},
		ui.TableColumn{Name: "registered", Field: "registered", Label: "Registered", Largest: true},
		ui.TableColumn{Name: "kyc", Field: "kyc", Label: "KYC", Hint: "Passed the identity check of the exchange", Extra: true},
		ui.TableColumn{Name: "first-deposit", Field: "first-deposit", Label: "First deposit", Largest: true, Extra: true},
		ui.TableColumn{Name: "first-trade", Field: "first-trade", Label: "First trade", Largest: true, Extra: true},
		ui.TableColumn{Name: "last-deposit", Field: "last-deposit", Label: "Last deposit", Largest: true, Extra: true},
		ui.TableColumn{Name: "last-trade", Field: "last-trade", Label: "Last trade", Hint: "As the exchange tells or as commission was earned, whichever is later", Largest: true, Extra: q.Compare != query.CompareNone},
		ui.TableColumn{Name: "silent", Field: "silent", Label: "Days silent", Hint: "From the last trade to today", Numeric: true, Largest: true},
		ui.TableColumn{Name: "gap", Field: "gap", Label: "Usual gap", Hint: "Days between days with commission: the median of the last 180 days", Numeric: true, Largest: true, Extra: true},
		ui.TableColumn{Name: "at-risk", Field: "at-risk", Label: "At risk" + in, Hint: atRiskHint, Numeric: true, Largest: true, Extra: q.State != invitees.ChoiceAtRisk},
		ui.TableColumn{Name: "lifetime", Field: "lifetime", Label: "Lifetime", Hint: "All commission that is collected" + in, Numeric: true, Largest: true},
		ui.TableColumn{Name: "volume", Field: "volume", Label: ui.VolumeLabel, Hint: "In the range, of all coins' records together, " + ui.Unitless, Numeric: true, Largest: true, Extra: true},
		ui.TableColumn{Name: "fee", Field: "fee", Label: "Fees paid" + in, Hint: "Fees paid by the invitee in the range", Numeric: true, Largest: true, Extra: true},
	)
	if q.Compare != query.CompareNone {
		columns = append(columns, ui.TableColumn{Name: "change", Field: "change", Label: "Change", Hint: "Of the commission against the compared period; ordered by the amount", Numeric: true, Largest: true})
	}
	columns = append(columns, ui.TableColumn{Field: "commission", Label: "Commission" + in, Hint: "In the range", Numeric: true, Largest: true, Keep: true})
	for i, c := range columns {
		switch c.Field {
		case "last-trade", "silent", "gap", "at-risk", "lifetime":
			columns[i].Group = "Until now"
		case "volume", "fee", "change", "commission":
			columns[i].Group = "In the range"
		}
	}
	return columns
}

// InviteeColumns are the columns of the list that can be chosen.
func InviteeColumns() []string {
	return ui.ColumnNames(inviteeColumns(query.Query{Compare: query.ComparePrevious}, invitees.List{}))
}

// inviteeAmounts are the columns of the totals.
var inviteeAmounts = []string{"at-risk", "lifetime", "volume", "fee", "change", "commission"}

// silenceWords explain the two rules of silence.
const silenceWords = "Silent: no trade for more than 30 days, or for more than three of the invitee's usual gaps. " +
	"At risk: worth 10 USDT or more in 30 days while it traded, and silent by the usual gap of the last 180 days; new invitees count too."

func tagOptions(tags []people.TagCount, q query.Query) []ui.Pair {
	var pairs []ui.Pair
	found := q.Tag == ""
	for _, t := range tags {
		value := t.Tag
		if strings.EqualFold(value, q.Tag) {
			value, found = q.Tag, true
		}
		pairs = append(pairs, ui.Pair{Name: value, Value: t.Tag + " (" + phrase.Count(t.Invitees) + ")"})
	}
	if !found {
		pairs = append(pairs, ui.Pair{Name: q.Tag, Value: q.Tag})
	}
	return pairs
}

// commissionsOf returns the commission of totals.
func commissionsOf(totals []figures.Totals) []affiliate.Amount {
	amounts := make([]affiliate.Amount, len(totals))
	for i, t := range totals {
		amounts[i] = affiliate.Amount{Value: t.Commission, Coin: t.Coin}
	}
	return amounts
}

// otherCoins returns the amounts in all other coins, as a title; they are not added up.
func otherCoins(amounts []affiliate.Amount, coin affiliate.Coin) (title string, n int) {
	var parts []string
	for _, a := range amounts {
		if a.Coin != coin {
			parts = append(parts, a.Exact())
		}
	}
	return strings.Join(parts, ", "), len(parts)
}

// absent explains why the exchange states no instant.
func absent(status records.InviteeStatus) string {
	if status == records.InviteeCommissionOnly {
		return "the exchange did not list this invitee while we read"
	}
	return "not yet, or the exchange did not say"
}

// lifetimeWords explains how the lifetime of an invitee is calculated.
func lifetimeWords(r coverage.Coverage, since affiliate.Day) string {
	words := "Lifetime is all commission collected since " + since.Format("2 Jan 2006")
	if !r.Complete() {
		words += ", with gaps"
	}
	return words + "."
}

// driversOf returns the address of what moved the commission of an invitee; it is empty without
// any.
func (v InviteesView) driversOf(line invitees.ListLine) string {
	if line.In(v.Report.Coin).Records == 0 && line.Was(v.Report.Coin).Records == 0 {
		return ""
	}
	return v.Links.Drivers(func(q *query.Query) {
		q.UID, q.Coin, q.Text, q.By = line.UID, v.Report.Coin, "", string(drivers.ByPair)
		if len(v.Report.Options.Accounts) > 1 {
			q.Account = line.Account
		}
	})
}

// driversOfAll returns the address of what moved the commission of the list in a coin; it is
// empty if that page cannot narrow its records in the same way.
func (v InviteesView) driversOfAll(coin affiliate.Coin) string {
	if !v.Links.DriversFit() {
		return ""
	}
	return v.Links.DriversOf(coin)
}
