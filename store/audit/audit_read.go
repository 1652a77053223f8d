package audit

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"slices"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// LogQuery narrows the audit log. Empty fields do not narrow it.
type LogQuery struct {
	From, To affiliate.Millis // instants, To excluded; unknown is open
	Actor    string
	Action   string
	Text     string // part of any text of the line; the case of ASCII letters is ignored

	Before int64 // only lines with a smaller ID, as in Next of the previous page; 0 = from the newest
	Limit  int   // lines on a page; 0 = 100
	Reach  int64 // lines to scan if no index answers alone; 0 = 20,000
}

// LogPage is a part of the audit log, newest first.
type LogPage struct {
	Lines []Line
	// Next is the Before of the following page, or 0 at the end of the log. A page can have
	// fewer lines than requested, even none, although more follow: a search scans a limited
	// number of lines at a time.
	Next int64
}

// auditReach is how many lines one page scans if no index answers alone.
const auditReach = 20_000

const auditPageLines = 100

// ReadPage returns a page of the audit log. Its cost does not grow with the log.
func ReadPage(ctx context.Context, r *store.Tx, q LogQuery) (LogPage, error) {
	page, err := auditPage(ctx, r, q)
	if err != nil {
		return page, fmt.Errorf("reading the audit log: %w", err)
	}
	return page, nil
}

func auditPage(ctx context.Context, r *store.Tx, q LogQuery) (page LogPage, err error) {
	if q.Limit <= 0 {
		q.Limit = auditPageLines
	}
	if q.Reach <= 0 {
		q.Reach = auditReach
	}
	first, end, err := auditSpan(ctx, r, q)
	if err != nil || first >= end {
		return page, err
	}
	low := first
	if q.Text != "" || q.Actor != "" && q.Action != "" {
		low = max(first, end-q.Reach)
	}
	for line, err := range auditLines(ctx, r, q, low, end, "DESC", q.Limit+1) {
		if err != nil {
			return page, err
		}
		if len(page.Lines) == q.Limit {
			page.Next = page.Lines[q.Limit-1].ID
			return page, nil
		}
		page.Lines = append(page.Lines, line)
	}
	if low > first {
		page.Next = low
	}
	return page, nil
}

// Lines yields all lines of the query, oldest first; Limit is ignored. The sequence
// ends with the first error.
func Lines(ctx context.Context, r *store.Tx, q LogQuery) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		first, end, err := auditSpan(ctx, r, q)
		if err != nil {
			yield(Line{}, fmt.Errorf("reading the audit log: %w", err))
			return
		}
		for line, err := range auditLines(ctx, r, q, first, end, "ASC", store.NoLimit) {
			if err != nil {
				err = fmt.Errorf("reading the audit log: %w", err)
			}
			if !yield(line, err) {
				return
			}
		}
	}
}

// auditSpan converts the times of a query into IDs, which increase with time: the first
// line and the line after the last.
func auditSpan(ctx context.Context, r *store.Tx, q LogQuery) (first, end int64, err error) {
	err = r.QueryRowContext(ctx, `
		SELECT coalesce((SELECT min(id) FROM audit), 1), coalesce((SELECT max(id) FROM audit), 0) + 1`).Scan(&first, &end)
	if err == nil && q.From.Known() {
		first, err = auditSince(ctx, r, q.From, end)
	}
	if err == nil && q.To.Known() {
		end, err = auditSince(ctx, r, q.To, end)
	}
	if q.Before > 0 {
		end = min(end, q.Before)
	}
	return first, end, err
}

// auditSince returns the ID of the first line at an instant or later, or otherwise if no
// such line exists.
func auditSince(ctx context.Context, r *store.Tx, at affiliate.Millis, otherwise int64) (id int64, err error) {
	err = r.QueryRowContext(ctx, `
		SELECT coalesce((SELECT id FROM audit WHERE at_ms >= ? ORDER BY at_ms, id LIMIT 1), ?)`, at, otherwise).Scan(&id)
	return id, err
}

// auditLines reads the lines between two IDs, the second excluded.
func auditLines(ctx context.Context, r *store.Tx, q LogQuery, first, end int64, order string, limit int) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		var w store.Where
		w.Add(`id >= ? AND id < ?`, first, end)
		q.narrow(&w)
		rows, err := r.QueryContext(ctx, `SELECT `+auditColumns+` FROM audit WHERE `+w.String()+
			` ORDER BY id `+order+` LIMIT ?`, slices.Concat(w.Args, []any{limit})...)
		if err != nil {
			yield(Line{}, err)
			return
		}
		defer rows.Close()
		for rows.Next() {
			row, err := scanAudit(rows)
			if !yield(row.Line, err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(Line{}, err)
		}
	}
}

// narrow adds the conditions on the content of a line. Either actor or action is looked up
// in an index; the empty text keeps the engine from using a second index for the other,
// which would lose the order of IDs.
func (q LogQuery) narrow(w *store.Where) {
	if q.Actor != "" {
		w.Add(`actor = ?`, q.Actor)
	}
	if q.Action != "" && q.Actor == "" {
		w.Add(`action = ?`, q.Action)
	} else if q.Action != "" {
		w.Add(`action || '' = ?`, q.Action)
	}
	if q.Text != "" {
		like := "%" + store.LikeEscape.Replace(q.Text) + "%"
		w.Add(`concat_ws(?, actor, via, address, action, object, detail, outcome) LIKE ? ESCAPE '\'`, "\n", like)
	}
}

const auditColumns = `id, at_ms, actor, via, address, action, object, detail, outcome, mac`

func scanAudit(rows *sql.Rows) (r auditRow, err error) {
	err = rows.Scan(&r.ID, &r.At, &r.Actor, &r.Via, &r.Address, &r.Action, &r.Object, &r.Detail, &r.Outcome, &r.mac)
	return r, err
}

// maxAuditNames limits the lists to choose from: any client that tries to sign in can add
// names of actors.
const maxAuditNames = 500

// Actors lists the actors of the audit log by name, the first 500.
func Actors(ctx context.Context, r *store.Tx) ([]string, error) {
	return auditNames(ctx, r, "actor")
}

// Actions lists the actions of the audit log by name.
func Actions(ctx context.Context, r *store.Tx) ([]string, error) {
	return auditNames(ctx, r, "action")
}

// auditNames steps from name to name in the index, so that its cost grows with the names
// and not with the lines.
func auditNames(ctx context.Context, r *store.Tx, of string) ([]string, error) {
	names, err := store.ReadColumn[string](ctx, r, `
		WITH RECURSIVE names (name) AS (
			SELECT min(`+of+`) FROM audit
			UNION ALL
			SELECT (SELECT min(`+of+`) FROM audit WHERE `+of+` > name) FROM names WHERE name IS NOT NULL
		) SELECT name FROM names WHERE name <> '' LIMIT ?`, maxAuditNames)
	if err != nil {
		return nil, fmt.Errorf("reading the audit log: %w", err)
	}
	return names, nil
}
