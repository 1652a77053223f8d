package records

import "rebatedesk/affiliate"

var commissionFields = fields[affiliate.Commission]{
	{name: "time", column: "deal_time_ms", target: func(c *affiliate.Commission) any { return (*int64)(&c.DealTime) }},
	{name: "uid", column: "uid", target: func(c *affiliate.Commission) any { return (*string)(&c.UID) }},
	{name: "symbol", column: "symbol", target: func(c *affiliate.Commission) any { return &c.Symbol }},
	{name: "product", column: "product", target: func(c *affiliate.Commission) any { return (*string)(&c.Product) }},
	{name: "source", column: "source", target: func(c *affiliate.Commission) any { return (*string)(&c.Source) }},
	{name: "coin", column: "coin", target: func(c *affiliate.Commission) any { return (*string)(&c.Coin) }},
	{name: "taker", column: "taker_amount", decimal: true, target: func(c *affiliate.Commission) any { return (*string)(&c.TakerAmount) }},
	{name: "maker", column: "maker_amount", decimal: true, target: func(c *affiliate.Commission) any { return (*string)(&c.MakerAmount) }},
	{name: "fee", column: "fee", decimal: true, target: func(c *affiliate.Commission) any { return (*string)(&c.Fee) }},
	{name: "rate", column: "rate", decimal: true, target: func(c *affiliate.Commission) any { return (*string)(&c.Rate) }},
	{name: "commission", column: "commission", decimal: true, target: func(c *affiliate.Commission) any { return (*string)(&c.Commission) }},
}

// CommissionColumnList lists the columns of commissions; of is the table's alias with its
// dot, or empty.
func CommissionColumnList(of string) string { return commissionFields.columns(of) }

// CommissionTargets returns the fields of a record in the order of [CommissionColumnList].
func CommissionTargets(c *affiliate.Commission) []any { return commissionFields.targets(c) }

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
		if f.decimal {
			amounts = append(amounts, ColumnAmount{f.column, (*affiliate.Number)(f.target(c).(*string))})
		}
	}
	return amounts
}
