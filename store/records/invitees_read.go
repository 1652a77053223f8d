package records

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// InviteeFilter narrows invitees. Empty fields do not narrow.
type InviteeFilter struct {
	Registered affiliate.Range // zero = ever; a range excludes invitees with an unknown time
	Account    affiliate.Account
	UID        affiliate.UID
	Code       string
	Text       string // part of UID or invite code
	Named      string // UIDs that Text finds by name as well, as a JSON list; empty: none
	Tag        string // our tag, ignoring its case; always current
	Members    affiliate.Members
	AsOf       affiliate.Millis // the state known at that instant; unknown means now
}

func (f InviteeFilter) Where() store.Where {
	var w store.Where
	w.Add(`TRUE`)
	if !f.Registered.Empty() {
		w.Add(`i.register_ms >= ? AND i.register_ms < ?`,
			int64(affiliate.MillisOf(f.Registered.From)), int64(affiliate.MillisOf(f.Registered.To)))
	}
	if f.Account != "" {
		w.Add(`i.account_id = (SELECT id FROM accounts WHERE name = ?)`, f.Account)
	}
	if f.UID != "" {
		w.Add(`i.uid = ?`, f.UID)
	}
	if f.Code != "" {
		codes, args := store.Among(f.Code)
		w.Add(`(i.account_id, i.uid) IN (SELECT k.account_id, k.uid FROM `+CodesAt(f.AsOf)+` k WHERE k.invite_code IN `+codes+`)`, args...)
	}
	if f.Text != "" {
		like := "%" + store.LikeEscape.Replace(f.Text) + "%"
		named, args := namedUIDs("i.uid", f.Named)
		w.Add(`(`+named+`i.uid LIKE ? ESCAPE '\' OR (i.account_id, i.uid) IN (SELECT k.account_id, k.uid FROM `+CodesAt(f.AsOf)+` k WHERE k.invite_code LIKE ? ESCAPE '\'))`, append(args, like, like)...)
	}
	if f.Tag != "" {
		w.Add(`i.uid IN (SELECT uid FROM people_tags WHERE folded = ?)`, affiliate.Folded(f.Tag))
	}
	w.OfMembers("i", f.Members)
	return w
}

// InviteeRow is an invitee as stored.
type InviteeRow struct {
	affiliate.Invitee      // with a code of ours if the exchange tells none
	OurCode           bool // whether the code is ours
	Account           affiliate.Account
	FirstSeen         affiliate.Millis // in an answer of the exchange; stamps of our writes, like the two below
	LastSeen          affiliate.Millis // unknown if the registration is unknown, or the log does not reach back
	Vanished          affiliate.Millis // missed by a read that had to return it; unknown = it has not vanished
}

// InviteeStatus says whether the exchange lists an invitee.
type InviteeStatus string

// The statuses of an invitee.
const (
	InviteeListed         InviteeStatus = "listed"          // as far as known, the exchange lists it
	InviteeVanished       InviteeStatus = "vanished"        // it could list it and does not
	InviteeBeyondReach    InviteeStatus = "beyond-reach"    // it registered too long ago to be listed
	InviteeCommissionOnly InviteeStatus = "commission-only" // it was never listed but brought commission
)

// InviteeStatuses lists the statuses in the order in which they are offered.
func InviteeStatuses() []InviteeStatus {
	return []InviteeStatus{InviteeListed, InviteeVanished, InviteeBeyondReach, InviteeCommissionOnly}
}

// Status returns the status at the instant now. An invitee that vanished while it could be
// listed stays vanished when it passes out of reach.
func (i InviteeRow) Status(now time.Time) InviteeStatus {
	switch {
	case !i.FirstSeen.Known():
		return InviteeCommissionOnly
	case i.Vanished.Known():
		return InviteeVanished
	case i.RegisterTime.Known() && i.RegisterTime.Time().Before(now.Add(-InviteeReach)):
		return InviteeBeyondReach
	}
	return InviteeListed
}

// Invitees yields the invitees of the filter by registration, oldest first.
func Invitees(ctx context.Context, r *store.Tx, f InviteeFilter) iter.Seq2[InviteeRow, error] {
	return func(yield func(InviteeRow, error) bool) {
		if err := eachInvitee(ctx, r, f, yield); err != nil {
			yield(InviteeRow{}, fmt.Errorf("reading invitees: %w", err))
		}
	}
}

func eachInvitee(ctx context.Context, r *store.Tx, f InviteeFilter, yield func(InviteeRow, error) bool) error {
	seen, err := registrationsAt(ctx, r, f.AsOf)
	if err != nil {
		return err
	}
	return eachStored(ctx, r, f, func(row InviteeRow) bool {
		row.LastSeen = seen.lastSeen(row.Account, row.RegisterTime, row.LastSeen)
		return yield(row, nil)
	})
}

