package handler

import (
	"crypto/rand"
	"encoding/base64"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
)

// The cookies: the secret of a session; what takes its place in forms until
// there is one; and what tells a browser that its reader has signed in with
// before from one that is guessing.
const (
	SessionCookie = "session"
	preCookie     = "pre"
	deviceCookie  = "device"
)

// deviceAge is how long a browser is known again.
const deviceAge = 365 * 24 * time.Hour

// cookieName is the name that a cookie has here. With the prefix browsers take
// it from this very host over https only, and from no neighbour of its domain.
func (s *Base) cookieName(name string) string {
	if s.HTTPS {
		return "__Host-" + name
	}
	return name
}

func (s *Base) cookie(c *fiber.Ctx, name string) string {
	return c.Cookies(s.cookieName(name))
}

// setCookie sets a cookie for as long as the browser runs, or for an age.
func (s *Base) setCookie(c *fiber.Ctx, name, value string, age time.Duration) {
	c.Cookie(&fiber.Cookie{Name: s.cookieName(name), Value: value, Path: "/", MaxAge: int(age.Seconds()),
		Secure: s.HTTPS, HTTPOnly: true, SameSite: fiber.CookieSameSiteLaxMode})
}

func (s *Base) DropCookie(c *fiber.Ctx, name string) {
	if s.cookie(c, name) == "" {
		return
	}
	c.Cookie(&fiber.Cookie{Name: s.cookieName(name), Path: "/", Expires: time.Unix(0, 0),
		Secure: s.HTTPS, HTTPOnly: true, SameSite: fiber.CookieSameSiteLaxMode})
}

// Enter gives the browser the secret of a session that has just begun. What it
// held before is of no more use: the session was ended where the new one was
// made.
func (s *Base) Enter(c *fiber.Ctx, e access.Entry) {
	s.setCookie(c, SessionCookie, e.Secret, 0)
	if e.Device != "" {
		s.setCookie(c, deviceCookie, e.Device, deviceAge)
	}
	s.DropCookie(c, preCookie)
	c.Locals(CallerKey, Caller{Principal: e.Principal, Secret: e.Secret})
}

// preLength is that of 32 bytes in base64 without padding.
const preLength = 43

// pre is what the forms of a browser are bound to that is not signed in, empty
// where it has none.
func (s *Base) pre(c *fiber.Ctx) string {
	if pre, ok := c.Locals(preCookie).(string); ok {
		return pre
	}
	if pre := s.cookie(c, preCookie); len(pre) == preLength {
		return pre
	}
	return ""
}

// EnsurePre gives one to a browser that has none.
func (s *Base) EnsurePre(c *fiber.Ctx) {
	if s.pre(c) != "" {
		return
	}
	raw := make([]byte, 32)
	_, _ = rand.Read(raw) // never fails; it ends the program instead
	pre := base64.RawURLEncoding.EncodeToString(raw)
	s.setCookie(c, preCookie, pre, 0)
	c.Locals(preCookie, pre)
}
