package access

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxPassword is the maximum number of characters of a password.
const maxPassword = 128

// checkPassword refuses a password that is easily guessed, with a message for the user who
// chose it. The message does not repeat the password.
func checkPassword(password, user string, role Role) error {
	password = norm.NFC.String(password)
	length := utf8.RuneCountInString(password)
	switch {
	case !utf8.ValidString(password) || strings.ContainsFunc(password, unicode.IsControl):
		return refuse("The password has characters that cannot be typed.")
	case length < role.MinPassword():
		return refuse("The password is shorter than %d characters, the least for the role %s.", role.MinPassword(), role)
	case length > maxPassword:
		return refuse("The password is longer than %d characters.", maxPassword)
	case containsName(password, user):
		return refuse("The password contains the user name.")
	case common(password):
		return refuse("The password is one of those that are tried first: choose another one, such as several words that have nothing to do with each other.")
	}
	return nil
}

// containsName ignores names of one or two characters, because nearly every password
// contains them.
func containsName(password, user string) bool {
	return utf8.RuneCountInString(user) > 2 && strings.Contains(plain(password), plain(user))
}

// plain returns a text without letter case.
func plain(text string) string { return strings.ToLower(strings.ToUpper(norm.NFC.String(text))) }

// longPassword reports whether a password is long enough for every role.
func longPassword(password string) bool {
	return utf8.RuneCountInString(norm.NFC.String(password)) >= Admin.MinPassword()
}
