package outbox

import (
	"context"
	"database/sql"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// MonthTold says until when a message told what became known of a closed month.
type MonthTold struct {
	Month affiliate.Day // its first day
	Until affiliate.Millis
}

// MonthsTold returns until when the messages of a schedule told what became known of each month.
func MonthsTold(ctx context.Context, r *store.Tx, schedule int64) (map[affiliate.Day]affiliate.Millis, error) {
	list, err := store.Scanned(ctx, r, func(rows *sql.Rows) (m MonthTold, err error) {
		return m, rows.Scan((*store.DayText)(&m.Month), &m.Until)
	}, `SELECT t.month, max(t.until_ms) FROM message_months t JOIN messages m ON m.id = t.message_id
		WHERE m.subscription_id = ? GROUP BY t.month ORDER BY t.month`, schedule)
	if err != nil {
		return nil, fmt.Errorf("reading what was told of closed months: %w", err)
	}
	told := map[affiliate.Day]affiliate.Millis{}
	for _, m := range list {
		told[m.Month] = m.Until
	}
	return told, nil
}

func insertMonthsTold(ctx context.Context, tx *store.Tx, message int64, list []MonthTold) error {
	for _, m := range list {
		_, err := tx.ExecContext(ctx, `INSERT INTO message_months (message_id, month, until_ms) VALUES (?, ?, ?)`, message, store.DayText(m.Month), m.Until)
		if err != nil {
			return err
		}
	}
	return nil
}
