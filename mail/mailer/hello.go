package mailer

import (
	"errors"
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
)

// What is wrong with a sender or a name, and what helps.
const (
	SenderHint = "give one such as Rebatedesk <reports@example.com>"
	HelloHint  = "give a name such as desk.example.com that leads to this machine, or its address as [192.0.2.1]"
)

// ParseSender reads the sender of mails, with or without a name. An error says what is wrong, after
// the name of the field.
func ParseSender(text string) (*mail.Address, error) {
	address, err := mail.ParseAddress(text)
	if err != nil {
		return nil, errors.New("is not a mail address")
	}
	if address, err = ASCIIDomain(address); err != nil {
		return nil, errors.New("has a domain that there cannot be")
	}
	return address, nil
}

var helloForm = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$`)

// ParseHello reads a name for EHLO. An error says what is wrong, after the name of the field.
func ParseHello(text string) (string, error) {
	if inner, found := strings.CutPrefix(text, "["); found {
		a, err := netip.ParseAddr(strings.TrimPrefix(strings.TrimSuffix(inner, "]"), "IPv6:"))
		if err != nil || !strings.HasSuffix(inner, "]") || a.Zone() != "" {
			return "", errors.New("is no address in brackets")
		}
		return literal(a.Unmap()), nil
	}
	if len(text) > 253 || !helloForm.MatchString(text) {
		return "", errors.New("is no name of a host")
	}
	return text, nil
}

// HelloName is the name that is sent in EHLO where none is set: the host of the pages, or else the
// domain of the sender.
func HelloName(publicURL string, from *mail.Address) string {
	if u, err := url.Parse(publicURL); err == nil && u.Hostname() != "" {
		if a, err := netip.ParseAddr(u.Hostname()); err == nil {
			return literal(a)
		}
		return u.Hostname()
	}
	if from == nil {
		return ""
	}
	return from.Address[strings.LastIndexByte(from.Address, '@')+1:]
}

// literal writes an address as EHLO takes it (RFC 5321, 4.1.3).
func literal(a netip.Addr) string {
	if a.Is4() {
		return "[" + a.String() + "]"
	}
	return "[IPv6:" + a.String() + "]"
}
