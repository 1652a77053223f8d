package records

import (
	"context"
	"fmt"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// Collecting is the state of the collection of an account.
type Collecting struct {
	Account affiliate.Account
	Good    int64            // newest finished run that read everything it requested; 0: none yet
	GoodAt  affiliate.Millis // when that run ended
	Read    affiliate.Millis // end of the newest slice of a running run without a failure; unknown: no such run
	Error   string           // of the newest run that was not stopped: why it ended early, or why its first slice could not be read
}

// ReadCollecting returns the state of the collection of each account, by name. An empty
// account means all.
func ReadCollecting(ctx context.Context, r *store.Tx, account affiliate.Account) ([]Collecting, error) {
	rows, err := r.QueryContext(ctx, `
		SELECT a.name, coalesce(g.id, 0), coalesce(g.finished_ms, 0),
			coalesce((SELECT max(s.ended_ms) FROM runs u JOIN slices s ON s.run_id = u.id
				WHERE u.id = (SELECT id FROM runs WHERE account_id = a.id ORDER BY started_ms DESC LIMIT 1) AND u.finished_ms IS NULL AND u.failed = 0), 0),
			coalesce(nullif(nullif(e.error, ''), ?), (SELECT s.error FROM slices s WHERE s.run_id = e.id AND s.error <> '' ORDER BY s.id LIMIT 1), '')
		FROM accounts a
		LEFT JOIN runs g ON g.id = (SELECT id FROM runs WHERE account_id = a.id AND finished_ms IS NOT NULL AND failed = 0 AND error = '' ORDER BY started_ms DESC LIMIT 1)
		LEFT JOIN runs e ON e.id = (SELECT id FROM runs WHERE account_id = a.id AND finished_ms IS NOT NULL AND (error <> ? OR failed > 0) ORDER BY started_ms DESC LIMIT 1)
		WHERE ? = '' OR a.name = ? ORDER BY a.name`, RunStopped, RunStopped, account, account)
	if err != nil {
		return nil, fmt.Errorf("reading how the collection goes: %w", err)
	}
	defer rows.Close()
	var list []Collecting
	for rows.Next() {
		var c Collecting
		if err := rows.Scan(&c.Account, &c.Good, &c.GoodAt, &c.Read, &c.Error); err != nil {
			return nil, fmt.Errorf("reading how the collection goes: %w", err)
		}
		list = append(list, c)
	}
	return list, rows.Err()
}

// EndedRuns returns the newest run of each account that has ended, by account: 0 if its first one is
// still in progress. Accounts without any run are left out.
func EndedRuns(ctx context.Context, r *store.Tx) (map[affiliate.Account]int64, error) {
	rows, err := r.QueryContext(ctx, `
		SELECT a.name, coalesce((SELECT id FROM runs WHERE account_id = a.id AND finished_ms IS NOT NULL ORDER BY started_ms DESC LIMIT 1), 0)
		FROM accounts a WHERE EXISTS (SELECT 1 FROM runs WHERE account_id = a.id)`)
	if err != nil {
		return nil, fmt.Errorf("reading which runs have ended: %w", err)
	}
	defer rows.Close()
	ended := map[affiliate.Account]int64{}
	for rows.Next() {
		var account affiliate.Account
		var id int64
		if err := rows.Scan(&account, &id); err != nil {
			return nil, fmt.Errorf("reading which runs have ended: %w", err)
		}
		ended[account] = id
	}
	return ended, rows.Err()
}
