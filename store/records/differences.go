package records

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// Difference is a record that two states of the store do not have alike: it is in one of
// them only, or the later one has another version of its trade.
type Difference struct {
	Noticed affiliate.Millis // stamp of the newest write that made the difference
	Account affiliate.Account
	Was     *affiliate.Commission // nil: not in the earlier state
	Became  *affiliate.Commission // nil: not in the later state
	// InviteCode is that of the invitee as known in the later state; empty = unknown.
	InviteCode string
	// New reports whether the record was read with its UTC day for the first time: up to the
	// first whole read of that day.
	New bool
	// Recoded reports that both states have the record, and only one of them passes it
	// through the filter: what is known of the invitee's code changed in between.
	Recoded bool

	id int64 // of the newer row, or else of the older: a stable order
}

// Record returns the newer version.
func (d *Difference) Record() *affiliate.Commission {
	if d.Became != nil {
		return d.Became
	}
	return d.Was
}

// Compare orders differences by deal time; those of one instant keep the stored order.
func (d *Difference) Compare(o *Difference) int {
	return cmp.Or(cmp.Compare(d.Record().DealTime, o.Record().DealTime), cmp.Compare(d.id, o.id))
}

// Differences yields how the records of the filter differ between the states known at two
// instants, by deal time. An unknown until means the present state; AsOf of the filter does
// not count. A record that came and went in between is no difference, and neither is one that
// went and came back. For each coin, the commission of the later state is therefore that of
// the earlier one and all differences.
//
// It reads the rows of the UTC days that changed in between. Other days cost nothing.
func Differences(ctx context.Context, r *store.Tx, f CommissionFilter, since, until affiliate.Millis) iter.Seq2[*Difference, error] {
	return func(yield func(*Difference, error) bool) {
		d := differing{tx: r, filter: f, since: since, until: until, yield: yield}
		if err := d.each(ctx); err != nil {
			yield(nil, fmt.Errorf("reading what changed: %w", err))
		}
	}
}

// differing compares the states at two instants.
type differing struct {
	tx           *store.Tx
	filter       CommissionFilter
	since, until affiliate.Millis
	accounts     map[int64]affiliate.Account
	codes        map[inviteeKey]string
	whole        map[streamDay]affiliate.Millis // of the days that may differ: the stamp of the first whole read, if there was one
	recoded      []*Difference                  // by deal time
	enough       bool
	yield        func(*Difference, error) bool
}

type inviteeKey struct {
	account int64
	uid     affiliate.UID
}

func (d *differing) each(ctx context.Context) error {
	days, err := d.changedDays(ctx)
	if err != nil {
		return err
	}
	if d.accounts, err = d.tx.AccountNames(ctx); err != nil {
		return err
	}
	if d.codes, err = inviteeCodes(ctx, d.tx, d.filter.Members, d.until); err != nil {
		return err
	}
	if d.recoded, err = d.recodedRecords(ctx); err != nil {
		return err
	}
	span := d.filter.Days.Range(d.tx.ReportingZone())
	for _, utc := range days {
		part := utc.Range(time.UTC)
		if part.From.Before(span.From) {
			part.From = span.From
		}
		if part.To.After(span.To) {
			part.To = span.To
		}
		if err := d.read(ctx, part); err != nil || d.enough {
			return err
		}
	}
	d.handRecoded(affiliate.Millis(1<<63 - 1))
	return nil
}

// changedDays returns the UTC days of the filter of which a row may have been opened or
// closed after the earlier instant, in ranges that do not overlap.
func (d *differing) changedDays(ctx context.Context) ([]affiliate.Days, error) {
	span := d.filter.Days.Range(d.tx.ReportingZone())
	utc := affiliate.Days{First: affiliate.DayOf(span.From, time.UTC), Last: affiliate.DayOf(span.To.Add(-time.Nanosecond), time.UTC)}
	covered, err := coverageReads(ctx, d.tx, affiliate.Commissions, d.filter.Account, d.filter.Product, utc)
	if err != nil {
		return nil, err
	}
	covered = slices.DeleteFunc(covered, func(c dayCoverage) bool { return c.read <= d.since })
	if len(covered) == 0 {
		return nil, nil
	}
	stamped, known, err := d.stampedDays(ctx, utc)
	if err != nil {
		return nil, err
	}
	if known {
		covered = slices.DeleteFunc(covered, func(c dayCoverage) bool { return !stamped[c.day] })
	}
	log, err := readLog(ctx, d.tx, affiliate.Commissions, utc)
	if err != nil {
		return nil, err
	}
	d.whole = map[streamDay]affiliate.Millis{}
	var changed []affiliate.Day
	for _, c := range covered {
		whole := c.firstWhole(log[c.streamDay])
		if whole.Known() && whole <= d.since && c.steadySince(whole, log[c.streamDay]) {
			continue
		}
		d.whole[c.streamDay] = whole
		changed = append(changed, c.day)
	}
	slices.Sort(changed)
	var list []affiliate.Days
	for _, day := range changed {
		if n := len(list); n > 0 && day <= list[n-1].Last+1 {
			list[n-1].Last = day
		} else {
			list = append(list, affiliate.Days{First: day, Last: day})
		}
	}
	return list, nil
}

