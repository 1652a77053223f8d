package payments

import (
	"context"
	"fmt"

	"rebatedesk/store"
)

// BusinessTypes lists the business types of stored bills, sorted.
func BusinessTypes(ctx context.Context, r store.Asker) ([]string, error) {
	types, err := store.ReadColumn[string](ctx, r, `SELECT DISTINCT business_type FROM bills ORDER BY business_type`)
	if err != nil {
		return nil, fmt.Errorf("reading the business types of bills: %w", err)
	}
	return types, nil
}
