package outbound

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"
)

// resolveWithin is how long [ResolveURL] waits for a name server.
const resolveWithin = 5 * time.Second

// ParseURL checks the address of a receiver: https, with a host, without user, password and
// fragment. Unless private addresses are allowed, it refuses a host that is none on the public
// internet; this machine is none, however it is named. Plain http is for private addresses that are
// allowed. An error names what is wrong and never repeats the address, which may hold a secret.
func ParseURL(text string, private bool) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "" || u.Opaque != "":
		return nil, errors.New("it is no address such as https://example.com/path")
	case strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return nil, errors.New("it has spaces or line breaks")
	case u.User != nil:
		return nil, errors.New("it has a user or a password before the host: leave them out")
	case u.Fragment != "":
		return nil, errors.New("it has a part after #: leave it out")
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("it begins with %.20q: give an address that begins with https://", u.Scheme+":")
	case !private && insideHost(u.Hostname()):
		return nil, fmt.Errorf("its host %w; ALLOW_PRIVATE_URLS=on allows it", ErrInside)
	case u.Scheme == "http" && !insideHost(u.Hostname()):
		return nil, errors.New("it is not encrypted: give one that begins with https:// (http:// is for addresses of this machine and of a private network, with ALLOW_PRIVATE_URLS=on)")
	}
	return u, nil
}

// ResolveURL is [ParseURL], and resolves the name of the host: a name of a private network is refused
// when it is entered. A name that cannot be resolved now is accepted; each connection checks its
// address again.
func ResolveURL(ctx context.Context, text string, private bool) (*url.URL, error) {
	u, err := ParseURL(text, private)
	if err != nil || private {
		return u, err
	}
	ctx, cancel := context.WithTimeout(ctx, resolveWithin)
	defer cancel()
	addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip", u.Hostname())
	if err != nil {
		return u, nil
	}
	for _, a := range addresses {
		if !Outside(a) {
			return nil, fmt.Errorf("the name of its host %w; ALLOW_PRIVATE_URLS=on allows it", ErrInside)
		}
	}
	return u, nil
}
