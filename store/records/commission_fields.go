package records

import "rebatedesk/affiliate"

var commissionFields = Fields[affiliate.Commission]{
	{Name: "time", Column: "deal_time_ms", Target: func(c *affiliate.Commission) any { return (*int64)(&c.DealTime) }},
	{Name: "uid", Column: "uid", Target: func(c *affiliate.Commission) any { return (*string)(&c.UID) }},
	{Name: "symbol", Column: "symbol", Target: func(c *affiliate.Commission) any { return &c.Symbol }},
	{Name: "product", Column: "product", Target: func(c *affiliate.Commission) any { return (*string)(&c.Product) }},
	{Name: "source", Column: "source", Target: func(c *affiliate.Commission) any { return (*string)(&c.Source) }},
	{Name: "coin", Column: "coin", Target: func(c *affiliate.Commission) any { return (*string)(&c.Coin) }},
	{Name: "taker", Column: "taker_amount", Decimal: true, Target: func(c *affiliate.Commission) any { return (*string)(&c.TakerAmount) }},
	{Name: "maker", Column: "maker_amount", Decimal: true, Target: func(c *affiliate.Commission) any { return (*string)(&c.MakerAmount) }},
	{Name: "fee", Column: "fee", Decimal: true, Target: func(c *affiliate.Commission) any { return (*string)(&c.Fee) }},
	{Name: "rate", Column: "rate", Decimal: true, Target: func(c *affiliate.Commission) any { return (*string)(&c.Rate) }},
	{Name: "commission", Column: "commission", Decimal: true, Target: func(c *affiliate.Commission) any { return (*string)(&c.Commission) }},
}

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
		if f.Decimal {
			amounts = append(amounts, ColumnAmount{f.Column, (*affiliate.Number)(f.Target(c).(*string))})
		}
	}
	return amounts
}