// stampedDays returns the UTC days that meet a reporting day changed after the earlier
// instant. known is false if the stamps do not reach back that far.
func (d *differing) stampedDays(ctx context.Context, utc affiliate.Days) (days map[affiliate.Day]bool, known bool, err error) {
	var name string
	var rolled affiliate.Millis
	if err := d.tx.QueryRowContext(ctx, `SELECT zone, rolled_ms FROM meta WHERE id = 1`).Scan(&name, &rolled); err != nil {
		return nil, false, err
	}
	if name == "" || d.since < rolled {
		return nil, false, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, false, err
	}
	changed, err := store.Scanned(ctx, d.tx, func(rows *sql.Rows) (day affiliate.Day, err error) {
		err = rows.Scan((*store.DayText)(&day))
		return day, err
	}, `SELECT day FROM commission_changes WHERE changed_ms > ? AND day BETWEEN ? AND ? ORDER BY day`,
		int64(d.since), (utc.First - 1).String(), (utc.Last + 1).String())
	days = map[affiliate.Day]bool{}
	for _, day := range changed {
		span := day.Range(zone)
		last := affiliate.DayOf(span.To.Add(-time.Millisecond), time.UTC)
		for of := affiliate.DayOf(span.From, time.UTC); of <= last; of++ {
			days[of] = true
		}
	}
	return days, err == nil, err
}

// between is the condition that a row is in one of the two states and not in the other, with
// what the filter says of it in that state.
func (d *differing) between(w *store.Where) {
	var gone, come store.Where
	f := d.filter
	f.AsOf = d.since
	OpenRows(&gone, f.AsOf)
	notOpen(&gone, d.until)
	f.ofInvitees(&gone)
	f.AsOf = d.until
	OpenRows(&come, f.AsOf)
	come.Add(`c.opened_ms > ?`, int64(d.since))
	f.ofInvitees(&come)
	w.Add(`((`+come.String()+`) OR (`+gone.String()+`))`, append(come.Args, gone.Args...)...)
}

// notOpen adds the condition that a row was closed by an instant or, if that is unknown, is
// closed now.
func notOpen(w *store.Where, asOf affiliate.Millis) {
	if asOf.Known() {
		w.Add(`c.closed_ms <= ?`, int64(asOf))
		return
	}
	w.Add(`c.closed_ms IS NOT NULL`)
}

