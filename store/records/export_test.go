package records

import (
	"context"

	"rebatedesk/store"
)

// EveryRestatement is [Restatements] without the shortcut for days that no reading
// changed. It reports how many days are steady.
func EveryRestatement(ctx context.Context, r *store.Tx, f CommissionFilter) (list []Restatement, steady, days int, err error) {
	reads, err := commissionReads(ctx, r, f)
	if err != nil {
		return nil, 0, 0, err
	}
	for _, d := range reads {
		if d.steady {
			steady++
		}
	}
	err = restatementsOf(ctx, r, reads, f, 0, func(one Restatement, err error) bool {
		list = append(list, one)
		return err == nil
	})
	return list, steady, len(reads), err
}
