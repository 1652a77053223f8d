// Package feeds has the handlers of what calendars and feed readers subscribe to. A token in the
// address is the proof: these programs cannot sign in.
package feeds

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/web/handler"
)

// Area holds the handlers.
type Area struct {
	*handler.Base
	guesses handler.RateLimiter // of addresses that send tokens which do not work
}

func New(b *handler.Base) *Area {
	return &Area{Base: b, guesses: handler.RateLimiter{Every: guessEvery, AtOnce: guessesAtOnce}}
}

// guessesAtOnce and guessEvery limit how fast one address may send tokens that do not work. The
// programs of a company whose links have ended come from one address.
const (
	guessesAtOnce = 20
	guessEvery    = 3 * time.Second
)

// Holder finds the user whose token of a scope the address has. Whatever is wrong with the token, the
// answer is that of an address that does not exist.
func (s *Area) Holder(scope access.Scope) fiber.Handler {
	return func(c *fiber.Ctx) error {
		p, err := access.ByAddress(c.UserContext(), s.Access, c.Query("token"), scope, s.Client(c))
		switch {
		case errors.Is(err, access.ErrNoToken), err == nil && !p.Role.May(access.MayRead):
			if wait := s.guesses.Take(handler.Network(s.Address(c))); wait > 0 {
				return &access.Throttled{Wait: wait}
			}
			return fiber.ErrNotFound
		case err != nil:
			return err
		}
		c.Locals(handler.CallerKey, handler.Caller{Principal: p})
		return c.Next()
	}
}

// place says where a feed is read, for its links and ids.
type place struct {
	home string // address of the server
	host string // in ids; the same for every request if the public address is set
}

func (s *Area) place(c *fiber.Ctx) place {
	at := place{handler.HomeOf(s.Base, c), "rebatedesk.invalid"}
	if u, err := url.Parse(s.PublicURL); err == nil && u.Hostname() != "" {
		at.host = u.Hostname()
	}
	return at
}

// page returns the address of a page.
func (p place) page(path string, values url.Values) string {
	if len(values) == 0 {
		return p.home + path
	}
	return p.home + path + "?" + values.Encode()
}

// send sends a file, or says that the client has it: seen is what its tag is made of.
func send(c *fiber.Ctx, kind string, body, seen []byte, modified affiliate.Millis) error {
	sum := sha256.Sum256(seen)
	tag := `W/"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
	c.Set(fiber.HeaderETag, tag)
	if modified.Known() {
		c.Set(fiber.HeaderLastModified, modified.Time().UTC().Format(http.TimeFormat))
	}
	if unchanged(c, tag, modified) {
		return c.SendStatus(fiber.StatusNotModified)
	}
	c.Set(fiber.HeaderContentType, kind)
	return c.Send(body)
}

// unchanged reports whether the client has the file. The tag counts before the time (RFC 9110,
// 13.2.2).
func unchanged(c *fiber.Ctx, tag string, modified affiliate.Millis) bool {
	if known := c.Get(fiber.HeaderIfNoneMatch); known != "" {
		for one := range strings.SplitSeq(known, ",") {
			if one = strings.TrimSpace(one); one == "*" || strings.TrimPrefix(one, "W/") == strings.TrimPrefix(tag, "W/") {
				return true
			}
		}
		return false
	}
	since, err := http.ParseTime(c.Get(fiber.HeaderIfModifiedSince))
	return err == nil && modified.Known() && !modified.Time().Truncate(time.Second).After(since)
}