// read yields the differences of the rows of a range of time.
func (d *differing) read(ctx context.Context, span affiliate.Range) error {
	var w store.Where
	w.Add(`c.deal_time_ms >= ? AND c.deal_time_ms < ?`, int64(affiliate.MillisOf(span.From)), int64(affiliate.MillisOf(span.To)))
	d.between(&w)
	d.filter.withoutInvitees().OfRecords(&w)
	rows, err := d.tx.QueryContext(ctx, `
		SELECT c.id, c.account_id, c.opened_ms, coalesce(c.closed_ms, 0), `+CommissionColumnList("c.")+`
		FROM commissions c WHERE `+w.String()+` ORDER BY c.deal_time_ms, c.id`, w.Args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	var row stateRow
	var same []stateRow // of one deal time
	targets := row.targets()
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		if len(same) > 0 && same[0].record.DealTime != row.record.DealTime {
			if d.hand(same); d.enough {
				return nil
			}
			same = same[:0]
		}
		same = append(same, row)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	d.hand(same)
	return nil
}

// stateRow is a row that one of the two states has.
type stateRow struct {
	id          int64
	account     int64
	opened, end affiliate.Millis
	record      affiliate.Commission
}

func (r *stateRow) targets() []any {
	return append([]any{&r.id, &r.account, &r.opened, &r.end}, CommissionTargets(&r.record)...)
}

// hand yields the differences of rows with one deal time.
func (d *differing) hand(rows []stateRow) {
	if len(rows) == 0 {
		return
	}
	d.handRecoded(rows[0].record.DealTime)
	for _, one := range d.pair(rows) {
		if d.enough {
			return
		}
		d.enough = !d.yield(one, nil)
	}
}

// version is what two rows have in common if one replaces the other without a difference.
type version struct {
	account int64
	record  affiliate.Commission
}

// pair makes differences of rows with one deal time. Rows that went and came back are left
// out; other rows of one trade are its versions.
func (d *differing) pair(rows []stateRow) []*Difference {
	if len(rows) == 1 { // nearly always
		return []*Difference{d.differenceOf(nil, &rows[0])}
	}
	gone := map[version][]int{}
	left := make([]bool, len(rows))
	for i := range rows {
		if rows[i].opened <= d.since {
			of := version{rows[i].account, rows[i].record.Key()}
			gone[of] = append(gone[of], i)
		}
	}
	for i := range rows {
		if rows[i].opened > d.since {
			of := version{rows[i].account, rows[i].record.Key()}
			if before := gone[of]; len(before) > 0 {
				left[i], left[before[0]], gone[of] = true, true, before[1:]
			}
		}
	}
	type traded struct {
		account int64
		product affiliate.Product
		trade
	}
	tradedAs := func(r *stateRow) traded { return traded{r.account, r.record.Product, tradeOf(0, &r.record)} }
	older := map[traded][]int{}
	for i := range rows {
		if !left[i] && rows[i].opened <= d.since {
			of := tradedAs(&rows[i])
			older[of] = append(older[of], i)
		}
	}
	var list []*Difference
	for i := range rows {
		if left[i] || rows[i].opened <= d.since {
			continue
		}
		var was *stateRow
		of := tradedAs(&rows[i])
		if before := older[of]; len(before) > 0 {
			was, left[before[0]], older[of] = &rows[before[0]], true, before[1:]
		}
		list = append(list, d.differenceOf(was, &rows[i]))
	}
	for i := range rows {
		if !left[i] && rows[i].opened <= d.since {
			list = append(list, d.differenceOf(nil, &rows[i]))
		}
	}
	slices.SortFunc(list, (*Difference).Compare)
	return list
}

// differenceOf makes a difference of a row, and of the older version of its trade if there is
// one.
func (d *differing) differenceOf(was, row *stateRow) *Difference {
	record := row.record
	one := &Difference{Account: d.accounts[row.account], InviteCode: d.codes[inviteeKey{row.account, record.UID}], id: row.id}
	if row.opened <= d.since {
		one.Noticed, one.Was = row.end, &record
		return one
	}
	one.Noticed, one.Became = row.opened, &record
	if was != nil {
		before := was.record
		one.Was = &before
		return one
	}
	day := streamDay{row.account, one.Account, record.Product, affiliate.DayOf(record.DealTime.Time(), time.UTC)}
	whole := d.whole[day]
	one.New = !whole.Known() || row.opened <= whole
	return one
}

// handRecoded yields the recoded records before a deal time.
func (d *differing) handRecoded(before affiliate.Millis) {
	for len(d.recoded) > 0 && !d.enough && d.recoded[0].Record().DealTime < before {
		d.enough = !d.yield(d.recoded[0], nil)
		d.recoded = d.recoded[1:]
	}
}

// Parts of a difference in its binary form.
const (
	differenceWas = 1 << iota
	differenceBecame
	differenceNew
	differenceRecoded
)

var errBrokenDifference = errors.New("a difference is damaged")

// AppendBinary appends the difference in a form that [ParseDifference] reads. It is for files that
// the same process reads again.
func (d *Difference) AppendBinary(to []byte) []byte {
	var parts byte
	if d.Was != nil {
		parts |= differenceWas
	}
	if d.Became != nil {
		parts |= differenceBecame
	}
	if d.New {
		parts |= differenceNew
	}
	if d.Recoded {
		parts |= differenceRecoded
	}
	to = binary.AppendVarint(append(to, parts), int64(d.Noticed))
	to = binary.AppendVarint(to, d.id)
	to = appendText(appendText(to, string(d.Account)), d.InviteCode)
	for _, c := range []*affiliate.Commission{d.Was, d.Became} {
		if c == nil {
			continue
		}
		for _, target := range CommissionTargets(c) {
			switch v := target.(type) {
			case *int64:
				to = binary.AppendVarint(to, *v)
			case *string:
				to = appendText(to, *v)
			}
		}
	}
	return to
}

func appendText(to []byte, text string) []byte {
	return append(binary.AppendUvarint(to, uint64(len(text))), text...)
}

// ParseDifference returns the difference of a text that [Difference.AppendBinary] made. Its texts
// share the memory of the text.
func ParseDifference(text string) (*Difference, error) {
	if text == "" {
		return nil, errBrokenDifference
	}
	d, parts := new(Difference), text[0]
	d.New, d.Recoded = parts&differenceNew != 0, parts&differenceRecoded != 0
	targets := []any{(*int64)(&d.Noticed), &d.id, (*string)(&d.Account), &d.InviteCode}
	if parts&differenceWas != 0 {
		d.Was = new(affiliate.Commission)
		targets = append(targets, CommissionTargets(d.Was)...)
	}
	if parts&differenceBecame != 0 {
		d.Became = new(affiliate.Commission)
		targets = append(targets, CommissionTargets(d.Became)...)
	}
	rest, ok := text[1:], true
	for _, target := range targets {
		var n uint64
		if n, rest, ok = affiliate.Uvarint(rest); !ok {
			return nil, errBrokenDifference
		}
		switch v := target.(type) {
		case *int64:
			*v = int64(n>>1) ^ -int64(n&1)
		case *string:
			if n > uint64(len(rest)) {
				return nil, errBrokenDifference
			}
			*v, rest = rest[:n], rest[n:]
		}
	}
	if rest != "" {
		return nil, errBrokenDifference
	}
	return d, nil
}
