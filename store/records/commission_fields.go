package records

import "rebatedesk/affiliate"

var commissionFields = Fields[affiliate.Commission](affiliate.CommissionFields)

// CommissionColumnList lists the columns of commissions; of is the table's alias with its
// dot, or empty.
func CommissionColumnList(of string) string { return commissionFields.Columns(of) }

// CommissionTargets returns the fields of a record in the order of [CommissionColumnList].
func CommissionTargets(c *affiliate.Commission) []any { return commissionFields.Targets(c) }

// CommissionSorts lists the columns by which commissions can be sorted.
func CommissionSorts() []string { return commissionFields.names() }

// ColumnAmount is an amount of a record with its column.
type ColumnAmount struct {
	Column string
	Value  *affiliate.Number
}

// CommissionAmounts returns the amounts of a record.
func CommissionAmounts(c *affiliate.Commission) (amounts []ColumnAmount) {
	for _, f := range commissionFields {
		if f.Decimal() {
			amounts = append(amounts, ColumnAmount{f.InStore(), (*affiliate.Number)(f.Target(c).(*string))})
		}
	}
	return amounts
}
