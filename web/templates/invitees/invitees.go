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
	"rebatedesk/web/templates/totals"
	"rebatedesk/web/templates/ui"

	"github.com/a-h/templ"
	"github.com/shopspring/decimal"
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
const atRiskHint = "Mean commission of 30 days while the invitee traded, in the last 180 days: of those who stopped by their own rhythm. What slowing and lower rates put at risk is told on To do"

// accountOf is the account of a line in addresses; empty if there is one only.
func (v InviteesView) accountOf(line invitees.ListLine) affiliate.Account {
	return ui.AccountOf(line.Account, len(v.Report.Options.Accounts) > 1)
}

// inviteeColumns are the columns of the list. Summed columns come last.
func inviteeColumns(v InviteesView) []ui.Column[invitees.ListLine] {
	type invitee = invitees.ListLine
	q, r, in := v.Links.Query, v.Report, ""
	if r.Coin != "" {
		in = ", " + string(r.Coin)
	}
	text := func(name, label, hint string, cell func(invitee) templ.Component, options ...ui.Option) ui.Column[invitee] {
		return ui.Cells(ui.TableColumn{Name: name, Field: name, Label: label, Hint: hint}, cell, options...)
	}
	day := func(name, label, hint string, at func(invitee) affiliate.Millis) ui.Column[invitee] {
		return text(name, label, hint, func(l invitee) templ.Component { return inviteeDay(at(l), l.Status, q) }, ui.Descends)
	}
	number := func(name, label, hint string, cell func(invitee) templ.Component, options ...ui.Option) ui.Column[invitee] {
		return text(name, label, hint, cell, append(options, ui.Nums, ui.Descends)...)
	}
	coin := func(invitee) affiliate.Coin { return r.Coin }
	extra := func(c ui.Column[invitee], extra bool) ui.Column[invitee] { c.Extra = extra; return c }
	traded := func(cell func(invitee) string) func(invitee) templ.Component {
		return func(l invitee) templ.Component {
			if l.LastTradeDay == 0 {
				return ui.Unknown("no trade is known")
			}
			return ui.Text(cell(l))
		}
	}
	columns := ui.Present(
		ui.Cells(ui.TableColumn{Field: "uid", Label: "UID"}, func(l invitee) templ.Component {
			return ui.Link("text-link", v.Links.InviteeOf(v.accountOf(l), l.UID), ui.Invitee(l.UID))
		}, ui.OnPhone(ui.Lead)),
		ui.Cells(ui.TableColumn{Field: "account", Label: "Account"}, func(l invitee) templ.Component { return ui.Foreign(string(l.Account)) }, ui.OnPhone(ui.Note), ui.If(len(r.Options.Accounts) > 1)),
		text("code", "Code", "Invite code", func(l invitee) templ.Component {
			return ui.Join(ui.ExchangeText(l.InviteCode, ui.UnknownCode), ui.OurCode(l.OurCode))
		}, ui.OnPhone(ui.Note)),
		ui.Cells(ui.TableColumn{Name: "trend", Label: "Per day", Hint: "Commission per day of the range" + in}, func(l invitee) templ.Component {
			return ui.When(len(l.Trend.Values) > 0, totals.Sparkline(l.Trend, "Earned"))
		}),
		text("state", "State", "How the invitee trades, and how the exchange stands to it", inviteeState, ui.OnPhone(ui.Note)),
		ui.Cells(ui.TableColumn{Name: "tags", Label: "Tags", Extra: len(r.Tags) == 0}, func(l invitee) templ.Component { return tagLinks(l, v) }),
		day("registered", "Registered", "", func(l invitee) affiliate.Millis { return l.RegisterTime }),
		extra(text("kyc", "KYC", "Passed the identity check of the exchange", func(l invitee) templ.Component { return kyc(l.KYC, l.Status) }), true),
		extra(day("first-deposit", "First deposit", "", func(l invitee) affiliate.Millis { return l.FirstDeposit }), true),
		extra(day("first-trade", "First trade", "", func(l invitee) affiliate.Millis { return l.FirstTrade }), true),
		extra(day("last-deposit", "Last deposit", "", func(l invitee) affiliate.Millis { return l.LastDeposit }), true),
		ui.Cells(ui.TableColumn{Name: "last-trade", Field: "last-trade", Label: "Last trade", Hint: "As the exchange tells or as commission was earned, whichever is later", Largest: true, Extra: q.Compare != query.CompareNone},
			traded(func(l invitee) string { return l.LastTradeDay.Format("2 Jan 2006") })),
		number("silent", "Days silent", "From the last trade to today", traded(func(l invitee) string { return phrase.Count(l.SilentDays) })),
		extra(number("gap", "Usual gap", "Days between days with commission: the median of the last 180 days", func(l invitee) templ.Component {
			if !l.UsualGap.Known() {
				return ui.Unknown("too few days with commission to tell")
			}
			return ui.Text(l.UsualGap.String())
		}), true),
		extra(number("at-risk", "At risk, stopped"+in, atRiskHint, func(l invitee) templ.Component { return atRisk(l, r.Coin) }).Coined(coin), q.State != invitees.ChoiceAtRisk),
		number("lifetime", "Lifetime", "All commission that is collected"+in, func(l invitee) templ.Component {
			ever := l.Ever(r.Coin)
			return ui.Join(coinAmount(ever.Commission, ever, r.Lifetime), moreCoins(l.Lifetime, r.Coin))
		}).Coined(coin),
		extra(number("volume", ui.VolumeLabel, "In the range, of all coins' records together, "+ui.Unitless, func(l invitee) templ.Component {
			if len(l.InRange) == 0 && !r.Coverage.Complete() {
				return ui.Unknown("the range is not collected completely")
			}
			return ui.VolumeOf(l.Volume())
		}), true),
		extra(number("fee", "Fees paid"+in, "Fees paid by the invitee in the range", func(l invitee) templ.Component {
			own := l.In(r.Coin)
			return coinAmount(own.Fee, own, r.Coverage)
		}).Coined(coin), true),
		number("change", "Change", "Of the commission against the compared period; ordered by the amount", func(l invitee) templ.Component { return inviteeChange(l, v) }, ui.If(q.Compare != query.CompareNone)),
		ui.Cells(ui.TableColumn{Field: "commission", Label: "Commission" + in, Hint: "In the range", Numeric: true, Largest: true}, func(l invitee) templ.Component {
			return inviteeCommission(l, v)
		}, ui.Classed("font-medium"), ui.OnPhone(ui.Figure)).Kept(coin),
	)
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

// footCell returns the sums in a coin.
func footCell(v InviteesView, i int) func(ui.Column[invitees.ListLine]) templ.Component {
	ever := v.Report.Ever[i]
	card := cardOf(v.Report.Totals, ever.Coin)
	amount := func(value decimal.Decimal) templ.Component {
		return ui.Amount(affiliate.Amount{Value: value, Coin: ever.Coin})
	}
	return func(c ui.Column[invitees.ListLine]) templ.Component {
		switch c.Field {
		case "at-risk":
			return amount(v.Report.AtRisk[ever.Coin])
		case "volume":
			return ui.When(i == 0, ui.VolumeOf(v.Report.Volume.Amount.Value)) // of all coins
		case "fee":
			return amount(card.Fee.Amount.Value)
		case "lifetime":
			return amount(ever.Commission)
		case "change":
			return footChange(v, card)
		}
		return amount(card.Commission.Amount.Value)
	}
}

func cardOf(cards []figures.CoinCard, coin affiliate.Coin) figures.CoinCard {
	for _, card := range cards {
		if card.Coin == coin {
			return card
		}
	}
	return figures.CoinCard{Coin: coin}
}

// InviteeColumns are the columns of the list that can be chosen.
func InviteeColumns() []string {
	return ui.ColumnNames(ui.Heads(inviteeColumns(InviteesView{Links: ui.Links{Query: query.Query{Compare: query.ComparePrevious}}})))
}

// inviteeAmounts are the columns of the totals.
var inviteeAmounts = []string{"at-risk", "lifetime", "volume", "fee", "change", "commission"}

// silenceWords explain the two rules of silence.
const silenceWords = "Silent: no trade for more than 30 days, or for more than three of the invitee's usual gaps. " +
	"At risk, stopped: worth 10 USDT or more in 30 days while it traded, and silent by the usual gap of the last 180 days; new invitees count too."

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
