package segments

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/identity"
)

// Uses is what names a segment.
type Uses struct {
	Schedules []string // names of schedules of summaries, paused ones too
	Alerts    []string // names of alerts, paused ones too
	Goals     int      // goals in force, of past months too
	Views     int      // saved views of all users
}

// None reports whether nothing names the segment.
func (u Uses) None() bool {
	return len(u.Schedules) == 0 && len(u.Alerts) == 0 && u.Goals == 0 && u.Views == 0
}

// UsesOf returns what names each segment, by folded name. Names that no segment has are among them.
func UsesOf(ctx context.Context, r *store.Tx) (map[string]Uses, error) {
	uses := map[string]Uses{}
	note := func(segment string, change func(*Uses)) {
		one := uses[affiliate.Folded(segment)]
		change(&one)
		uses[affiliate.Folded(segment)] = one
	}
	type named struct{ segment, kind, name string }
	list, err := store.Scanned(ctx, r, func(rows *sql.Rows) (n named, err error) {
		return n, rows.Scan(&n.segment, &n.kind, &n.name)
	}, `SELECT s.segment, s.kind, s.name FROM subscriptions s WHERE s.segment IS NOT NULL AND s.removed_ms IS NULL
		UNION ALL SELECT g.segment, 'goal', '' FROM goals g WHERE g.segment <> '' AND g.removed_ms IS NULL
		ORDER BY 2, 3`)
	if err != nil {
		return nil, fmt.Errorf("reading what names segments: %w", err)
	}
	for _, n := range list {
		note(n.segment, func(u *Uses) {
			switch n.kind {
			case "schedule":
				u.Schedules = append(u.Schedules, n.name)
			case "alert":
				u.Alerts = append(u.Alerts, n.name)
			default:
				u.Goals++
			}
		})
	}
	err = identity.EachView(ctx, r, func(_ int64, query url.Values) error {
		if name := query.Get("segment"); name != "" {
			note(name, func(u *Uses) { u.Views++ })
		}
		return nil
	})
	return uses, err
}
