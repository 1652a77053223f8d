package orders

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// Switch says whether sending is stopped, by whom and why.
type Switch struct {
	Stopped bool
	By, Why string
	Since   affiliate.Millis // unknown: it was never used
}

// ReadSwitch reads the switch.
func ReadSwitch(ctx context.Context, r *store.Tx) (Switch, error) {
	v, err := tradingSwitch(ctx, r)
	if err != nil {
		return v, fmt.Errorf("reading whether trading is stopped: %w", err)
	}
	return v, nil
}

func tradingSwitch(ctx context.Context, tx *store.Tx) (v Switch, err error) {
	err = tx.QueryRowContext(ctx, `SELECT stopped, actor, reason, since_ms FROM trading_switch`).Scan(&v.Stopped, &v.By, &v.Why, &v.Since)
	if errors.Is(err, sql.ErrNoRows) {
		return v, nil
	}
	return v, err
}

// noReason is the reason of who stops without one: stopping takes none.
const noReason = "no reason given"

// SetTradingSwitch stops all sending, or allows it again, together with its line of the
// audit log. Every later claim of an intent sees it.
func SetTradingSwitch(ctx context.Context, s *store.Store, stopped bool, why string, by audit.Line) error {
	if stopped {
		why = cmp.Or(strings.TrimSpace(why), noReason)
	}
	by.Action, by.Detail = "trading resumed", why
	if stopped {
		by.Action = "trading stopped"
	}
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO trading_switch (id, stopped, actor, reason, since_ms) VALUES (1, ?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET stopped = excluded.stopped, actor = excluded.actor,
				reason = excluded.reason, since_ms = excluded.since_ms`,
			stopped, by.Actor, audit.CutText(why, maxReason), stamp)
		if err != nil {
			return err
		}
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", by.Action, err)
	}
	return nil
}
