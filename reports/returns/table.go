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
		if (*r).Payback.Day == 0 {
			return ""
		}
		return (*r).Payback.Day.String()
	}).Means("Day on which the commission had paid the cost back."),
	export.DecimalColumn("missing", func(r **Row) affiliate.Number {
		if p := (*r).Payback; p.Known && p.Coin == (*r).Coin {
			return number(r, p.Missing)
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
