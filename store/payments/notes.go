package payments

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/dated"
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

// notes has the notes, the newest first. None is ever changed or removed.
var notes = &dated.Table[Note]{
	Name: "payment_notes", Noun: "payment note", Numbered: true, Forever: true, Actor: "author",
	Columns: []dated.Column[Note]{
		dated.Account(true, func(n *Note) *affiliate.Account { return &n.Line.Account }),
		dated.Text("coin", func(n *Note) *affiliate.Coin { return &n.Line.Coin }),
		dated.Text("kind", func(n *Note) *string { return &n.Line.Kind }),
		dated.Text("from_ms", func(n *Note) *affiliate.Millis { return &n.Line.From }),
		dated.Text("to_ms", func(n *Note) *affiliate.Millis { return &n.Line.To }),
		dated.Text("bill", func(n *Note) *string { return &n.Line.Bill }),
		dated.Text("verdict", func(n *Note) *Verdict { return &n.Verdict }),
		dated.Text("text", func(n *Note) *string { return &n.Text }),
	},
	Stamp: func(n *Note) dated.Stamp { return dated.Stamp{ID: &n.ID, Actor: &n.Author, Created: &n.Created} },
	Order: `t.id DESC`,
	Words: func(n, _ *Note) (object, detail string) {
		if n.Verdict == NoVerdict {
			return n.Line.String(), n.Text
		}
		return n.Line.String(), strings.TrimSpace(string(n.Verdict) + ": " + n.Text)
	},
}

// Notes lists the notes as known at an instant, where unknown means now, newest first.
func Notes(ctx context.Context, r *store.Tx, at affiliate.Millis) ([]Note, error) {
	return notes.List(ctx, r, at, store.Where{})
}

// AddNote stores a note about a line, together with its line of the audit log, whose
// actor is the author. A note equal to the newest one of the line is not added again, so a
// form sent twice makes one note. A broken rule is a *[store.RuleError]. The caller has
// checked that the line exists.
func AddNote(ctx context.Context, s *store.Store, n Note, by audit.Line) (err error) {
	if n.Text, err = paymentText(n); err != nil {
		return err
	}
	err = s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		if n.Line.Account == "" {
			return &store.RuleError{Problem: "The line has no account.", Missing: true, Field: "account"}
		}
		var w store.Where
		w.Add(`a.name = ? AND t.coin = ? AND t.kind = ? AND t.from_ms = ? AND t.to_ms = ? AND t.bill = ?`,
			n.Line.Account, n.Line.Coin, n.Line.Kind, n.Line.From, n.Line.To, n.Line.Bill)
		earlier, err := notes.List(ctx, tx, 0, w)
		if err != nil {
			return err
		}
		if len(earlier) > 0 && earlier[0].Verdict == n.Verdict && earlier[0].Text == n.Text && earlier[0].Author == by.Actor {
			return nil
		}
		by.Action = "payment note"
		_, err = notes.Insert(ctx, s, tx, stamp, n, nil, by)
		return err
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
