package mail

import (
	"fmt"
	"net/mail"
	"strings"

	"rebatedesk/store"
)

// maxAddress is how long an address is at most (RFC 5321, 4.5.3.1.3).
const maxAddress = 254

// ParseAddress reads the address of one recipient, without a name. What cannot
// be delivered to, or would break a header, is a *store.RuleError.
func ParseAddress(text string) (string, error) {
	address, err := mail.ParseAddress(text)
	if err != nil || strings.ContainsFunc(text, unsafe) || address.Address != text || len(text) > maxAddress {
		return "", &store.RuleError{Problem: fmt.Sprintf("%q is no mail address: give one such as name@example.com.", cut(text, 80)), Field: "recipients"}
	}
	return address.Address, nil
}

// unsafe are the characters that no address of ours has. Beyond ASCII, few
// servers take an address; a domain can be given in its form with xn--.
func unsafe(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune(`<>()[],;:"\`, r) }

// cut shortens a text to so many characters.
func cut(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most]) + "…"
}
