package store

import (
	"strings"

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

// inDays reports whether the roll-up of days can answer the question.
func (r *Reader) inDays(f CommissionFilter) bool {
	return r.inBlocks(f, byUID) && r.inBlocks(f, bySymbol)
}

// inBlocks reports whether the blocks with lines of a kind can answer the
// question. What they cannot is read from the rows.
func (r *Reader) inBlocks(f CommissionFilter, k kind) bool {
	if !r.rolled || f.AsOf.Known() || f.Text != "" {
		return false
	}
	if k == byUID {
		return f.Symbol == ""
	}
	return f.UID == "" && f.Code == ""
}

// where gathers conditions that are joined by AND.
type where struct {
	conditions []string
	args       []any
}

func (w *where) add(condition string, args ...any) {
	w.conditions = append(w.conditions, condition)
	w.args = append(w.args, args...)
}

// anyOf adds that a column is one of what a filter asks for.
func anyOf[T ~string](w *where, column string, filter T) {
	list, args := among(filter)
	w.add(column+` IN `+list, args...)
}

// among is the right side of IN for what a filter asks for.
func among[T ~string](filter T) (list string, args []any) {
	for _, value := range affiliate.Asked(filter) {
		args = append(args, value)
	}
	if len(args) == 0 {
		return `()`, nil
	}
	return `(?` + strings.Repeat(`, ?`, len(args)-1) + `)`, args
}

func (w *where) String() string { return strings.Join(w.conditions, " AND ") }

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

// inRollup is the condition on the roll-up of days.
func (f CommissionFilter) inRollup() where {
	var w where
	w.add(`c.day BETWEEN ? AND ?`, f.Days.First.String(), f.Days.Last.String())
	f.common(&w)
	return w
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

var likeEscape = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)
