package store

import (
	"rebatedesk/affiliate"
)

// CommissionFilter narrows commission records. Empty fields do not narrow.
type CommissionFilter struct {
	Days    affiliate.Days // reporting days, in the zone of the store
	Account affiliate.Account
	Product affiliate.Product // several with a comma between, as Coin and Code
	Coin    affiliate.Coin
	UID     affiliate.UID
	Symbol  string
	Source  affiliate.Source
	Code    string           // invite code of the invitee, as known at AsOf
	Text    string           // part of UID, symbol or invite code
	AsOf    affiliate.Millis // the state known at that instant; unknown is now
}

// common adds the conditions on columns that rows and roll-ups (alias c)
// share.
func (f CommissionFilter) common(w *where) {
	if f.Account != "" {
		w.add(`c.account_id = (SELECT id FROM accounts WHERE name = ?)`, f.Account)
	}
	if f.Product != "" {
		anyOf(w, `c.product`, f.Product)
	}
	if f.Coin != "" {
		anyOf(w, `c.coin`, f.Coin)
	}
	if f.Source != "" {
		w.add(`c.source = ?`, f.Source)
	}
	if f.Code != "" {
		codes, args := among(f.Code)
		w.add(`(c.account_id, c.uid) IN (SELECT account_id, uid FROM `+inviteesAt(f.AsOf)+` WHERE invite_code COLLATE NOCASE IN `+codes+`)`, args...)
	}
}

// rows is the condition on the records themselves. The range of deal times
// stands first: it is what the index answers.
func (f CommissionFilter) rows(span affiliate.Range) where {
	var w where
	w.add(`c.deal_time_ms >= ? AND c.deal_time_ms < ?`, int64(affiliate.MillisOf(span.From)), int64(affiliate.MillisOf(span.To)))
	openRows(&w, f.AsOf)
	f.ofRecords(&w)
	return w
}

// ofRecords adds the conditions on what a record says, whenever it was known.
func (f CommissionFilter) ofRecords(w *where) {
	f.common(w)
	if f.UID != "" {
		w.add(`c.uid = ?`, f.UID)
	}
	if f.Symbol != "" {
		w.add(`c.symbol = ? COLLATE NOCASE`, f.Symbol)
	}
	if f.Text != "" {
		like := "%" + likeEscape.Replace(f.Text) + "%"
		w.add(`(c.uid LIKE ? ESCAPE '\' OR c.symbol LIKE ? ESCAPE '\' OR (c.account_id, c.uid) IN
			(SELECT account_id, uid FROM `+inviteesAt(f.AsOf)+` WHERE invite_code LIKE ? ESCAPE '\'))`, like, like, like)
	}
}

// openRows adds the condition that a row was open at the instant asOf or, where
// that is unknown, is open now.
func openRows(w *where, asOf affiliate.Millis) {
	if asOf.Known() {
		w.add(`c.opened_ms <= ? AND (c.closed_ms IS NULL OR c.closed_ms > ?)`, int64(asOf), int64(asOf))
		return
	}
	w.add(`c.closed_ms IS NULL`)
}
