package net

import (
	"context"
	"strings"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/export"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/phrase"
	"rebatedesk/reports/snapshot"
)

// row is a line of the file: a coin of the month, or the shares without a coin.
type row struct {
	month string
	Line
	apart  bool // Shares have no coin, and nothing else is known
	reason string
}

// known returns an amount; unknown if it is not known.
func (r *row) known(value decimal.Decimal, known bool) affiliate.Number {
	if !known {
		return ""
	}
	return affiliate.Number(value.String())
}

func (r *row) commission() affiliate.Number {
	return r.known(r.Commission, !r.apart && (r.Why == "" || r.CostsUnknown))
}

func (r *row) costs() affiliate.Number { return r.known(r.Costs, !r.apart && !r.CostsUnknown) }
func (r *row) net() affiliate.Number   { return r.known(r.Net(), !r.apart && r.Why == "") }

// The columns of the export are fixed, because other programs read them. Its figures are not added up: each coin
// has one row.
var columns = []export.Column[row]{
	export.TextColumn("month", func(r *row) string { return r.month }).Means("Calendar month."),
	export.TextColumn("coin", func(r *row) affiliate.Coin { return r.Coin }).Means("Coin of the amounts; empty: shares for which no coin is agreed, which are not taken off."),
	export.DecimalColumn("commission", (*row).commission).Means("Commission of the reporting days of the month, in coin."),
	export.DecimalColumn("shares", func(r *row) affiliate.Number { return affiliate.Number(r.Shares.String()) }).Means("What is owed to sub-affiliates for the UTC days of the month: by issued statements, otherwise by the figures and terms of now."),
	export.DecimalColumn("costs", (*row).costs).Means("Costs that fell due in the month, in coin."),
	export.DecimalColumn("net", (*row).net).Means("Commission − shares − costs, in coin."),
	export.TextColumn("unknown_because", func(r *row) string { return r.reason }).Means("Why figures of the row are unknown."),
}

// NoCoin is why a share stands apart.
const NoCoin = "no coin is agreed: the exchange states none for its figures of sub-affiliates"

// File is the file of what is left of a month.
var File = &export.Kind{Name: "net", Title: "Net", Stream: affiliate.Commissions,
	About: "What is left of the commission of a month after shares of sub-affiliates and costs, by coin. The JSON has the figures of one coin, without the parameter of the one worth most, and lists all coins.",
	Table: table, Columns: export.Infos(columns), Covered: covered, Object: export.ObjectOf(object),
}

// covered returns how far both sides of the month are collected: the figures of sub-affiliates count if a share
// is agreed with any.
func covered(ctx context.Context, q *snapshot.Snapshot) (coverage.Coverage, error) {
	r, err := Make(ctx, q)
	if err != nil || !r.Shares.Agreed {
		return r.Coverage, err
	}
	return r.Coverage.With(r.Shared), nil
}

func rowsOf(r *Report) (rows []row) {
	m := r.Month()
	month := m.Days.First.Format("2006-01")
	for _, l := range m.Coins {
		rows = append(rows, row{month: month, Line: l, reason: l.Why})
	}
	for _, a := range m.Apart {
		rows = append(rows, row{month: month, Line: Line{Shares: a.Value}, apart: true, reason: NoCoin})
	}
	return rows
}

func table(ctx context.Context, q *snapshot.Snapshot) (export.Table, error) {
	r, err := Make(ctx, q)
	if err != nil {
		return export.Table{}, err
	}
	return export.TableOf(columns, export.Each(rowsOf(&r))), nil
}

// monthJSON is what is left of a month. Numbers are strings, exact; null is unknown.
type monthJSON struct {
	coinJSON
	Month     string      `json:"month"`
	Coins     []coinJSON  `json:"coins"`     // each coin of the month that was asked for
	Apart     []apartJSON `json:"apart"`     // shares for which no coin is agreed: they are in no figure
	SharesOf  []shareJSON `json:"shares_of"` // each sub-affiliate with whom a share is agreed
	Converted totalJSON   `json:"converted"` // all coins, each day at its own price
	NotFinal  []string    `json:"not_final"` // why the figures can still change
}

type coinJSON struct {
	Coin       affiliate.Coin    `json:"coin"` // with several coins and none asked for, the one with the most commission
	Commission *affiliate.Number `json:"commission"`
	Shares     *affiliate.Number `json:"shares"`
	Costs      *affiliate.Number `json:"costs"`
	Net        *affiliate.Number `json:"net"`
	Reason     string            `json:"reason"` // why a figure is unknown; empty: all are known
}

type totalJSON struct {
	coinJSON
	LeftOut []affiliate.Coin `json:"left_out"` // coins without a price
}

type apartJSON struct {
	SubAffiliate affiliate.UID    `json:"sub_affiliate"`
	Shares       affiliate.Number `json:"shares"`
	Statement    string           `json:"statement"` // of which it is; empty: by the figures and terms of now
	Reason       string           `json:"reason"`
}

