package handler

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"
)

// maxNext is the longest address that is led back to. Longer ones would not fit
// into the head of a request twice.
const maxNext = 4000

// LocalPath is an address within these pages, as it may be led to after the
// sign-in; the overview for everything else. Two slashes in front would be
// another host, browsers take a backslash for a slash and skip control
// characters, and whoever is signed in has no business at the sign-in.
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

// Next is where the form of the sign-in leads on to.
func Next(c *fiber.Ctx) string { return LocalPath(c.Query("next")) }

// LoginAddress is the page of the sign-in that leads on to a path.
func LoginAddress(next string) string {
	if next == "/" {
		return "/login"
	}
	return "/login?" + url.Values{"next": {next}}.Encode()
}

// IdIn is the number in the address.
func IdIn(c *fiber.Ctx) (int64, error) {
	id, err := strconv.ParseInt(c.Params("id"), 10, 64)
	if err != nil {
		return 0, fiber.ErrNotFound
	}
	return id, nil
}
