package handler

import (
	"crypto/rand"
	"encoding/base64"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"rebatedesk/access"
)

// The cookies: the secret of a session; a substitute to which forms are bound before
// there is a session; and a mark that distinguishes a browser whose reader has signed
// in before from one that is guessing.
const (
	SessionCookie = "session"
	preCookie     = "pre"
	deviceCookie  = "device"
)

// deviceAge is how long a browser is recognized.
const deviceAge = 365 * 24 * time.Hour

// cookieName returns the full name of a cookie. With the prefix, browsers accept the
// cookie only from this exact host over https, and not from a neighbour in its domain.
func (s *Base) cookieName(name string) string {
	if s.HTTPS {
		return "__Host-" + name
	}
	return name
}

func (s *Base) cookie(c *fiber.Ctx, name string) string {
	return c.Cookies(s.cookieName(name))
}

// SessionSecret returns the secret of the session that a request names.
func (s *Base) SessionSecret(head *fasthttp.RequestHeader) string {
	return string(head.Cookie(s.cookieName(SessionCookie)))
}

// setCookie sets a cookie that lasts until the browser closes, or for an age.
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

// Enter gives the browser the secret of a new session. Its previous secret has become
// useless: the code that began the new session ended the old one.
func (s *Base) Enter(c *fiber.Ctx, e access.Entry) {
	s.setCookie(c, SessionCookie, e.Secret, 0)
	if e.Device != "" {
		s.setCookie(c, deviceCookie, e.Device, deviceAge)
	}
	s.DropCookie(c, preCookie)
	c.Locals(CallerKey, Caller{Principal: e.Principal, Secret: e.Secret})
}

// preLength is the length of 32 bytes in base64 without padding.
const preLength = 43

// pre returns the cookie to which the forms of a signed-out browser are bound, empty if
// it has none.
func (s *Base) pre(c *fiber.Ctx) string {
	if pre, ok := c.Locals(preCookie).(string); ok {
		return pre
	}
	if pre := s.cookie(c, preCookie); len(pre) == preLength {
		return pre
	}
	return ""
}

// EnsurePre sets the cookie in a browser that has none.
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
