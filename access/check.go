package access

import "golang.org/x/text/unicode/norm"

// CheckUserName returns a *store.RuleError that says what is wrong with the name of a new
// user. A form shows it next to the field. [Service.AddUser] checks the name as well.
func CheckUserName(name string) error {
	_, err := checkName(name)
	return err
}

// CheckPassword is like [CheckUserName], for a password.
func CheckPassword(password, user string, role Role) error {
	return checkPassword(password, norm.NFC.String(user), role)
}
