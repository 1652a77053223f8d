package store

import (
	"cmp"
	"database/sql/driver"
	"fmt"
	"sync"

	"modernc.org/sqlite"

	"rebatedesk/affiliate"
)

// RegisterOnce registers the exact arithmetic with the driver. The driver keeps such
// functions for the whole process and every connection.
var RegisterOnce = sync.OnceValue(func() error {
	for name, f := range map[string]*sqlite.FunctionImpl{
		// decimal_sum(text) is the exact sum of a group, and '0' for an empty group.
		"decimal_sum": {NArgs: 1, Deterministic: true, VolatileArgs: true,
			MakeAggregate: func(sqlite.FunctionContext) (sqlite.AggregateFunction, error) {
				return new(decimalSum), nil
			}},
		// decimal_add(a, b) is the exact sum of two values.
		"decimal_add": {NArgs: 2, Deterministic: true, VolatileArgs: true, Scalar: decimalAdd},
	} {
		if err := sqlite.RegisterFunction(name, f); err != nil {
			return fmt.Errorf("registering %s: %w", name, err)
		}
	}
	// COLLATE decimal orders amounts by value; unknown amounts come first.
	if err := sqlite.RegisterCollationUtf8("decimal", CompareNumbers); err != nil {
		return fmt.Errorf("registering the decimal collation: %w", err)
	}
	return nil
})

type decimalSum struct{ sum affiliate.Sum }

func (d *decimalSum) Step(_ *sqlite.FunctionContext, args []driver.Value) error {
	return addText(&d.sum, args[0])
}

func (d *decimalSum) WindowInverse(*sqlite.FunctionContext, []driver.Value) error {
	return fmt.Errorf("decimal_sum is not a window function")
}

func (d *decimalSum) WindowValue(*sqlite.FunctionContext) (driver.Value, error) {
	return d.sum.String(), nil
}

func (d *decimalSum) Final(*sqlite.FunctionContext) {}

func decimalAdd(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
	var sum affiliate.Sum
	for _, arg := range args {
		if err := addText(&sum, arg); err != nil {
			return nil, err
		}
	}
	return sum.String(), nil
}

// addText adds a TEXT value; NULL and ” are unknown and add nothing. A REAL or INTEGER
// never reaches an amount column, so either indicates a mistake in SQL.
func addText(sum *affiliate.Sum, value driver.Value) error {
	switch text := value.(type) {
	case nil:
		return nil
	case string:
		if !sum.Add(affiliate.Number(text)) {
			return fmt.Errorf("stored amount %.50q is not a decimal number", text)
		}
		return nil
	}
	return fmt.Errorf("a stored amount is %T, not text", value)
}

// CompareNumbers orders two stored numbers by value; an unknown one comes first.
func CompareNumbers(left, right string) int {
	a, b := affiliate.Number(left), affiliate.Number(right)
	if !a.Known() || !b.Known() {
		return cmp.Compare(len(left), len(right))
	}
	return a.Cmp(b)
}
