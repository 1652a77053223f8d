package mailer

import (
	"fmt"
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"rebatedesk/affiliate"
	"rebatedesk/store"
)

// maxAddress is the maximum length of an address (RFC 5321, 4.5.3.1.3).
const maxAddress = 254

// ParseAddress reads the address of one recipient, without a name. It converts a
// non-ASCII domain to the form that every mail server knows (xn--…); the local part may
// be non-ASCII, for servers that accept that. An undeliverable address, or one that
// would break a header, is a *store.RuleError.
func ParseAddress(text string) (string, error) {
	address, err := mail.ParseAddress(text)
	if err != nil || strings.ContainsFunc(text, unsafe) || address.Address != text {
		return "", noAddress(text)
	}
	ascii, err := asciiDomain(text)
	if err != nil || len(ascii) > maxAddress {
		return "", noAddress(text)
	}
	return ascii, nil
}

func noAddress(text string) error {
	return &store.RuleError{Problem: fmt.Sprintf("%q is no mail address: give one such as name@example.com.", Cut(text, 80)), Field: "recipients"}
}

// domains maps domains to lower case for lookup and enforces the lengths that DNS
// allows.
var domains = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(true), idna.VerifyDNSLength(true))

// asciiDomain returns an address with its domain in ASCII.
func asciiDomain(address string) (string, error) {
	at := strings.LastIndexByte(address, '@')
	if !beyondASCII(address[at+1:]) {
		return address, nil
	}
	domain, err := domains.ToASCII(address[at+1:])
	return address[:at+1] + domain, err
}

// ASCIIDomain returns a sender's address with its domain in ASCII. An impossible domain
// is an error.
func ASCIIDomain(from *mail.Address) (*mail.Address, error) {
	address, err := asciiDomain(from.Address)
	if err != nil {
		return nil, fmt.Errorf("the domain of %q: %w", from.Address, err)
	}
	return &mail.Address{Name: from.Name, Address: address}, nil
}

// beyondASCII reports whether an address requires a server that supports SMTPUTF8 (RFC
// 6531).
func beyondASCII(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII })
}

// unsafe are the characters that no accepted address contains.
func unsafe(r rune) bool {
	return r <= ' ' || r == 0x7f || strings.ContainsRune(`<>()[],;:"\`, r) || r == utf8.RuneError ||
		affiliate.Invisible(r) || unicode.IsSpace(r)
}

// Cut shortens a text to a number of characters.
func Cut(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most]) + "…"
}
