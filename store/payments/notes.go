package payments

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// Verdict is what people decided about a line of the books.
type Verdict string

// Verdicts. A note without one leaves the verdict as it was.
const (
	NoVerdict Verdict = ""
	Disputed  Verdict = "disputed" // the exchange was asked for the money
	Accepted  Verdict = "accepted" // nothing more is expected: the line is no longer open
	Reopened  Verdict = "open"     // takes an earlier verdict back
)

// Verdicts lists the verdicts that a note can have, besides none.
func Verdicts() []Verdict { return []Verdict{Disputed, Accepted, Reopened} }

// LineKey identifies a line of the books: a period, or a bill without one. It is comparable.
type LineKey struct {
	Account  affiliate.Account
	Coin     affiliate.Coin
	Kind     string           // direct, sub or all
	From, To affiliate.Millis // of the period; both the time of a bill without one
	Bill     string           // wallet and id of a bill without a period, as in "spot 4711"; empty for a period
}

// Note is a user's note about a line of the books.
type Note struct {
	ID      int64
	Line    LineKey
	Verdict Verdict
	Text    string // lines end with \n; empty only if there is a verdict
	Author  string
	Created affiliate.Millis
}

// MostNote is the maximum number of characters of a note about a payment.
const MostNote = 2000

// Notes lists the notes as known at an instant, where unknown means now, newest first.
func Notes(ctx context.Context, r *store.Tx, at affiliate.Millis) ([]Note, error) {
	var w store.Where
	if w.Add(`1 = 1`); at.Known() {
		w.Add(`n.created_ms <= ?`, int64(at))
	}
	list, err := store.Scanned(ctx, r, func(rows *sql.Rows) (n Note, err error) {
		err = rows.Scan(&n.ID, &n.Line.Account, &n.Line.Coin, &n.Line.Kind, &n.Line.From, &n.Line.To, &n.Line.Bill,
			&n.Verdict, &n.Text, &n.Author, &n.Created)
		return n, err
	}, `
		SELECT n.id, a.name, n.coin, n.kind, n.from_ms, n.to_ms, n.bill, n.verdict, n.text, n.author, n.created_ms
		FROM payment_notes n JOIN accounts a ON a.id = n.account_id
		WHERE `+w.String()+`
		ORDER BY n.id DESC`, w.Args...)
	if err != nil {
		return nil, fmt.Errorf("reading the notes about payments: %w", err)
	}
	return list, nil
}

// AddNote stores a note about a line, together with its line of the audit log, whose
// actor is the author. A note equal to the newest one of the line is not added again, so a
// form sent twice makes one note. A broken rule is a *[store.RuleError]. The caller has
// checked that the line exists.
func AddNote(ctx context.Context, s *store.Store, n Note, by audit.Line) error {
	text, err := paymentText(n)
	if err != nil {
		return err
	}
	by.Action, by.Object, by.Detail = "payment note", n.Line.String(), text
	if n.Verdict != NoVerdict {
		by.Detail = strings.TrimSpace(string(n.Verdict) + ": " + text)
	}
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		if n.Line.Account == "" {
			return &store.RuleError{Problem: "The line has no account.", Missing: true, Field: "account"}
		}
		account, err := someAccount(ctx, tx, n.Line.Account)
		if err != nil {
			return err
		}
		var last Note
		err = tx.QueryRowContext(ctx, `
			SELECT n.verdict, n.text, n.author FROM payment_notes n
			WHERE n.account_id = ? AND n.coin = ? AND n.kind = ? AND n.from_ms = ? AND n.to_ms = ? AND n.bill = ?
			ORDER BY n.id DESC LIMIT 1`,
			account, n.Line.Coin, n.Line.Kind, n.Line.From, n.Line.To, n.Line.Bill).Scan(&last.Verdict, &last.Text, &last.Author)
		switch {
		case errors.Is(err, sql.ErrNoRows):
		case err != nil:
			return err
		case last.Verdict == n.Verdict && last.Text == text && last.Author == by.Actor:
			return nil
		}
		_, err = tx.ExecContext(ctx, `
			INSERT INTO payment_notes (account_id, coin, kind, from_ms, to_ms, bill, verdict, text, author, created_ms)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			account, n.Line.Coin, n.Line.Kind, n.Line.From, n.Line.To, n.Line.Bill, n.Verdict, text, by.Actor, stamp)
		if err != nil {
			return err
		}
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return fmt.Errorf("adding a note about a payment: %w", err)
	}
	return nil
}

// String names the line for the audit log: account, coin, kind, and its time in UTC.
func (k LineKey) String() string {
	text := fmt.Sprintf("%s %s %s %s", k.Account, k.Coin, k.Kind, k.From)
	if k.Bill != "" {
		return text + " bill " + k.Bill
	}
	return text + " to " + k.To.String()
}

// paymentText returns the text of a note as it is stored.
func paymentText(n Note) (string, error) {
	text := strings.TrimSpace(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(n.Text))
	switch {
	case n.Verdict != NoVerdict && !slices.Contains(Verdicts(), n.Verdict):
		return "", &store.RuleError{Problem: fmt.Sprintf("There is no verdict %.40q: choose disputed, accepted or open.", n.Verdict), Field: "verdict"}
	case text == "" && n.Verdict != NoVerdict:
		return "", nil
	case !strings.ContainsFunc(text, store.IsVisible):
		return "", &store.RuleError{Problem: "The note is empty: write what happened, or choose a verdict.", Field: "text"}
	case utf8.RuneCountInString(text) > MostNote:
		return "", &store.RuleError{Problem: fmt.Sprintf("The note is longer than %d characters.", MostNote), Field: "text"}
	case !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }):
		return "", &store.RuleError{Problem: "The note has control characters.", Field: "text"}
	}
	return text, store.RefuseInvisible("The note", text, affiliate.InvisibleInLines)
}
