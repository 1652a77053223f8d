package statements

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// IssuedStatement is a statement with what happened to it since.
type IssuedStatement struct {
	ID          int64
	Number      string
	Month       affiliate.Day // its first
	UID         affiliate.UID
	Name        string
	Due         affiliate.Number
	Difference  affiliate.Number // to the statement that it corrects; Due without one
	Incomplete  string           // the reason; empty: nothing was missing
	Corrects    string           // number of the statement before; empty: none
	CorrectedBy string           // number of the statement after; empty: none
	AsOf        affiliate.Millis
	Issued      affiliate.Millis
	Actor       string
	Payment     Payment          // of this statement; zero: none was noted
	Sent        affiliate.Millis // when a mail server took the first mail; unknown: none did
	Waiting     bool             // a mail is on its way
}

// Payment is when and how a statement was paid.
type Payment struct {
	Day       affiliate.Day
	Reference string
	Actor     string
	Noted     affiliate.Millis
}

// State says how far a statement is.
type State string

// The states of statements. A statement that was corrected stays so, paid or not.
const (
	StateIssued    State = "issued"
	StateSent      State = "sent"
	StatePaid      State = "paid"
	StateCorrected State = "corrected"
)

// States lists the states in their order.
func States() []State {
	return []State{StateIssued, StateSent, StatePaid, StateCorrected}
}

// State returns the state.
func (i IssuedStatement) State() State {
	switch {
	case i.CorrectedBy != "":
		return StateCorrected
	case i.Payment.Noted.Known():
		return StatePaid
	case i.Sent.Known():
		return StateSent
	}
	return StateIssued
}

// Query narrows statements. Empty fields do not narrow.
type Query struct {
	Month affiliate.Day // its first
	UID   affiliate.UID
	State State
}

// Files are the files of a statement.
type Files struct{ PDF, XLSX []byte }

// MailScope is the scope of the mails about a statement, by which the outbox knows them.
func MailScope(number string) string { return "statement " + number }

const statementColumns = `s.id, s.number, s.month, s.uid, s.name, s.due, s.difference, s.incomplete, s.as_of_ms, s.issued_ms, s.actor,
	coalesce(b.number, ''), coalesce(c.number, ''), p.day, coalesce(p.reference, ''), coalesce(p.actor, ''), coalesce(p.created_ms, 0),
	coalesce((SELECT min(d.ended_ms) FROM messages m JOIN deliveries d ON d.message_id = m.id WHERE m.scope = 'statement ' || s.number AND d.state = 'sent'), 0),
	coalesce((SELECT count(*) FROM messages m JOIN deliveries d ON d.message_id = m.id WHERE m.scope = 'statement ' || s.number AND d.state = 'waiting'), 0)`

const statementTables = `statements s LEFT JOIN statements b ON b.id = s.corrects_id LEFT JOIN statements c ON c.corrects_id = s.id
	LEFT JOIN statement_payments p ON p.statement_id = s.id AND p.removed_ms IS NULL`

func scanStatement(rows interface{ Scan(...any) error }) (i IssuedStatement, err error) {
	var waiting int64
	err = rows.Scan(&i.ID, &i.Number, (*store.DayText)(&i.Month), &i.UID, &i.Name, &i.Due, &i.Difference, &i.Incomplete, &i.AsOf, &i.Issued, &i.Actor,
		&i.Corrects, &i.CorrectedBy, store.Opt((*store.DayText)(&i.Payment.Day)), &i.Payment.Reference, &i.Payment.Actor, &i.Payment.Noted, &i.Sent, &waiting)
	i.Waiting = waiting > 0
	return i, err
}

// List lists statements, the newest first.
func List(ctx context.Context, r *store.Tx, q Query) ([]IssuedStatement, error) {
	var w store.Where
	w.Add(`1 = 1`)
	if q.Month != 0 {
		w.Add(`s.month = ?`, store.DayText(q.Month))
	}
	if q.UID != "" {
		w.Add(`s.uid = ?`, q.UID)
	}
	list, err := store.Scanned(ctx, r, func(rows *sql.Rows) (IssuedStatement, error) { return scanStatement(rows) },
		`SELECT `+statementColumns+` FROM `+statementTables+` WHERE `+w.String()+` ORDER BY s.sequence DESC`, w.Args...)
	if err != nil {
		return nil, fmt.Errorf("reading statements: %w", err)
	}
	if q.State == "" {
		return list, nil
	}
	kept := list[:0]
	for _, one := range list {
		if one.State() == q.State {
			kept = append(kept, one)
		}
	}
	return kept, nil
}

// IssuedContent is a statement with what it says.
type IssuedContent struct {
	IssuedStatement
	Content Content
}

