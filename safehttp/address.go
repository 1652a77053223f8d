package safehttp

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// ParseURL checks the address of a receiver: https, with a host, without user, password and
// fragment. It refuses a host that may not be reached. Plain http is for private addresses that are
// allowed. An error names what is wrong and never repeats the address, which may hold a secret.
func (r Reach) ParseURL(text string) (*url.URL, error) {
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
	}
	if err := r.CheckHost(u.Hostname()); err != nil {
		return nil, fmt.Errorf("its host %w", mended(err))
	}
	if u.Scheme == "http" && !insideHost(u.Hostname()) {
		return nil, errors.New("it is not encrypted: give one that begins with https:// (http:// is for addresses of this machine and of a private network, with ALLOW_PRIVATE_URLS=on)")
	}
	return u, nil
}

// mended adds the setting that allows a host.
func mended(err error) error {
	if errors.Is(err, ErrInside) {
		return fmt.Errorf("%w; ALLOW_PRIVATE_URLS=on allows it", err)
	}
	return err
}

// ResolveURL is [Reach.ParseURL], and resolves the name of the host as [Reach.Resolve] does.
func (r Reach) ResolveURL(ctx context.Context, text string) (*url.URL, error) {
	u, err := r.ParseURL(text)
	if err != nil {
		return nil, err
	}
	if err := r.Resolve(ctx, u.Hostname()); err != nil {
		return nil, fmt.Errorf("the name of its host %w", mended(err))
	}
	return u, nil
}