// eachStored passes on the invitees of the filter. LastSeen is only that of invitees who were
// missed since.
func eachStored(ctx context.Context, r *store.Tx, f InviteeFilter, see func(InviteeRow) bool) error {
	w := f.Where()
	rows, err := r.QueryContext(ctx, `
		SELECT a.name, coalesce(p.invite_code, ''), `+inviteeFields.Columns("i.")+`
		FROM `+InviteesAt(f.AsOf)+` i JOIN accounts a ON a.id = i.account_id LEFT JOIN `+ownCodesAt(f.AsOf)+` p ON p.uid = i.uid
		WHERE `+w.String()+`
		ORDER BY i.register_ms, a.name, i.uid`, w.Args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	var account affiliate.Account
	var own string
	var i StoredInvitee
	targets := append([]any{(*string)(&account), &own}, i.Targets()...)
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		row := InviteeRow{Invitee: i.Invitee, Account: account, FirstSeen: i.FirstSeen, LastSeen: i.Missed, Vanished: i.Vanished}
		if row.InviteCode == "" && own != "" {
			row.InviteCode, row.OurCode = own, true
		}
		if f.AsOf.Known() && row.LastSeen > f.AsOf {
			row.LastSeen = 0 // missed since, by a read that predates this history
		}
		if !see(row) {
			return nil
		}
	}
	return rows.Err()
}

// AllInvitees are all invitees of a set as known now, by registration, oldest first.
type AllInvitees struct {
	rows []InviteeRow // LastSeen is only that of invitees who were missed since
}

// ReadAllInvitees reads them. The value stays the same until an invitee changes, whatever else
// is written.
func ReadAllInvitees(ctx context.Context, r *store.Tx, of affiliate.Members) (AllInvitees, error) {
	var all AllInvitees
	err := eachStored(ctx, r, InviteeFilter{Members: of}, func(row InviteeRow) bool {
		all.rows = append(all.rows, row)
		return true
	})
	if err != nil {
		return AllInvitees{}, fmt.Errorf("reading invitees: %w", err)
	}
	return all, nil
}

// At yields the invitees with the time when each was last seen, which readings change that
// find nothing new.
func (all AllInvitees) At(ctx context.Context, r *store.Tx) iter.Seq2[InviteeRow, error] {
	return func(yield func(InviteeRow, error) bool) {
		seen, err := registrationsAt(ctx, r, 0)
		if err != nil {
			yield(InviteeRow{}, fmt.Errorf("reading invitees: %w", err))
			return
		}
		for _, row := range all.rows {
			row.LastSeen = seen.lastSeen(row.Account, row.RegisterTime, row.LastSeen)
			if !yield(row, nil) {
				return
			}
		}
	}
}

// InviteeCounts counts invitees by what happened in a range.
type InviteeCounts struct {
	Registered      int64
	FirstDepositors int64
	FirstTraders    int64
	// DepositsKnown and TradesKnown say whether the exchange ever reported such a time for
	// the account: if it never did, a count of zero has no meaning.
	DepositsKnown bool
	TradesKnown   bool
}

// CountInvitees counts the invitees of the filter by the first steps they took within span.
// The filter's own range is ignored.
func CountInvitees(ctx context.Context, r *store.Tx, f InviteeFilter, span affiliate.Range) (InviteeCounts, error) {
	f.Registered = affiliate.Range{}
	w, table := f.Where(), InviteesAt(f.AsOf)
	from, to := int64(affiliate.MillisOf(span.From)), int64(affiliate.MillisOf(span.To))
	var reports store.Where // an account reports a step or does not, whichever invitees are counted
	reports.Add(`TRUE`)
	if f.Account != "" {
		reports.Add(`k.account_id = (SELECT id FROM accounts WHERE name = ?)`, f.Account)
	}
	reports.OfMembers("k", f.Members)
	var n InviteeCounts
	err := r.QueryRowContext(ctx, `
		SELECT count(*) FILTER (WHERE i.register_ms >= ? AND i.register_ms < ?),
			count(*) FILTER (WHERE i.first_deposit_ms >= ? AND i.first_deposit_ms < ?),
			count(*) FILTER (WHERE i.first_trade_ms >= ? AND i.first_trade_ms < ?),
			EXISTS (SELECT 1 FROM `+table+` k WHERE k.first_deposit_ms > 0 AND `+reports.String()+`),
			EXISTS (SELECT 1 FROM `+table+` k WHERE k.first_trade_ms > 0 AND `+reports.String()+`)
		FROM `+table+` i WHERE `+w.String(),
		slices.Concat([]any{from, to, from, to, from, to}, reports.Args, reports.Args, w.Args)...).Scan(
		&n.Registered, &n.FirstDepositors, &n.FirstTraders, &n.DepositsKnown, &n.TradesKnown)
	if err != nil {
		return InviteeCounts{}, fmt.Errorf("counting invitees: %w", err)
	}
	return n, nil
}

// Codes lists the invite codes in use among the invitees of a set at the instant asOf or, if
// asOf is unknown, now.
func Codes(ctx context.Context, r *store.Tx, of affiliate.Members, asOf affiliate.Millis) ([]string, error) {
	var w store.Where
	w.Add(`TRUE`)
	w.OfMembers("i", of)
	return store.ReadColumn[string](ctx, r, `SELECT DISTINCT i.invite_code FROM `+CodesAt(asOf)+` i WHERE `+w.String()+` ORDER BY i.invite_code`, w.Args...)
}
