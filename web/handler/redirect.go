package handler

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// maxNext is the maximum length of an address to return to. A longer one would not fit
// twice into the head of a request.
const maxNext = 4000

// LocalPath returns an address within these pages that is safe to redirect to after the
// sign-in, and the overview for any other. Two leading slashes would name another host,
// browsers read a backslash as a slash and skip control characters, and a signed-in
// user does not need the sign-in page.
func LocalPath(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "",
		len(address) > maxNext,
		!strings.HasPrefix(address, "/") || strings.HasPrefix(address, "//"),
		strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r > '~' || r == '\\' }):
		return "/"
	}
	switch path := strings.TrimRight(u.Path, "/"); {
	case strings.HasPrefix(u.Path, "//"), strings.Contains(u.Path, `\`), strings.ContainsFunc(u.Path, func(r rune) bool { return r < ' ' || r == 0x7f }),
		path == "/login", path == "/logout", path == "/setup":
		return "/"
	}
	return address
}

// Next returns the address to which the sign-in form redirects.
func Next(c *fiber.Ctx) string { return LocalPath(c.Query("next")) }

// LoginAddress returns the address of the sign-in page that redirects to a path
// afterwards.
func LoginAddress(next string) string {
	if next == "/" {
		return "/login"
	}
	return "/login?" + url.Values{"next": {next}}.Encode()
}

// DemoSignIn returns the address that signs in to the demo without a password, and
// redirects to a path afterwards.
func DemoSignIn(next string) string { return "/login/demo?" + url.Values{"next": {next}}.Encode() }

// IdIn returns the number in the address.
func IdIn(c *fiber.Ctx) (int64, error) {
	id, err := strconv.ParseInt(c.Params("id"), 10, 64)
	if err != nil {
		return 0, fiber.ErrNotFound
	}
	return id, nil
}

// HomeOf returns the address of the server without a slash at its end: the public one, otherwise the
// one that the request named.
func HomeOf(s *Base, c *fiber.Ctx) string {
	if s.PublicURL != "" {
		return s.PublicURL
	}
	return c.BaseURL()
}