// InMonths lists the statements of some months with their content, the oldest first, as known at an instant,
// where unknown means now.
func InMonths(ctx context.Context, r *store.Tx, first, last affiliate.Day, at affiliate.Millis) ([]IssuedContent, error) {
	list, err := store.Scanned(ctx, r, func(rows *sql.Rows) (one IssuedContent, err error) {
		var text string
		if one.IssuedStatement, err = scanStatement(withContent{rows, &text}); err != nil {
			return one, err
		}
		return one, json.Unmarshal([]byte(text), &one.Content)
	}, `SELECT `+statementColumns+`, s.content FROM `+statementTables+` WHERE s.month >= ? AND s.month <= ? ORDER BY s.sequence`, store.DayText(first), store.DayText(last))
	if err != nil {
		return nil, fmt.Errorf("reading the statements of months: %w", err)
	}
	if !at.Known() {
		return list, nil
	}
	known, kept := map[string]bool{}, list[:0]
	for _, one := range list {
		if one.Issued > at {
			continue
		}
		if one.Payment.Noted > at {
			one.Payment = Payment{}
		}
		known[one.Number] = true
		kept = append(kept, one)
	}
	for i := range kept {
		if !known[kept[i].CorrectedBy] {
			kept[i].CorrectedBy = ""
		}
	}
	return kept, nil
}

// withContent scans one column more than [scanStatement] does.
type withContent struct {
	rows    *sql.Rows
	content *string
}

func (w withContent) Scan(into ...any) error { return w.rows.Scan(append(into, w.content)...) }

// Months lists the months that have a statement, the newest first.
func Months(ctx context.Context, r *store.Tx) ([]affiliate.Day, error) {
	return store.Scanned(ctx, r, func(rows *sql.Rows) (day affiliate.Day, err error) {
		return day, rows.Scan((*store.DayText)(&day))
	}, `SELECT DISTINCT month FROM statements ORDER BY month DESC`)
}

// Read returns a statement by its number, with its content. One that does not exist
// is a *[store.RuleError].
func Read(ctx context.Context, r *store.Tx, number string) (i IssuedStatement, content Content, err error) {
	if i, err = statementOf(ctx, r, number); err != nil {
		return i, content, err
	}
	content, err = contentOf(ctx, r, i.ID)
	return i, content, err
}

func contentOf(ctx context.Context, r *store.Tx, id int64) (content Content, err error) {
	var text string
	if err = r.QueryRowContext(ctx, `SELECT content FROM statements WHERE id = ?`, id).Scan(&text); err == nil {
		err = json.Unmarshal([]byte(text), &content)
	}
	if err != nil {
		return content, fmt.Errorf("reading the content of a statement: %w", err)
	}
	return content, nil
}

func statementOf(ctx context.Context, r *store.Tx, number string) (IssuedStatement, error) {
	missing := &store.RuleError{Problem: fmt.Sprintf("There is no statement %q. The list of statements has all of them.", affiliate.Visible(number)), Missing: true}
	if strings.Contains(number, "\x00") {
		return IssuedStatement{}, missing // PostgreSQL refuses such a text
	}
	i, err := scanStatement(r.QueryRowContext(ctx, `SELECT `+statementColumns+` FROM `+statementTables+` WHERE s.number = ?`, number))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return i, missing
	case err != nil:
		return i, fmt.Errorf("reading a statement: %w", err)
	}
	return i, nil
}

// ReadFiles returns the files of a statement as they were issued.
func ReadFiles(ctx context.Context, r *store.Tx, number string) (files Files, err error) {
	i, err := statementOf(ctx, r, number)
	if err != nil {
		return files, err
	}
	err = r.QueryRowContext(ctx, `SELECT pdf, xlsx FROM statements WHERE id = ?`, i.ID).Scan(&files.PDF, &files.XLSX)
	if err != nil {
		return files, fmt.Errorf("reading the files of a statement: %w", err)
	}
	return files, nil
}

// Issue stores a statement with the next number, together with its line of the audit
// log. The number, the instant of issue and the address of the payee are set here; then files
// makes the files of exactly what is stored.
//
// A month has one statement of a sub-affiliate, and one is corrected once: anything else is a
// *[store.RuleError]. If the content corrects a statement, its number is in Corrects.
func Issue(ctx context.Context, s *store.Store, c Content, files func(Content) (Files, error), by audit.Line) (issued IssuedStatement, err error) {
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		month, err := affiliate.ParseDay(c.Month + "-01")
		if err != nil {
			return err
		}
		due := c.Total().Due
		difference, corrects := due, int64(0)
		if c.Corrects == nil {
			if err := onlyOne(ctx, tx, c.UID, month); err != nil {
				return err
			}
		} else {
			before, err := correctable(ctx, tx, c, month)
			if err != nil {
				return err
			}
			corrects, difference = before.ID, c.Corrects.Difference
		}
		var sequence int64
		if err := tx.QueryRowContext(ctx, `SELECT coalesce(max(sequence), 0) + 1 FROM statements`).Scan(&sequence); err != nil {
			return err
		}
		c.Number, c.Issued = fmt.Sprintf("%s-%04d", c.Month, sequence), stamp
		made, err := files(c)
		if err != nil {
			return err
		}
		text, err := json.Marshal(c)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			INSERT INTO statements (sequence, number, month, uid, name, due, difference, incomplete, corrects_id, as_of_ms, issued_ms, actor, content, pdf, xlsx)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			sequence, c.Number, store.DayText(month), c.UID, c.Payee.Name, due, difference, c.Reason, store.Opt(&corrects), c.AsOf, stamp, by.Actor, string(text), store.NotNull(made.PDF), store.NotNull(made.XLSX))
		if err != nil {
			return err
		}
		by.Action, by.Object = "statement issued", c.Number
		by.Detail = fmt.Sprintf("sub-affiliate %s, due %s", c.UID, due)
		if c.Corrects != nil {
			by.Detail += ", corrects " + c.Corrects.Number
		}
		if err := audit.Append(ctx, s, tx, stamp, by); err != nil {
			return err
		}
		issued, err = statementOf(ctx, tx, c.Number)
		return err
	})
	if err != nil {
		return IssuedStatement{}, fmt.Errorf("issuing a statement: %w", err)
	}
	return issued, nil
}

