package access

import "golang.org/x/text/unicode/norm"

// CheckUserName says by a *store.RuleError what is wrong with the name of a user to
// be, for a form that tells beside its field. [Service.AddUser] checks it as
// well.
func CheckUserName(name string) error {
	_, err := checkName(name)
	return err
}

// CheckPassword says the same of a password.
func CheckPassword(password, user string, role Role) error {
	return checkPassword(password, norm.NFC.String(user), role)
}
