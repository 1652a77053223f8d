package store

import "context"

// EveryRestatement is Restatements of all days that were read whole, steady or
// not, and how many of them are steady.
func EveryRestatement(ctx context.Context, r *Reader, f CommissionFilter) (list []Restatement, steady, days int, err error) {
	reads, err := r.commissionReads(ctx, f)
	if err != nil {
		return nil, 0, 0, err
	}
	for _, d := range reads {
		if d.steady {
			steady++
		}
	}
	err = r.restatementsOf(ctx, reads, f, 0, func(one Restatement, err error) bool {
		list = append(list, one)
		return err == nil
	})
	return list, steady, len(reads), err
}