// onlyOne refuses a second statement that corrects nothing.
func onlyOne(ctx context.Context, tx *store.Tx, uid affiliate.UID, month affiliate.Day) error {
	var number string
	err := tx.QueryRowContext(ctx, `SELECT number FROM statements WHERE uid = ? AND month = ? ORDER BY sequence DESC LIMIT 1`, uid, store.DayText(month)).Scan(&number)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return err
	}
	return &store.RuleError{Problem: fmt.Sprintf("Statement %s is about this sub-affiliate and month already: issue a correction of it.", number), Stale: true}
}

// correctable returns the statement that is corrected, if it is of the same sub-affiliate and
// month and nothing corrects it yet.
func correctable(ctx context.Context, tx *store.Tx, c Content, month affiliate.Day) (IssuedStatement, error) {
	before, err := statementOf(ctx, tx, c.Corrects.Number)
	switch {
	case err != nil:
		return before, err
	case before.UID != c.UID || before.Month != month:
		return before, store.Refuse("Statement %s is about another sub-affiliate or month.", before.Number)
	case before.CorrectedBy != "":
		return before, &store.RuleError{Problem: fmt.Sprintf("Statement %s is corrected by %s already: correct that one.", before.Number, before.CorrectedBy), Stale: true}
	case before.Payment.Noted.Known() != (c.Corrects.PaidOn != ""):
		return before, &store.RuleError{Problem: "The payment of this statement was changed meanwhile: open the page again.", Stale: true}
	}
	return before, nil
}

// MaxReference is the maximum number of characters of the reference of a payment.
const MaxReference = 200

// Pay notes that a statement was paid, together with its line of the audit log. One
// that is noted as paid, or corrected, is a *[store.RuleError].
func Pay(ctx context.Context, s *store.Store, number string, p Payment, by audit.Line) error {
	reference, err := store.CheckLabel("The reference", p.Reference, MaxReference)
	if err != nil {
		return &store.RuleError{Problem: err.Error(), Field: "reference"}
	}
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		i, err := statementOf(ctx, tx, number)
		switch {
		case err != nil:
			return err
		case i.CorrectedBy != "":
			return &store.RuleError{Problem: fmt.Sprintf("Statement %s was corrected by %s: note the payment there.", number, i.CorrectedBy), Stale: true}
		case i.Payment.Noted.Known():
			return &store.RuleError{Problem: "This statement is noted as paid already.", Stale: true}
		case p.Day > affiliate.DayOf(stamp.Time(), s.Zone())+1:
			return &store.RuleError{Problem: "The day of the payment is not here yet.", Field: "day"}
		case p.Day < i.Month:
			return &store.RuleError{Problem: "The day of the payment is before the month of the statement.", Field: "day"}
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO statement_payments (statement_id, day, reference, actor, created_ms, removed_by) VALUES (?, ?, ?, ?, ?, '')`,
			i.ID, store.DayText(p.Day), reference, by.Actor, stamp)
		if err != nil {
			return err
		}
		by.Action, by.Object, by.Detail = "statement paid", number, fmt.Sprintf("on %s, %s", p.Day, reference)
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return fmt.Errorf("noting the payment of a statement: %w", err)
	}
	return nil
}

// Unpay takes back the note that a statement was paid, together with its line of the
// audit log. The note stays stored.
func Unpay(ctx context.Context, s *store.Store, number string, by audit.Line) error {
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		i, err := statementOf(ctx, tx, number)
		switch {
		case err != nil:
			return err
		case !i.Payment.Noted.Known():
			return &store.RuleError{Problem: "No payment of this statement is noted.", Stale: true}
		case i.CorrectedBy != "":
			return &store.RuleError{Problem: fmt.Sprintf("Statement %s names this payment: it stays as it is.", i.CorrectedBy), Stale: true}
		}
		_, err = tx.ExecContext(ctx, `UPDATE statement_payments SET removed_by = ?, removed_ms = ? WHERE statement_id = ? AND removed_ms IS NULL`, by.Actor, stamp, i.ID)
		if err != nil {
			return err
		}
		by.Action, by.Object, by.Detail = "statement not paid", number, fmt.Sprintf("on %s, %s", i.Payment.Day, i.Payment.Reference)
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return fmt.Errorf("taking back the payment of a statement: %w", err)
	}
	return nil
}
