package records

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// inviteeCodes returns the invite codes of the invitees of a set known at an instant; unknown
// means now.
func inviteeCodes(ctx context.Context, r *store.Tx, of affiliate.Members, asOf affiliate.Millis) (map[inviteeKey]string, error) {
	var w store.Where
	w.Add(`TRUE`)
	w.OfMembers("i", of)
	rows, err := r.QueryContext(ctx, `SELECT i.account_id, i.uid, i.invite_code FROM `+CodesAt(asOf)+` i WHERE `+w.String(), w.Args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	codes := map[inviteeKey]string{}
	var key inviteeKey
	var code string
	for rows.Next() {
		if err := rows.Scan(&key.account, &key.uid, &code); err != nil {
			return nil, err
		}
		codes[key] = code
	}
	return codes, rows.Err()
}

// passing says which conditions of a filter on the invite code an invitee meets.
type passing struct{ code, text bool }

// recodedRecords returns the records that both states have, and that pass the filter in one
// of them only.
func (d *differing) recodedRecords(ctx context.Context) (list []*Difference, err error) {
	if d.filter.Code == "" && d.filter.Text == "" {
		return nil, nil
	}
	noticed, err := d.recodedInvitees(ctx)
	if err != nil || len(noticed) == 0 {
		return nil, err
	}
	before, err := d.passing(ctx, d.since)
	if err != nil {
		return nil, err
	}
	after, err := d.passing(ctx, d.until)
	if err != nil {
		return nil, err
	}
	for key, at := range noticed {
		if before[key] == after[key] {
			continue
		}
		found, err := d.recodedOf(ctx, key, before[key], after[key], at)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	slices.SortFunc(list, (*Difference).Compare)
	return list, nil
}

// recodedUIDs are the invitees of whom a code became known, or changed, after an instant.
const recodedUIDs = `
	SELECT h.account_id, h.uid FROM invitee_changes h WHERE h.field = 'invite_code' AND h.seen_ms > ?
	UNION SELECT t.account_id, t.uid FROM invitees t WHERE t.first_seen_ms > ?
	UNION SELECT b.id AS account_id, o.uid FROM accounts b CROSS JOIN people_changes o WHERE o.field = 'invite_code' AND o.seen_ms > ?`

// recodedInvitees returns the invitees of whom a code became known, or changed, between the
// two instants, with the stamp of the newest such write.
func (d *differing) recodedInvitees(ctx context.Context) (map[inviteeKey]affiliate.Millis, error) {
	var w store.Where
	w.Add(`x.at > ?`, int64(d.since))
	if d.until.Known() {
		w.Add(`x.at <= ?`, int64(d.until))
	}
	w.OfMembers("x", d.filter.Members)
	rows, err := d.tx.QueryContext(ctx, `
		SELECT x.account_id, x.uid, max(x.at) FROM (
			SELECT h.account_id, h.uid, h.seen_ms AS at FROM invitee_changes h WHERE h.field = 'invite_code'
			UNION ALL SELECT t.account_id, t.uid, t.first_seen_ms AS at FROM invitees t
			UNION ALL SELECT b.id AS account_id, o.uid, o.seen_ms AS at FROM accounts b CROSS JOIN people_changes o WHERE o.field = 'invite_code'
		) x WHERE `+w.String()+` GROUP BY x.account_id, x.uid`, w.Args...)
	if err != nil {
		return nil, fmt.Errorf("the changes of invite codes: %w", err)
	}
	defer rows.Close()
	list := map[inviteeKey]affiliate.Millis{}
	for rows.Next() {
		var key inviteeKey
		var at affiliate.Millis
		if err := rows.Scan(&key.account, &key.uid, &at); err != nil {
			return nil, err
		}
		list[key] = at
	}
	return list, rows.Err()
}

// passing returns which conditions the invitees whose code changed met at an instant. Those
// that were not known then meet none.
func (d *differing) passing(ctx context.Context, asOf affiliate.Millis) (map[inviteeKey]passing, error) {
	codes, args := store.Among(d.filter.Code)
	var w store.Where
	w.Add(`(i.account_id, i.uid) IN (`+recodedUIDs+`)`, int64(d.since), int64(d.since), int64(d.since))
	w.OfMembers("i", d.filter.Members)
	args = append(append(args, "%"+store.LikeEscape.Replace(d.filter.Text)+"%"), w.Args...)
	rows, err := d.tx.QueryContext(ctx, `
		SELECT i.account_id, i.uid, CASE WHEN i.invite_code IN `+codes+` THEN 1 ELSE 0 END,
			CASE WHEN i.invite_code LIKE ? ESCAPE '\' THEN 1 ELSE 0 END
		FROM `+CodesAt(asOf)+` i WHERE `+w.String(), args...)
	if err != nil {
		return nil, fmt.Errorf("the invite codes: %w", err)
	}
	defer rows.Close()
	list := map[inviteeKey]passing{}
	for rows.Next() {
		var key inviteeKey
		var p passing
		if err := rows.Scan(&key.account, &key.uid, &p.code, &p.text); err != nil {
			return nil, err
		}
		list[key] = passing{code: p.code && d.filter.Code != "", text: p.text && d.filter.Text != ""}
	}
	return list, rows.Err()
}

// recodedOf returns the records of one invitee that both states have, and that pass the
// filter in one of them only.
func (d *differing) recodedOf(ctx context.Context, key inviteeKey, before, after passing, noticed affiliate.Millis) ([]*Difference, error) {
	f := d.filter.withoutInvitees()
	if f.UID != "" && f.UID != key.uid {
		return nil, nil
	}
	var w store.Where
	span := f.Days.Range(d.tx.ReportingZone())
	w.Add(`c.uid = ? AND c.account_id = ? AND c.deal_time_ms >= ? AND c.deal_time_ms < ?`,
		key.uid, key.account, int64(affiliate.MillisOf(span.From)), int64(affiliate.MillisOf(span.To)))
	OpenRows(&w, d.since)
	OpenRows(&w, d.until)
	f.OfRecords(&w)
	isNamed, uids := namedUIDs("c.uid", d.filter.Named)
	like := "%" + store.LikeEscape.Replace(d.filter.Text) + "%"
	list, err := store.Scanned(ctx, d.tx, func(rows *sql.Rows) (*Difference, error) {
		var row stateRow
		var named bool
		if err := rows.Scan(append(row.targets(), &named)...); err != nil {
			return nil, err
		}
		passes := func(p passing) bool {
			return (d.filter.Code == "" || p.code) && (d.filter.Text == "" || named || p.text)
		}
		one := &Difference{Noticed: noticed, Account: d.accounts[row.account], InviteCode: d.codes[key], Recoded: true, id: row.id}
		switch was, is := passes(before), passes(after); {
		case was && !is:
			one.Was = &row.record
		case is && !was:
			one.Became = &row.record
		}
		return one, nil
	}, `
		SELECT c.id, c.account_id, c.opened_ms, coalesce(c.closed_ms, 0), `+CommissionColumnList("c.")+`,
			CASE WHEN `+isNamed+`c.uid LIKE ? ESCAPE '\' OR c.symbol LIKE ? ESCAPE '\' THEN 1 ELSE 0 END
		FROM commissions c WHERE `+w.String()+` ORDER BY c.id`, slices.Concat(uids, []any{like, like}, w.Args)...)
	return slices.DeleteFunc(list, func(one *Difference) bool { return one.Was == nil && one.Became == nil }), err
}
