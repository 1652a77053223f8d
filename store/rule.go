package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"rebatedesk/affiliate"
)

// RuleError reports a write that was not made because it breaks a rule. Problem is a
// sentence for the user who requested the write.
type RuleError struct {
	Problem string
	Missing bool // the object to change does not exist
	// Field names the form field that breaks the rule, if it is known.
	Field string
	// Stale means that another user changed the object meanwhile.
	Stale bool
}

func (e *RuleError) Error() string { return e.Problem }

// Refuse is a broken rule, as a *[RuleError].
func Refuse(format string, args ...any) error {
	return &RuleError{Problem: fmt.Sprintf(format, args...)}
}

// RefuseAt is [Refuse] for what a field of a form says.
func RefuseAt(field, format string, args ...any) error {
	return &RuleError{Problem: fmt.Sprintf(format, args...), Field: field}
}

// AtField gives a broken rule its field. Other errors stay as they are.
func AtField(field string, err error) error {
	if rule, ok := errors.AsType[*RuleError](err); ok {
		return &RuleError{Problem: rule.Problem, Field: field}
	}
	return err
}

// MaxName is the maximum number of characters in the name of a schedule, an alert or a
// token.
const MaxName = 80

// CheckName returns a *RuleError that begins with what if no version of the program could
// have accepted the name. Objects are found and removed by such names; new names follow
// stricter rules.
func CheckName(what, name string) error {
	_, err := oneLine(what, name, MaxName)
	return err
}

// CheckLabel checks a name that a user gives. It must be one line without invisible
// characters, so that two names that look the same are the same.
func CheckLabel(what, text string, longest int) (string, error) {
	text, err := oneLine(what, text, longest)
	if err != nil {
		return "", err
	}
	return text, RefuseInvisible(what, text, affiliate.Invisible)
}

// oneLine returns text as one line without surrounding spaces. It refuses text with more
// than longest characters or with nothing visible.
func oneLine(what, text string, longest int) (string, error) {
	text = strings.TrimSpace(text)
	switch {
	case !strings.ContainsFunc(text, IsVisible):
		return "", Refuse("%s is empty.", what)
	case utf8.RuneCountInString(text) > longest:
		return "", Refuse("%s is longer than %d characters.", what, longest)
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		return "", Refuse("%s has control characters.", what)
	}
	return text, nil
}

// RefuseInvisible reports which invisible character is at which position, because the user
// cannot see it.
func RefuseInvisible(what, text string, invisible func(rune) bool) error {
	i := strings.IndexFunc(text, invisible)
	if i < 0 {
		return nil
	}
	const most = 20 // characters quoted to show the position
	mark, _ := utf8.DecodeRuneInString(text[i:])
	before := []rune(text[:i])
	place := "at its beginning"
	if tail := strings.TrimSpace(string(before[max(0, len(before)-most):])); tail != "" {
		place = "after “" + tail + "”"
	}
	return Refuse("%s has an invisible character, U+%04X, %s: type that part again instead of pasting it.", what, mark, place)
}

// PlanName returns the name of a schedule or an alert as it is stored, or a *RuleError for
// an invalid name.
func PlanName(name string) (string, error) {
	name, err := CheckLabel("The name", name, MaxName)
	if err != nil {
		return "", &RuleError{Problem: err.Error(), Field: "name"}
	}
	return name, nil
}

// AnyVersion lets a change replace any stored version. A caller that has read the object
// passes the version it read instead.
const AnyVersion affiliate.Millis = 0

// SameVersion refuses a change that is based on a version other than the stored one.
func SameVersion(what string, seen, stored affiliate.Millis) error {
	if seen != AnyVersion && seen != stored {
		return &RuleError{Problem: "Somebody else changed this " + what + " meanwhile, so that nothing was saved.", Stale: true}
	}
	return nil
}

func IsVisible(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }

// KnownInvitee returns the row ID of the account that an invitee belongs to. It refuses an
// invitee that appears in no list and in no commission record.
func KnownInvitee(ctx context.Context, tx *Tx, name affiliate.Account, uid affiliate.UID) (int64, error) {
	var account int64
	err := tx.QueryRowContext(ctx, `
		SELECT a.id FROM accounts a
		WHERE a.name = ? AND (EXISTS (SELECT 1 FROM invitees i WHERE i.account_id = a.id AND i.uid = ?)
			OR EXISTS (SELECT 1 FROM commissions c WHERE c.uid = ? AND c.account_id = a.id))`,
		name, uid, uid).Scan(&account)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, &RuleError{Problem: UnknownInvitee, Missing: true}
	}
	return account, err
}

// UnknownInvitee says that nothing is known of an invitee.
const UnknownInvitee = "Nothing is known of such an invitee of this account."
