package reports

import (
	"context"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
)

// cohortRow is one cell of the table with all its figures.
type cohortRow struct {
	view   *CohortsReport
	cohort *Cohort
	age    int
}

func (r *cohortRow) cell() CohortCell { return r.cohort.Cells[r.age] }

var cohortColumns = []column[cohortRow]{
	textColumn("cohort", func(r *cohortRow) string { return string(r.view.Period) }),
	dayColumn("registered_from", func(r *cohortRow) affiliate.Day { return r.cohort.Days.First }),
	dayColumn("registered_to", func(r *cohortRow) affiliate.Day { return r.cohort.Days.Last }),
	integerColumn("registrations", func(r *cohortRow) int64 { return r.cohort.Invitees }),
	boolColumn("registrations_complete", func(r *cohortRow) affiliate.Flag { return affiliate.FlagOf(r.cohort.Unknown == "") }),
	integerColumn("age", func(r *cohortRow) int64 { return int64(r.age) }),
	dayColumn("from", func(r *cohortRow) affiliate.Day { return r.cell().Days.First }),
	dayColumn("to", func(r *cohortRow) affiliate.Day { return r.cell().Days.Last }),
	boolColumn("complete", func(r *cohortRow) affiliate.Flag { return affiliate.FlagOf(r.cell().Immature == "") }),
	peopleColumn("active_traders", func(r *cohortRow) (int64, string) { return r.cell().Active, r.unread(false) }),
	percentColumn("active_percent", func(r *cohortRow) (decimal.Decimal, bool) {
		if r.unread(false) != "" {
			return decimal.Decimal{}, false
		}
		return r.cohort.Percent(r.cell()).value()
	}),
	coinColumn("coin", func(r *cohortRow) affiliate.Coin { return r.view.Coin }),
	amountColumn("commission", func(r *cohortRow) affiliate.Number {
		if r.unread(false) != "" {
			return ""
		}
		return affiliate.Number(r.cell().Commission.String())
	}),
	decimalColumn("commission_per_registration", func(r *cohortRow) affiliate.Number { return r.perUser(false) }),
	boolColumn("cumulative_complete", func(r *cohortRow) affiliate.Flag { return affiliate.FlagOf(r.cell().TotalImmature == "") }),
	decimalColumn("cumulative_commission", func(r *cohortRow) affiliate.Number {
		if r.unread(true) != "" {
			return ""
		}
		return affiliate.Number(r.cell().Total.String())
	}),
	decimalColumn("cumulative_commission_per_registration", func(r *cohortRow) affiliate.Number { return r.perUser(true) }),
}

// unread tells why nothing is known of a cell; empty where something is.
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

// cohortTable has a row for each cohort and age, whatever figure the page
// shows.
func cohortTable(ctx context.Context, q *question) (table, error) {
	if q.By == "" {
		q.By = CohortPeriods()[0]
	}
	view, err := q.cohorts(ctx)
	if err != nil {
		return table{}, err
	}
	var rows []cohortRow
	for i := range view.Cohorts {
		for age := range view.Cohorts[i].Cells {
			rows = append(rows, cohortRow{&view, &view.Cohorts[i], age})
		}
	}
	return tableOf(cohortColumns, each(rows)), nil
}

// cohortsCovered is complete where all are known who registered in the range
// and what they have brought since.
func cohortsCovered(ctx context.Context, q *question) (Coverage, error) {
	cover, err := q.coverage(ctx, affiliate.Invitees, q.Days)
	if err != nil {
		return Coverage{}, err
	}
	since := affiliate.Days{First: q.Days.First, Last: affiliate.DayOf(q.now, q.Zone)}
	earned, err := q.coverage(ctx, affiliate.Commissions, since)
	if err != nil {
		return Coverage{}, err
	}
	return cover.summary(q.Days).With(earned.summary(since)), nil
}
