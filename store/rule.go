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

// RuleError is a write that was not made because it breaks a rule. Problem is a
// sentence for the person who asked for it.
type RuleError struct {
	Problem string
	Missing bool // what was to be changed is not there
	// Field names what of a form breaks the rule, where that is known.
	Field string
	// Stale: somebody else changed it meanwhile.
	Stale bool
}

func (e *RuleError) Error() string { return e.Problem }

func Refuse(format string, args ...any) error {
	return &RuleError{Problem: fmt.Sprintf(format, args...)}
}

// MaxName is how many characters the name of a schedule, an alert or a token has
// at most.
const MaxName = 80

// CheckName refuses what no name can be, nor could be in older versions: a
// *RuleError that begins with what. By such names things are found and removed;
// new names keep stricter rules.
func CheckName(what, name string) error {
	_, err := oneLine(what, name, MaxName)
	return err
}

// CheckLabel is a name that people give: a line without anything invisible in it, so
// that two names that look the same are the same.
func CheckLabel(what, text string, longest int) (string, error) {
	text, err := oneLine(what, text, longest)
	if err != nil {
		return "", err
	}
	return text, RefuseInvisible(what, text, affiliate.Invisible)
}

// oneLine is a text of one line: without spaces around it, at most longest
// characters, and with something to be seen in it.
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

// RefuseInvisible says which invisible character stands where, as nobody sees it.
func RefuseInvisible(what, text string, invisible func(rune) bool) error {
	i := strings.IndexFunc(text, invisible)
	if i < 0 {
		return nil
	}
	const most = 20 // characters that tell the place
	mark, _ := utf8.DecodeRuneInString(text[i:])
	before := []rune(text[:i])
	place := "at its beginning"
	if tail := strings.TrimSpace(string(before[max(0, len(before)-most):])); tail != "" {
		place = "after “" + tail + "”"
	}
	return Refuse("%s has an invisible character, U+%04X, %s: type that part again instead of pasting it.", what, mark, place)
}

// PlanName is the name of a schedule or an alert as it is stored; one that cannot
// be is a *RuleError.
func PlanName(name string) (string, error) {
	name, err := CheckLabel("The name", name, MaxName)
	if err != nil {
		return "", &RuleError{Problem: err.Error(), Field: "name"}
	}
	return name, nil
}

// AnyVersion lets a change replace whatever is stored. Who looked at what is
// changed says which version was seen instead.
const AnyVersion affiliate.Millis = 0

// SameVersion refuses a change that begins with another version than the stored one.
func SameVersion(what string, seen, stored affiliate.Millis) error {
	if seen != AnyVersion && seen != stored {
		return &RuleError{Problem: "Somebody else changed this " + what + " meanwhile, so that nothing was saved.", Stale: true}
	}
	return nil
}

func IsVisible(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }

// KnownInvitee is the row of the account that an invitee belongs to. One that
// was never heard of, neither listed nor by a commission record, is refused.
func KnownInvitee(ctx context.Context, tx *Tx, name affiliate.Account, uid affiliate.UID) (int64, error) {
	var account int64
	err := tx.QueryRowContext(ctx, `
		SELECT a.id FROM accounts a
		WHERE a.name = ? AND (EXISTS (SELECT 1 FROM invitees i WHERE i.account_id = a.id AND i.uid = ?)
			OR EXISTS (SELECT 1 FROM commissions c WHERE c.uid = ? AND c.account_id = a.id))`,
		name, uid, uid).Scan(&account)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, &RuleError{Problem: "Nothing is known of such an invitee of this account.", Missing: true}
	}
	return account, err
}

// Folded is a tag without its case. By way of the capitals, letters with
// several small forms fall together.
func Folded(tag string) string { return strings.ToLower(strings.ToUpper(strings.TrimSpace(tag))) }
