package web

import (
	"errors"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
)

// caller is who asks. The zero caller is nobody.
type caller struct {
	access.Principal
	secret string // of the session; empty for a program with an API token
}

// known reports whether it is anybody at all.
func (c caller) known() bool { return c.User != "" }

// full reports whether sign-in is complete.
func (c caller) full() bool { return c.known() && c.State == access.Full }

// callerKey is where the caller of a request is kept once it is known who it is.
const callerKey = "caller"

// caller is who asks: the holder of the API token, or of the session's secret.
// A request that names a token stands or falls with it, whatever its cookies
// say. An error means that it cannot be told now.
func (s *base) caller(c *fiber.Ctx) (caller, error) {
	if who, ok := c.Locals(callerKey).(caller); ok {
		return who, nil
	}
	who, err := s.identify(c)
	if err != nil {
		return caller{}, err
	}
	c.Locals(callerKey, who)
	return who, nil
}

func (s *base) identify(c *fiber.Ctx) (caller, error) {
	if isProgram(c) {
		text, ok := bearer(c.Get(fiber.HeaderAuthorization))
		if !ok {
			return caller{}, nil
		}
		p, err := s.Access.ByToken(c.UserContext(), text, s.client(c))
		return caller{Principal: p}, nobody(err, access.ErrNoToken)
	}
	secret := s.cookie(c, sessionCookie)
	if secret == "" {
		return caller{}, nil
	}
	p, err := s.Access.BySession(c.UserContext(), secret, s.client(c))
	if err != nil {
		return caller{}, nobody(err, access.ErrNoSession)
	}
	return caller{Principal: p, secret: secret}, nil
}

// nobody makes nothing of the error that says that nobody is known.
func nobody(err, unknown error) error {
	if errors.Is(err, unknown) {
		return nil
	}
	return err
}

// who is the caller as far as a page needs to know it. Where it cannot be told,
// the page is drawn as for nobody.
func (s *base) who(c *fiber.Ctx) caller {
	who, err := s.caller(c)
	if err != nil {
		return caller{}
	}
	return who
}

// client is what access control wants to know of whoever asks.
func (s *base) client(c *fiber.Ctx) access.Client {
	return access.Client{
		Address: s.address(c), Agent: c.Get(fiber.HeaderUserAgent), Device: s.cookie(c, deviceCookie),
		Background: slices.Contains(selfAsking, c.Get("HX-Trigger")),
	}
}

// selfAsking are the ids of the elements that ask for themselves again. A page
// that was left open does not keep its session alive.
var selfAsking = []string{"progress", "figures", "trading-bar"}

// may reports whether whoever asks is allowed something. What a page offers is
// decided by it; what a route does is decided by the matrix.
func (s *base) may(c *fiber.Ctx, p access.Permission) bool { return s.who(c).May(p) }

// isProgram reports whether the request brings a token of its own. A browser
// sends none by itself.
func isProgram(c *fiber.Ctx) bool { return c.Get(fiber.HeaderAuthorization) != "" }

func bearer(header string) (token string, ok bool) {
	scheme, token, ok := strings.Cut(header, " ")
	return strings.TrimSpace(token), ok && strings.EqualFold(scheme, "Bearer")
}

// actor is who asks, as orders know them.
func (s *base) actor(c *fiber.Ctx) access.Actor { return s.who(c).Actor() }
