package drivers

import (
	"context"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/export"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/snapshot"
)

// contributionRow is a contribution with the report that it belongs to.
type contributionRow struct {
	Contribution
	report *Report
}

var contributionColumns = []export.Column[contributionRow]{
	export.TextColumn("by", func(row *contributionRow) Dimension { return row.report.By }).Means("What the rows are split by."),
	export.UIDColumn("key", func(row *contributionRow) affiliate.UID { return affiliate.UID(row.Key(row.report.Several)) }).Means("Its value, such as a UID or a code."),
	export.TextColumn("account", func(row *contributionRow) affiliate.Account { return row.Account }),
	export.UIDColumn("name", func(row *contributionRow) affiliate.UID { return affiliate.UID(row.Name) }).Means("Name of the key, if there is one."),
	export.CoinColumn("coin", func(row *contributionRow) affiliate.Coin { return row.report.Coin }),
	export.AmountColumn("before", func(row *contributionRow) affiliate.Number { return number(row.Before) }).Means("Commission of the compared period, in coin."),
	export.AmountColumn("after", func(row *contributionRow) affiliate.Number { return number(row.Now) }).Means("Commission of the period, in coin."),
	export.AmountColumn("change", func(row *contributionRow) affiliate.Number { return number(row.Change()) }).Means("After minus before, in coin."),
	export.TextColumn("presence", func(row *contributionRow) figures.Presence { return row.Presence }).Means("new, lost, back or stayed."),
}

// File is the file of what moved the commission.
var File = &export.Kind{Name: "drivers", Title: "Drivers", Stream: affiliate.Commissions,
	About: "What moved the commission between two periods. Contributions add up to the change, and so do effects.",
	Table: table, Columns: export.Infos(contributionColumns), Covered: covered, Object: export.ObjectOf(object),
}

// table has a row for each contribution, the largest first. It has none if nothing can be
// compared.
func table(ctx context.Context, q *snapshot.Snapshot) (export.Table, error) {
	r, err := Make(ctx, q)
	return r.table(), err
}

func (r *Report) table() export.Table {
	rows := make([]contributionRow, len(r.Contributions))
	for i, c := range r.Contributions {
		rows[i] = contributionRow{c, r}
	}
	return export.TableOf(contributionColumns, export.Each(rows))
}

// covered is complete if both periods are.
func covered(ctx context.Context, q *snapshot.Snapshot) (coverage.Coverage, error) {
	_, now, err := q.Covered(ctx)
	if err != nil {
		return now, err
	}
	ref, err := q.Compared(ctx)
	if err != nil || !ref.Asked {
		return now, err
	}
	return now.With(ref.Cover.Summary(ref.Days)), nil
}

// The report as programs read it. The names of members are fixed. Amounts are exact, as text;
// null is not known.
type (
	driversJSON struct {
		Coin          affiliate.Coin     `json:"coin"`
		Before        *affiliate.Number  `json:"before"`
		After         *affiliate.Number  `json:"after"`
		Change        *affiliate.Number  `json:"change"`
		Contributions []contributionJSON `json:"contributions"`
		Effects       *effectsJSON       `json:"effects"`

		By        Dimension      `json:"by"`
		Presences []presenceJSON `json:"presences"`
		Range     periodJSON     `json:"range"`
		Compared  periodJSON     `json:"compared"`
		Timezone  string         `json:"timezone"`
		Unknown   string         `json:"incomparable,omitempty"` // why nothing can be compared
	}
	contributionJSON struct {
		Key      string            `json:"key"`
		Before   affiliate.Number  `json:"before"`
		After    affiliate.Number  `json:"after"`
		Change   affiliate.Number  `json:"change"`
		Account  affiliate.Account `json:"account,omitempty"`
		Name     string            `json:"name"`
		Presence figures.Presence  `json:"presence,omitempty"`
	}
	effectsJSON struct {
		Volume     affiliate.Number `json:"volume"`
		FeeRate    affiliate.Number `json:"fee_rate"`
		RebateRate affiliate.Number `json:"rebate_rate"`
		Rest       affiliate.Number `json:"rest"`
	}
	presenceJSON struct {
		Presence figures.Presence `json:"presence"`
		Count    int              `json:"count"`
		Change   affiliate.Number `json:"change"`
	}
	periodJSON struct {
		From      string `json:"from"` // days of the time zone, both included
		To        string `json:"to"`
		Collected int    `json:"days_collected"`
		Days      int    `json:"days"` // those that are due
		Complete  bool   `json:"complete"`
	}
)

// object returns the report for programs, with the table of its contributions.
func object(ctx context.Context, q *snapshot.Snapshot) (driversJSON, export.Table, error) {
	r, err := Make(ctx, q)
	if err != nil {
		return driversJSON{}, export.Table{}, err
	}
	return r.json(), r.table(), nil
}

func (r *Report) json() driversJSON {
	o := driversJSON{
		Coin: r.Coin, Contributions: []contributionJSON{}, By: r.By, Presences: []presenceJSON{}, Timezone: r.Query.Zone.String(),
		Range: periodOf(r.Query.Days, r.Coverage), Compared: periodOf(r.Compared, r.ComparedCover),
	}
	if !r.Known() && !(r.Empty != "" && r.Complete()) { // of days that are all collected, nothing is 0
		o.Unknown = string(r.Incomparable)
		if r.Empty != "" {
			o.Unknown = string(r.Empty)
		}
		return o
	}
	o.Before, o.After, o.Change = known(r.Before.Commission), known(r.Now.Commission), known(r.Change())
	o.Effects = &effectsJSON{number(r.Effects.Volume), number(r.Effects.FeePerVolume), number(r.Effects.ShareOfFees), number(r.Effects.Rest)}
	for _, c := range r.Contributions {
		o.Contributions = append(o.Contributions, contributionJSON{
			Key: c.Key(r.Several), Account: c.Account, Name: c.Name, Presence: c.Presence,
			Before: number(c.Before), After: number(c.Now), Change: number(c.Change()),
		})
	}
	if r.By.People() {
		moved := r.Presences()
		for _, p := range figures.Presences() {
			o.Presences = append(o.Presences, presenceJSON{p, moved[p].N, number(moved[p].Change())})
		}
	}
	return o
}

func number(d decimal.Decimal) affiliate.Number { return affiliate.Number(d.String()) }

func known(d decimal.Decimal) *affiliate.Number {
	n := number(d)
	return &n
}

func periodOf(days affiliate.Days, c coverage.Coverage) periodJSON {
	return periodJSON{days.First.String(), days.Last.String(), c.Collected, c.Wanted, c.Complete()}
}
