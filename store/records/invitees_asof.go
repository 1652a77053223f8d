package records

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// InviteesAt returns a subquery that replaces the table of invitees in a query about the
// state known at an instant: without invitees first seen later, and with each value that
// changed since in its old form. For an unknown instant, which means now, it is the table
// itself.
func InviteesAt(asOf affiliate.Millis) string {
	if !asOf.Known() {
		return `invitees`
	}
	at := strconv.FormatInt(int64(asOf), 10)
	var b strings.Builder
	b.WriteString(`(SELECT t.account_id, t.uid, t.first_seen_ms`)
	for _, f := range notedFields {
		was := `h.was`
		if _, number := f.Target(new(StoredInvitee)).(*int64); number {
			was = `CAST(h.was AS BIGINT)`
		}
		fmt.Fprintf(&b, `, coalesce((SELECT %s FROM invitee_changes h
			WHERE h.account_id = t.account_id AND h.uid = t.uid AND h.seen_ms > %s AND h.field = '%s'
			ORDER BY h.seen_ms, h.id LIMIT 1), t.%[3]s) AS %[3]s`, was, at, f.Column)
	}
	b.WriteString(` FROM invitees t WHERE t.first_seen_ms <= ` + at + `)`)
	return b.String()
}

// CodesAt returns a subquery with the invite codes known at an instant, where unknown means
// now: account_id, uid and invite_code of each invitee whose code is known, and whether the
// code is ours (1, else 0). A code of ours counts where the exchange tells none.
func CodesAt(asOf affiliate.Millis) string {
	told := InviteesAt(asOf)
	return `(SELECT x.account_id, x.uid, x.invite_code, 0 AS ours FROM ` + told + ` x WHERE x.invite_code <> ''
		UNION ALL SELECT a.id AS account_id, p.uid, p.invite_code, 1 AS ours FROM accounts a CROSS JOIN ` + ownCodesAt(asOf) + ` p
		WHERE p.invite_code <> '' AND NOT EXISTS (
			SELECT 1 FROM ` + told + ` x WHERE x.account_id = a.id AND x.uid = p.uid AND x.invite_code <> ''))`
}

// ownCodesAt returns a subquery with our invite codes at an instant: uid and invite_code, which
// is empty for people without one.
func ownCodesAt(asOf affiliate.Millis) string {
	if !asOf.Known() {
		return `people`
	}
	return `(SELECT t.uid, coalesce((SELECT h.was FROM people_changes h
			WHERE h.uid = t.uid AND h.seen_ms > ` + strconv.FormatInt(int64(asOf), 10) + ` AND h.field = 'invite_code'
			ORDER BY h.seen_ms, h.id LIMIT 1), t.invite_code) AS invite_code FROM people t)`
}

// OwnCodes returns our invite codes at an instant, where unknown means now, by UID.
func OwnCodes(ctx context.Context, r *store.Tx, asOf affiliate.Millis) (map[affiliate.UID]string, error) {
	// The caller looks up those who may be seen.
	rows, err := r.QueryContext(ctx, store.ForMembers(`SELECT p.uid, p.invite_code FROM `+ownCodesAt(asOf)+` p WHERE p.invite_code <> ''`))
	if err != nil {
		return nil, fmt.Errorf("reading our invite codes: %w", err)
	}
	defer rows.Close()
	codes := map[affiliate.UID]string{}
	for rows.Next() {
		var uid affiliate.UID
		var code string
		if err := rows.Scan(&uid, &code); err != nil {
			return nil, fmt.Errorf("reading our invite codes: %w", err)
		}
		codes[uid] = code
	}
	return codes, rows.Err()
}

// registrations holds the UTC days of registration of each account, with the stamp of the
// last read of each day.
type registrations map[registrationDay]affiliate.Millis

type registrationDay struct {
	account affiliate.Account
	day     affiliate.Day
}

// lastSeen returns when an invitee was last in an answer. An invitee that no read has
// missed was seen by the last read of its registration day. If that day is unknown, the
// result is too.
func (g registrations) lastSeen(account affiliate.Account, registered, missed affiliate.Millis) affiliate.Millis {
	if missed.Known() || !registered.Known() {
		return missed
	}
	return g[registrationDay{account, affiliate.DayOf(registered.Time(), time.UTC)}]
}

// registrationsAt reads when the days of registration were last read: from coverage or, for
// an earlier instant, from the log of slices. A day before the beginning of the log is
// missing.
func registrationsAt(ctx context.Context, r *store.Tx, asOf affiliate.Millis) (g registrations, err error) {
	if asOf.Known() {
		g, err = loggedRegistrations(ctx, r, asOf)
	} else {
		g, err = coveredRegistrations(ctx, r)
	}
	if err != nil {
		return nil, fmt.Errorf("the reads of registration days: %w", err)
	}
	return g, nil
}

func coveredRegistrations(ctx context.Context, r *store.Tx) (registrations, error) {
	rows, err := r.QueryContext(ctx, `
		SELECT a.name, v.day, v.read_ms FROM accounts a JOIN coverage v ON v.account_id = a.id
		WHERE v.account_id IN (SELECT id FROM accounts) AND v.stream = ? AND v.product = '' AND v.read_ms > 0`, affiliate.Invitees)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	g := registrations{}
	for rows.Next() {
		var at registrationDay
		var day string
		var read affiliate.Millis
		if err := rows.Scan(&at.account, &day, &read); err != nil {
			return nil, err
		}
		if at.day, err = affiliate.ParseDay(day); err != nil {
			return nil, err
		}
		g[at] = read
	}
	return g, rows.Err()
}

func loggedRegistrations(ctx context.Context, r *store.Tx, asOf affiliate.Millis) (registrations, error) {
	rows, err := r.QueryContext(ctx, `
		SELECT a.name, s.from_ms, s.to_ms, max(s.ended_ms)
		FROM slices s JOIN runs u ON u.id = s.run_id JOIN accounts a ON a.id = u.account_id
		WHERE s.stream = ? AND s.error = '' AND s.ended_ms <= ?
		GROUP BY a.name, s.from_ms, s.to_ms`, affiliate.Invitees, int64(asOf))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	g := registrations{}
	for rows.Next() {
		var at registrationDay
		var from, to, read affiliate.Millis
		if err := rows.Scan(&at.account, &from, &to, &read); err != nil {
			return nil, err
		}
		last := affiliate.DayOf((to - 1).Time(), time.UTC)
		for at.day = affiliate.DayOf(from.Time(), time.UTC); at.day <= last; at.day++ {
			g[at] = max(g[at], read)
		}
	}
	return g, rows.Err()
}
