package commissions

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/reports/export"
	"rebatedesk/reports/snapshot"
	"rebatedesk/store/records"
)

// partAfter has the records after a place in the order of time, at most limit of them. After
// the last row has been read, next returns the place of that row, or nothing if no record
// follows. In another order it returns false.
func partAfter(ctx context.Context, q *snapshot.Snapshot, after string, limit int) (t export.Table, next func() string, ok bool, err error) {
	if q.Sort.Field != "time" {
		return t, nil, false, nil
	}
	key, err := parseKey(after)
	if err != nil {
		return t, nil, false, err
	}
	n, more := 0, false
	rows := func(yield func(records.CommissionRow, error) bool) {
		for row, err := range records.CommissionsAfter(ctx, q.Tx, q.Filter(), q.Sort.Descending, key, limit+1) {
			if n == limit && err == nil {
				more = true
				return
			}
			n++
			key = row.Key
			if !yield(row.CommissionRow, err) {
				return
			}
		}
	}
	next = func() string {
		if !more {
			return ""
		}
		return fmt.Sprintf("%d.%d", key.DealTime, key.ID)
	}
	return export.TableOf(commissionColumns, withSheets(ctx, q, rows)), next, true, nil
}

func parseKey(text string) (key records.CommissionKey, err error) {
	if text == "" {
		return key, nil
	}
	at, id, _ := strings.Cut(text, ".")
	millis, err := strconv.ParseInt(at, 10, 64)
	if err == nil {
		key.ID, err = strconv.ParseInt(id, 10, 64)
	}
	key.DealTime = affiliate.Millis(millis)
	if err != nil {
		return key, fmt.Errorf("place %q: %w", text, export.ErrNoPlace)
	}
	return key, nil
}