type shareJSON struct {
	SubAffiliate affiliate.UID    `json:"sub_affiliate"`
	Coin         affiliate.Coin   `json:"coin"` // empty: none is agreed
	Shares       affiliate.Number `json:"shares"`
	Paid         affiliate.Number `json:"paid"`
	Left         affiliate.Number `json:"left"`
	Statement    string           `json:"statement"` // of which it is; empty: by the figures and terms of now
}

func optional(n affiliate.Number) *affiliate.Number {
	if !n.Known() {
		return nil
	}
	return &n
}

func numberOf(d decimal.Decimal) affiliate.Number { return affiliate.Number(d.String()) }

func coinOf(l Line) coinJSON {
	r := row{Line: l}
	return coinJSON{Coin: l.Coin, Commission: optional(r.commission()), Shares: optional(numberOf(l.Shares)), Costs: optional(r.costs()), Net: optional(r.net()), Reason: l.Why}
}

// object returns the month as its JSON has it, with its table.
func object(ctx context.Context, q *snapshot.Snapshot) (monthJSON, export.Table, error) {
	r, err := Make(ctx, q)
	if err != nil {
		return monthJSON{}, export.Table{}, err
	}
	m := r.Month()
	o := monthJSON{Month: m.Days.First.Format("2006-01"), Coins: []coinJSON{}, Apart: []apartJSON{}, SharesOf: []shareJSON{}, NotFinal: append([]string{}, r.NotFinal()...)}
	for _, l := range m.Coins {
		o.Coins = append(o.Coins, coinOf(l))
	}
	o.coinJSON = coinOf(r.main())
	total := row{Line: Line{Coin: figures.ValuedIn, Commission: m.Total.Commission.Total, Shares: m.Total.Shares.Total, Costs: m.Total.Costs.Total, Why: m.Total.Why, CostsUnknown: m.Total.CostsUnknown}}
	o.Converted = totalJSON{coinOf(total.Line), []affiliate.Coin{}}
	for _, a := range m.Total.Missing() {
		o.Converted.LeftOut = append(o.Converted.LeftOut, a.Coin)
	}
	for i := range r.Shares.Shares {
		s := &r.Shares.Shares[i]
		number := ""
		if s.Issued != nil {
			number = s.Issued.Number
		}
		for _, due := range s.Due() {
			of := func(list []affiliate.Amount) affiliate.Number {
				for _, a := range list {
					if a.Coin == due.Coin {
						return numberOf(a.Value)
					}
				}
				return "0"
			}
			o.SharesOf = append(o.SharesOf, shareJSON{s.UID, due.Coin, numberOf(due.Value), of(s.Paid), of(s.Left()), number})
			if due.Coin == "" {
				o.Apart = append(o.Apart, apartJSON{s.UID, numberOf(due.Value), number, NoCoin})
			}
		}
	}
	return o, export.TableOf(columns, export.Each(rowsOf(&r))), nil
}

// main returns the line of the coin that was asked for, or else of the one with the most commission, which is
// of all coins the one that is worth most.
func (r *Report) main() Line {
	asked := figures.OnlyCoin(r.Query.Coin)
	m := r.Month()
	if asked == "" {
		for _, c := range m.Total.Commission.Coins { // largest value first
			asked = c.Sum.Coin
			break
		}
	}
	for _, l := range m.Coins {
		if l.Coin == asked || asked == "" {
			return l
		}
	}
	if asked == "" {
		asked = figures.ValuedIn
	}
	l := Line{Coin: asked}
	if m.Unread {
		l.Why = unread
	}
	return l
}

// NotFinal says why the figures of the month can still change, a reason each.
func (r *Report) NotFinal() (list []string) {
	m := r.Month()
	if r.Today <= m.Days.Last {
		list = append(list, "the month is not over")
	}
	if !m.Whole && !m.Unread {
		list = append(list, "commission is not collected completely: "+phrase.Lack(r.Coverage))
	}
	if r.Shares.Agreed && !r.Shared.Complete() {
		list = append(list, "figures of sub-affiliates are not collected completely: "+phrase.Lack(r.Shared))
	}
	if m.Drafts > 0 {
		list = append(list, phrase.Things(m.Drafts, "share")+" of sub-affiliates without a statement can change with the figures and terms")
	}
	if r.Dues.Unlisted {
		list = append(list, "registrations are not collected completely, and costs depend on them")
	}
	return list
}

// Lacks says what the net leaves out, a sentence each.
func (r *Report) Lacks() (list []string) {
	m := r.Month()
	for _, a := range m.Apart {
		list = append(list, affiliate.Amount{Value: a.Value}.Short()+" owed to sub-affiliates stands apart and is not taken off: "+NoCoin+".")
	}
	if m.Unagreed > 0 {
		list = append(list, "No share is agreed with "+phrase.Things(m.Unagreed, "sub-affiliate")+" with business: nothing is taken off for them.")
	}
	if r.Dues.Undated > 0 {
		list = append(list, "Of "+phrase.Things(r.Dues.Undated, "invitee")+" with a cost of their own nobody knows when they registered: their costs are in no month.")
	}
	if words := phrase.Unpriced(m.Total.Missing()); words != "" {
		list = append(list, strings.TrimSuffix(words, ".")+"; converted figures leave it out.")
	}
	return list
}
