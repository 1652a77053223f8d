package returns

import (
	"context"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/export"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/costs"
)

// kinds lists the kinds of the costs of a row, each once.
func (r *Row) kinds() string {
	var names []string
	for _, c := range r.Costs {
		if !slices.Contains(names, string(c.Kind)) {
			names = append(names, string(c.Kind))
		}
	}
	if r.Scope == CostOfPeople {
		return string(costs.Once)
	}
	return strings.Join(names, ";")
}

// times counts how often costs of a kind fell due; false if there is none of the kind.
func (r *Row) times(kind costs.Kind) (n int, ok bool) {
	for _, c := range r.Costs {
		if c.Kind == kind {
			n, ok = n+c.Times, true
		}
	}
	return n, ok
}

// number returns an amount of a row as text; empty if nothing is known about its return.
func number(r **Row, value decimal.Decimal) affiliate.Number {
	if !(*r).Known() {
		return ""
	}
	return affiliate.Number(value.String())
}

// lifeText returns a text about the life of a row; empty if nothing is known about it.
func lifeText(r **Row, of func(*Life) string) string {
	if !(*r).Life.Known {
		return ""
	}
	return of(&(*r).Life)
}

// lifeNumber returns an amount of the life of a row as text; empty if nothing is known about it.
func lifeNumber(r **Row, of func(*Life) decimal.Decimal) affiliate.Number {
	return affiliate.Number(lifeText(r, func(l *Life) string { return of(l).String() }))
}

func perInvitee(r **Row, amount decimal.Decimal) affiliate.Number {
	if per, ok := (*r).PerInvitee(amount); ok {
		return affiliate.Number(per.String())
	}
	return ""
}

// columns of the export are fixed, because other programs read them.
var columns = []export.Column[*Row]{
	export.TextColumn("scope", func(r **Row) costs.Scope { return (*r).Scope }).Means("What the cost is about: code, tag or segment."),
	export.TextColumn("value", func(r **Row) string { return (*r).Value }).Means("Its name."),
	export.TextColumn("kind", func(r **Row) string { return (*r).kinds() }).Means("Kinds of the costs in this row."),
	export.TextColumn("from", func(r **Row) string { return (*r).Days.First.String() }),
	export.TextColumn("to", func(r **Row) string { return (*r).Days.Last.String() }),
	export.IntegerColumn("invitees", func(r **Row) int64 { return int64((*r).Invitees) }).Means("Number of invitees."),
	export.IntegerColumn("invitees_in_other_rows", func(r **Row) int64 { return int64((*r).Shared) }).Means("How many of them are in other rows, too."),
	export.KnownColumn("registrations", func(r **Row) (int, bool) { return (*r).times(costs.PerRegistration) }),
	export.KnownColumn("first_trades", func(r **Row) (int, bool) { return (*r).times(costs.PerFirstTrade) }).Means("Number of first trades that cost something."),
	export.TextColumn("coin", func(r **Row) affiliate.Coin { return (*r).Coin }),
	export.DecimalColumn("cost", func(r **Row) affiliate.Number { return number(r, (*r).Cost) }).Means("Cost, in coin."),
	// Not added up: an invitee may belong to several rows.
	export.DecimalColumn("commission", func(r **Row) affiliate.Number { return number(r, (*r).Commission) }),
	export.DecimalColumn("return", func(r **Row) affiliate.Number { return number(r, (*r).Return()) }).Means("Commission minus cost, in coin."),
	export.PercentColumn("return_percent", func(r **Row) (decimal.Decimal, bool) { return (*r).Percent().Value() }).Means("Return in percent of the cost."),
	export.TextColumn("paid_back", func(r **Row) string {
		if (*r).Life.PaidBack == 0 {
			return ""
		}
		return (*r).Life.PaidBack.String()
	}).Means("Day on which the commission had paid the cost back."),
	export.DecimalColumn("missing", func(r **Row) affiliate.Number {
		if l := (*r).Life; l.Known && l.Coin == (*r).Coin {
			return number(r, l.Missing)
		}
		return "" // of all time it is in several coins
	}).Means("What is missing until then, in coin."),
	export.TextColumn("converted", func(r **Row) string {
		if (*r).Converted {
			return "by the rate of each day"
		}
		return ""
	}).Means("Coins that were converted."),
	export.TextColumn("not_final", func(r **Row) string { return strings.Join((*r).NotFinal.Words(), "; ") }).Means("Why the figures can still change."),
	export.TextColumn("unknown_because", func(r **Row) string { return (*r).Why }).Means("Why figures of the row are unknown."),
	export.IntegerColumn("listed", func(r **Row) int64 { return int64((*r).Listed) }).Means("Of the invitees, those whom the exchange ever listed."),
	export.IntegerColumn("unlisted", func(r **Row) int64 { return int64((*r).Unlisted()) }).Means("Of the invitees, those with commission whom the exchange never listed."),
	export.TextColumn("life_from", func(r **Row) string { return lifeText(r, func(l *Life) string { return l.Days.First.String() }) }).Means("First day of the life of the row: of its first cost."),
	export.TextColumn("life_to", func(r **Row) string { return lifeText(r, func(l *Life) string { return l.Days.Last.String() }) }).Means("Last day of its life: the present one."),
	export.TextColumn("life_coin", func(r **Row) string { return lifeText(r, func(l *Life) string { return string(l.Coin) }) }).Means("Coin of its life's amounts."),
	export.DecimalColumn("life_cost", func(r **Row) affiliate.Number { return lifeNumber(r, func(l *Life) decimal.Decimal { return l.Cost }) }).Means("Cost since the first one, whatever the range is, in life_coin."),
	export.DecimalColumn("life_commission", func(r **Row) affiliate.Number {
		return lifeNumber(r, func(l *Life) decimal.Decimal { return l.Commission })
	}).Means("Commission since the first cost, whatever the range is, in life_coin."),
	export.DecimalColumn("life_return", func(r **Row) affiliate.Number { return lifeNumber(r, (*Life).Return) }).Means("life_commission minus life_cost."),
	export.DecimalColumn("since_paid_back", func(r **Row) affiliate.Number {
		if (*r).Life.PaidBack == 0 {
			return ""
		}
		return lifeNumber(r, func(l *Life) decimal.Decimal { return l.Since })
	}).Means("Commission of the days after paid_back, in life_coin."),
	export.DecimalColumn("life_cost_per_invitee", func(r **Row) affiliate.Number { return perInvitee(r, (*r).Life.Cost) }).Means("life_cost by invitees, listed or not, rounded to 8 digits."),
	export.DecimalColumn("life_commission_per_invitee", func(r **Row) affiliate.Number { return perInvitee(r, (*r).Life.Commission) }).Means("life_commission by invitees, listed or not, rounded to 8 digits."),
}

// File is the file of costs and what they brought back.
var File = &export.Kind{Name: "returns", Title: "Cost and return", Stream: affiliate.Commissions,
	About: "What codes, tags and segments cost, and what they brought back.",
	Table: table, Columns: export.Infos(columns), Covered: covered,
}

// table has the rows of the page in its order.
func table(ctx context.Context, q *snapshot.Snapshot) (export.Table, error) {
	view, err := Make(ctx, q)
	if err != nil {
		return export.Table{}, err
	}
	return export.TableOf(columns, export.Each(view.Rows)), nil
}
