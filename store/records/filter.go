package records

import (
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// CommissionFilter narrows commission records. Empty fields do not narrow.
type CommissionFilter struct {
	Days    affiliate.Days // reporting days, in the zone of the store
	Account affiliate.Account
	Product affiliate.Product // several separated by commas, as for Coin and Code
	Coin    affiliate.Coin
	UID     affiliate.UID
	Symbol  string
	Source  affiliate.Source
	Code    string // invite code of the invitee, as known at AsOf
	Text    string // part of UID, symbol or invite code
	Named   string // UIDs that Text finds by name as well, as a JSON list; empty: none
	Members affiliate.Members
	AsOf    affiliate.Millis // the state known at that instant; unknown means now
}

// Common adds the conditions on columns that rows and roll-ups (alias c)
// share.
func (f CommissionFilter) Common(w *store.Where) {
	if f.Account != "" {
		w.Add(`c.account_id = (SELECT id FROM accounts WHERE name = ?)`, f.Account)
	}
	if f.Product != "" {
		store.AnyOf(w, `c.product`, f.Product)
	}
	if f.Coin != "" {
		store.AnyOf(w, `c.coin`, f.Coin)
	}
	if f.Source != "" {
		w.Add(`c.source = ?`, f.Source)
	}
	w.OfMembers("c", f.Members)
	f.ofCode(w)
}

func (f CommissionFilter) ofCode(w *store.Where) {
	if f.Code != "" {
		codes, args := store.Among(f.Code)
		w.Add(`(c.account_id, c.uid) IN (SELECT k.account_id, k.uid FROM `+CodesAt(f.AsOf)+` k WHERE k.invite_code IN `+codes+`)`, args...)
	}
}

// ofInvitees adds the conditions that depend on what is known of the invitee at AsOf.
func (f CommissionFilter) ofInvitees(w *store.Where) {
	f.ofCode(w)
	f.ofText(w)
}

// withoutInvitees returns the filter without the conditions of [CommissionFilter.ofInvitees].
func (f CommissionFilter) withoutInvitees() CommissionFilter {
	f.Code, f.Text, f.Named = "", "", ""
	return f
}

// Rows returns the condition on the records themselves. The range of deal times comes
// first: the index answers it.
func (f CommissionFilter) Rows(span affiliate.Range) store.Where {
	var w store.Where
	w.Add(`c.deal_time_ms >= ? AND c.deal_time_ms < ?`, int64(affiliate.MillisOf(span.From)), int64(affiliate.MillisOf(span.To)))
	OpenRows(&w, f.AsOf)
	f.OfRecords(&w)
	return w
}

// OfRecords adds the conditions on the content of a record, regardless of when it was
// known.
func (f CommissionFilter) OfRecords(w *store.Where) {
	f.Common(w)
	if f.UID != "" {
		w.Add(`c.uid = ?`, f.UID)
	}
	if f.Symbol != "" {
		w.Add(`c.symbol = ? COLLATE NOCASE`, f.Symbol)
	}
	f.ofText(w)
}

func (f CommissionFilter) ofText(w *store.Where) {
	if f.Text != "" {
		like := "%" + store.LikeEscape.Replace(f.Text) + "%"
		named, args := namedUIDs("c.uid", f.Named)
		symbol := like
		if strings.Contains(f.Text, "/") { // a pair as pages write it; no symbol has this character
			symbol = "%" + store.LikeEscape.Replace(strings.ReplaceAll(f.Text, "/", "")) + "%"
		}
		w.Add(`(`+named+`c.uid LIKE ? ESCAPE '\' OR c.symbol LIKE ? ESCAPE '\' OR (c.account_id, c.uid) IN
			(SELECT k.account_id, k.uid FROM `+CodesAt(f.AsOf)+` k WHERE k.invite_code LIKE ? ESCAPE '\'))`, append(args, like, symbol, like)...)
	}
}

// namedUIDs returns the condition that a column is one of the UIDs of a JSON list, followed by OR;
// nothing for an empty list.
func namedUIDs(column, list string) (condition string, args []any) {
	if list == "" {
		return "", nil
	}
	return column + ` IN (SELECT n.value FROM json_each(CAST(? AS TEXT)) n) OR `, []any{list}
}

// OpenRows adds the condition that a row was open at the instant asOf or, if asOf is
// unknown, is open now.
func OpenRows(w *store.Where, asOf affiliate.Millis) {
	if asOf.Known() {
		w.Add(`c.opened_ms <= ? AND (c.closed_ms IS NULL OR c.closed_ms > ?)`, int64(asOf), int64(asOf))
		return
	}
	w.Add(`c.closed_ms IS NULL`)
}
