package records

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// Most of the time of reading millions of records would be spent passing them on column by
// column. Therefore all texts of a record arrive as one, joined by a character that does
// not occur in them.
const packSeparator = "\x1f"

// packedTexts lists the text columns of a record in the order of [CommissionRow.texts]
// after account, code and whether it is ours. None is NULL, because concat_ws would omit it.
var packedTexts, packedFields = func() (columns string, n int) {
	n = 3
	for _, f := range commissionFields {
		if _, text := f.Target(new(affiliate.Commission)).(*string); text {
			columns, n = columns+", c."+f.InStore(), n+1
		}
	}
	return columns, n
}()

// texts returns the fields of a row that are packed.
func (row *CommissionRow) texts() []*string {
	texts := []*string{(*string)(&row.Account), &row.InviteCode, (*string)(&row.OurCode)}
	for _, target := range CommissionTargets(&row.Commission) {
		if text, ok := target.(*string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// packedCommission is a record as the query returns it.
type packedCommission struct {
	id           int64
	deal, opened affiliate.Millis
	texts        string
	fields       []string // instead of texts, if one of them contains the separator
}

// unpack fills in the record from the given texts.
func (p *packedCommission) unpack(row *CommissionRow, texts []*string) {
	row.DealTime, row.FirstSeen = p.deal, p.opened
	for i, text := range texts {
		if p.fields != nil {
			*text = p.fields[i]
		} else {
			*text, p.texts, _ = strings.Cut(p.texts, packSeparator)
		}
	}
}

// commissionQuery asks for records in an order.
type commissionQuery struct {
	filter        CommissionFilter
	order         CommissionOrder
	limit, offset int              // limit 0 means all
	after         CommissionKey    // zero: from the beginning
	names         *commissionNames // nil: account and code are joined by the engine
}

// all reports whether no record is left out.
func (q *commissionQuery) all() bool { return q.limit == 0 && q.offset == 0 }

// texts lists the columns of [CommissionRow.texts].
func (q *commissionQuery) texts() string {
	if q.names != nil {
		return "c.account_id, '', ''" + packedTexts
	}
	return `a.name, CASE WHEN coalesce(i.invite_code, '') <> '' THEN i.invite_code ELSE coalesce(p.invite_code, '') END,
		CASE WHEN coalesce(i.invite_code, '') = '' AND coalesce(p.invite_code, '') <> '' THEN 'true' ELSE '' END` + packedTexts
}

func (q *commissionQuery) from() string {
	if q.names != nil {
		return ` FROM commissions c`
	}
	return `
		FROM commissions c
		JOIN accounts a ON a.id = c.account_id
		LEFT JOIN ` + InviteesAt(q.filter.AsOf) + ` i ON i.account_id = c.account_id AND i.uid = c.uid
		LEFT JOIN ` + ownCodesAt(q.filter.AsOf) + ` p ON p.uid = c.uid`
}

// read passes the records of a range of time on in batches, until hand returns false. It
// returns their number.
func (q *commissionQuery) read(ctx context.Context, tx *store.Tx, span affiliate.Range, hand func([]packedCommission) bool) (n int, err error) {
	b := commissionBatch{query: q, tx: tx, hand: hand, byID: q.order.Column == "time" && q.all()}
	if err := b.read(ctx, span); err != nil || !b.tooMany {
		return b.n, err
	}
	if q.order.Descending {
		span.To = time.UnixMilli(int64(b.tie) + 1)
	} else {
		span.From = time.UnixMilli(int64(b.tie))
	}
	b.byID = false
	err = b.read(ctx, span)
	return b.n, err
}

// packBatch is the number of records passed on at once; a batch ends only where the deal
// time changes, if the records of one are to be sorted. maxTie is how many these may be.
const (
	packBatch = 256
	maxTie    = 2048
)

// commissionBatch collects records of a query.
type commissionBatch struct {
	query *commissionQuery
	tx    *store.Tx
	hand  func([]packedCommission) bool
	// byID means that the engine sorts by deal time only, which the index does for it, and
	// records of the same time are sorted here.
	byID bool

	n        int // records passed on
	list     []packedCommission
	tie      affiliate.Millis // deal time of the newest records of the list
	from     int              // where they begin
	unsorted bool             // their ids are not in order
	tooMany  bool             // they are more than maxTie: the engine must sort them, and what follows
}

// read reads the records of a range. It ends before records that are too many to sort.
func (b *commissionBatch) read(ctx context.Context, span affiliate.Range) error {
	q := b.query
	column, err := commissionFields.order("c.", q.order.Column)
	if err != nil {
		return err
	}
	direction := " ASC"
	if q.order.Descending {
		direction = " DESC"
	}
	w := q.filter.Rows(span)
	if q.after != (CommissionKey{}) {
		beyond := `(c.deal_time_ms <> ? OR c.id > ?)`
		if q.order.Descending {
			beyond = `(c.deal_time_ms <> ? OR c.id < ?)`
		}
		w.Add(beyond, int64(q.after.DealTime), q.after.ID)
	}
	text := `
		SELECT c.id, c.deal_time_ms, c.opened_ms, concat_ws(?, ` + q.texts() + `)` + q.from() + `
		WHERE ` + w.String() + `
		ORDER BY ` + column + direction
	args := append([]any{packSeparator}, w.Args...)
	if !b.byID {
		text += `, c.id` + direction
	}
	if !q.all() {
		text, args = text+` LIMIT ? OFFSET ?`, append(args, cmp.Or(q.limit, store.NoLimit), q.offset)
	}
	rows, err := b.tx.QueryContext(ctx, text, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	return b.take(ctx, rows)
}

func (b *commissionBatch) take(ctx context.Context, rows *sql.Rows) (err error) {
	var p packedCommission
	targets := []any{&p.id, &p.deal, &p.opened, &p.texts}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		next := p
		if strings.Count(p.texts, packSeparator) != packedFields-1 {
			if next.fields, err = b.query.fields(ctx, b.tx, p.id); err != nil {
				return err
			}
		}
		if more := b.add(next); !more {
			return nil
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	b.pass()
	return nil
}

// add adds a record; it returns false if no more are needed, or wanted in this order.
func (b *commissionBatch) add(next packedCommission) bool {
	last := len(b.list) - 1
	switch {
	case last < 0 || !b.byID || next.deal != b.list[last].deal:
		b.sort()
		if len(b.list) >= packBatch && !b.pass() {
			return false
		}
		b.tie, b.from = next.deal, len(b.list)
	case len(b.list)-b.from == maxTie:
		b.list = b.list[:b.from]
		b.tooMany = true
		b.pass()
		return false
	case next.id < b.list[last].id != b.query.order.Descending:
		b.unsorted = true
	}
	b.list = append(b.list, next)
	return true
}

// sort sorts the newest records of the list, which have the same time.
func (b *commissionBatch) sort() {
	if !b.unsorted {
		return
	}
	b.unsorted = false
	slices.SortFunc(b.list[b.from:], func(x, y packedCommission) int {
		if b.query.order.Descending {
			x, y = y, x
		}
		return cmp.Compare(x.id, y.id)
	})
}

// pass passes the list on; it returns false if no more are needed.
func (b *commissionBatch) pass() bool {
	b.sort()
	list := b.list
	b.n += len(list)
	b.list, b.from = make([]packedCommission, 0, packBatch), 0
	return len(list) == 0 || b.hand(list)
}

// fields reads the texts of a record one by one.
func (q *commissionQuery) fields(ctx context.Context, tx *store.Tx, id int64) ([]string, error) {
	fields := make([]string, packedFields)
	targets := make([]any, packedFields)
	for i := range fields {
		targets[i] = &fields[i]
	}
	// The record passed the filter.
	return fields, tx.QueryRowContext(ctx, store.ForMembers(`SELECT `+q.texts()+q.from()+` WHERE c.id = ?`), id).Scan(targets...)
}
