package statements

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// The maximum number of characters, and of lines.
const (
	MaxPayeeName = 120
	MaxPayeeText = 1000
	maxLines     = 10
)

// Payees returns the payees by the UID of their sub-affiliate.
func Payees(ctx context.Context, r *store.Tx) (map[affiliate.UID]Payee, error) {
	type row struct {
		uid affiliate.UID
		Payee
	}
	list, err := store.Scanned(ctx, r, func(rows *sql.Rows) (p row, err error) {
		return p, rows.Scan(&p.uid, &p.Name, &p.Address, &p.Email, &p.Payment)
	}, `SELECT uid, name, address, email, payment FROM payees ORDER BY uid`)
	if err != nil {
		return nil, fmt.Errorf("reading payees: %w", err)
	}
	payees := map[affiliate.UID]Payee{}
	for _, one := range list {
		payees[one.uid] = one.Payee
	}
	return payees, nil
}

// SavePayee replaces the payee of a sub-affiliate, together with a line of the audit log,
// which does not repeat addresses. Statements that were issued keep theirs. The caller has
// checked the mail address. A text that is too long is a *[store.RuleError] with its field.
func SavePayee(ctx context.Context, s *store.Store, uid affiliate.UID, p Payee, by audit.Line) error {
	if err := affiliate.CheckUID(string(uid)); err != nil {
		return store.Refuse("%v.", err)
	}
	if p.Name != "" {
		name, err := store.CheckLabel("The name", p.Name, MaxPayeeName)
		if err != nil {
			return &store.RuleError{Problem: err.Error(), Field: "name"}
		}
		p.Name = name
	}
	for _, text := range []struct {
		field string
		text  *string
	}{{"address", &p.Address}, {"payment", &p.Payment}} {
		var problem string
		if *text.text, problem = paragraph(*text.text); problem != "" {
			return &store.RuleError{Problem: problem, Field: text.field}
		}
	}
	err := s.Update(ctx, func(tx *store.Tx, stamp affiliate.Millis) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO payees (uid, name, address, email, payment, actor, updated_ms) VALUES (?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (uid) DO UPDATE SET name = excluded.name, address = excluded.address, email = excluded.email,
				payment = excluded.payment, actor = excluded.actor, updated_ms = excluded.updated_ms`,
			uid, p.Name, p.Address, p.Email, p.Payment, by.Actor, stamp)
		if err != nil {
			return err
		}
		by.Action, by.Object, by.Detail = "payee changed", "sub-affiliate "+string(uid), p.Name
		return audit.Append(ctx, s, tx, stamp, by)
	})
	if err != nil {
		return fmt.Errorf("saving a payee: %w", err)
	}
	return nil
}

// paragraph returns a text of several lines without blanks at their ends, or what is wrong
// with it.
func paragraph(text string) (clean, problem string) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	clean = strings.Join(lines, "\n")
	switch {
	case utf8.RuneCountInString(clean) > MaxPayeeText:
		return "", fmt.Sprintf("The text is longer than %d characters.", MaxPayeeText)
	case len(lines) > maxLines:
		return "", fmt.Sprintf("The text has more than %d lines.", maxLines)
	case !utf8.ValidString(clean) || strings.ContainsFunc(clean, func(r rune) bool { return r != '\n' && unicode.IsControl(r) }):
		return "", "The text has control characters."
	}
	return clean, ""
}
