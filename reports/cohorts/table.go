package cohorts

import (
	"context"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/export"
	"rebatedesk/reports/snapshot"
)

// cohortRow is one cell of the table with all its figures.
type cohortRow struct {
	view   *Report
	cohort *Cohort
	age    int
}

func (r *cohortRow) cell() Cell { return r.cohort.Cells[r.age] }

var cohortColumns = []export.Column[cohortRow]{
	export.TextColumn("cohort", func(r *cohortRow) string { return string(r.view.Period) }).Means("week or month."),
	export.DayColumn("registered_from", func(r *cohortRow) affiliate.Day { return r.cohort.Days.First }).Means("First day of registration of the cohort."),
	export.DayColumn("registered_to", func(r *cohortRow) affiliate.Day { return r.cohort.Days.Last }).Means("Last day of registration."),
	export.IntegerColumn("registrations", func(r *cohortRow) int64 { return r.cohort.Invitees }),
	export.BoolColumn("registrations_complete", func(r *cohortRow) affiliate.Flag { return affiliate.FlagOf(r.cohort.Unknown == "") }).Means("Whether all registrations of the days are known."),
	export.IntegerColumn("age", func(r *cohortRow) int64 { return int64(r.age) }).Means("Weeks or months since registration; 0 is the first."),
	export.DayColumn("from", func(r *cohortRow) affiliate.Day { return r.cell().Days.First }),
	export.DayColumn("to", func(r *cohortRow) affiliate.Day { return r.cell().Days.Last }),
	export.BoolColumn("complete", func(r *cohortRow) affiliate.Flag { return affiliate.FlagOf(r.cell().Immature == "") }).Means("Whether all days of the cell are over and collected."),
	export.PeopleColumn("active_traders", func(r *cohortRow) (int64, string) { return r.cell().Active, r.unread(false) }),
	export.PercentColumn("active_percent", func(r *cohortRow) (decimal.Decimal, bool) {
		if r.unread(false) != "" {
			return decimal.Decimal{}, false
		}
		return r.cohort.Percent(r.cell()).Value()
	}).Means("Active traders in percent of the registrations."),
	export.CoinColumn("coin", func(r *cohortRow) affiliate.Coin { return r.view.Coin }),
	export.AmountColumn("commission", func(r *cohortRow) affiliate.Number {
		if r.unread(false) != "" {
			return ""
		}
		return affiliate.Number(r.cell().Commission.String())
	}),
	export.DecimalColumn("commission_per_registration", func(r *cohortRow) affiliate.Number { return r.perUser(false) }).Means("Commission for each registration, in coin."),
	export.BoolColumn("cumulative_complete", func(r *cohortRow) affiliate.Flag { return affiliate.FlagOf(r.cell().TotalImmature == "") }).Means("Whether all days up to the end of the cell are collected."),
	export.DecimalColumn("cumulative_commission", func(r *cohortRow) affiliate.Number {
		if r.unread(true) != "" {
			return ""
		}
		return affiliate.Number(r.cell().Total.String())
	}).Means("Commission up to the end of the cell, in coin."),
	export.DecimalColumn("cumulative_commission_per_registration", func(r *cohortRow) affiliate.Number { return r.perUser(true) }).Means("The same for each registration, in coin."),
}

// unread returns why nothing is known of a cell. It is empty if something is known.
func (r *cohortRow) unread(cumulative bool) string {
	cell := r.cell()
	if cell.Unread && !cumulative || cell.TotalUnread {
		return cell.Immature
	}
	return ""
}

func (r *cohortRow) perUser(cumulative bool) affiliate.Number {
	value, known := r.cohort.PerUser(r.cell(), cumulative)
	if !known || r.unread(cumulative) != "" {
		return ""
	}
	return affiliate.Number(value.String())
}

// File is the file of cohorts.
var File = &export.Kind{Name: "cohorts", Title: "Cohorts", Stream: affiliate.Invitees,
	About: "Invitees by the week or month of registration, and what they did afterwards.",
	Table: table, Columns: export.Infos(cohortColumns), Covered: covered, Foreign: Foreign,
}

// table has a row for each cohort and age, whichever figure the page shows.
func table(ctx context.Context, q *snapshot.Snapshot) (export.Table, error) {
	if q.By == "" {
		q.By = Periods()[0]
	}
	view, err := cohorts(ctx, q)
	if err != nil {
		return export.Table{}, err
	}
	var rows []cohortRow
	for i := range view.Cohorts {
		for age := range view.Cohorts[i].Cells {
			rows = append(rows, cohortRow{&view, &view.Cohorts[i], age})
		}
	}
	return export.TableOf(cohortColumns, export.Each(rows)), nil
}

// covered is complete if the registrations of the range and all commission since then are
// collected.
func covered(ctx context.Context, q *snapshot.Snapshot) (coverage.Coverage, error) {
	cover, err := q.ReadCoverage(ctx, affiliate.Invitees, q.Days)
	if err != nil {
		return coverage.Coverage{}, err
	}
	since := affiliate.Days{First: q.Days.First, Last: affiliate.DayOf(q.Now, q.Zone)}
	earned, err := q.ReadCoverage(ctx, affiliate.Commissions, since)
	if err != nil {
		return coverage.Coverage{}, err
	}
	return cover.Summary(q.Days).With(earned.Summary(since)), nil
}
