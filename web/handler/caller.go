package handler

import (
	"errors"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
)

// Caller is who asks. The zero caller is nobody.
type Caller struct {
	access.Principal
	Secret string // of the session; empty for a program with an API token
}

// Known reports whether it is anybody at all.
func (c Caller) Known() bool { return c.User != "" }

// Full reports whether sign-in is complete.
func (c Caller) Full() bool { return c.Known() && c.State == access.Full }

// CallerKey is where the caller of a request is kept once it is known who it is.
const CallerKey = "caller"

// Caller is who asks: the holder of the API token, or of the session's secret.
// A request that names a token stands or falls with it, whatever its cookies
// say. An error means that it cannot be told now.
func (s *Base) Caller(c *fiber.Ctx) (Caller, error) {
	if who, ok := c.Locals(CallerKey).(Caller); ok {
		return who, nil
	}
	who, err := s.identify(c)
	if err != nil {
		return Caller{}, err
	}
	c.Locals(CallerKey, who)
	return who, nil
}

func (s *Base) identify(c *fiber.Ctx) (Caller, error) {
	if IsProgram(c) {
		text, ok := bearer(c.Get(fiber.HeaderAuthorization))
		if !ok {
			return Caller{}, nil
		}
		p, err := s.Access.ByToken(c.UserContext(), text, s.Client(c))
		return Caller{Principal: p}, nobody(err, access.ErrNoToken)
	}
	secret := s.cookie(c, SessionCookie)
	if secret == "" {
		return Caller{}, nil
	}
	p, err := s.Access.BySession(c.UserContext(), secret, s.Client(c))
	if err != nil {
		return Caller{}, nobody(err, access.ErrNoSession)
	}
	return Caller{Principal: p, Secret: secret}, nil
}

// nobody makes nothing of the error that says that nobody is known.
func nobody(err, unknown error) error {
	if errors.Is(err, unknown) {
		return nil
	}
	return err
}

// Who is the caller as far as a page needs to know it. Where it cannot be told,
// the page is drawn as for nobody.
func (s *Base) Who(c *fiber.Ctx) Caller {
	who, err := s.Caller(c)
	if err != nil {
		return Caller{}
	}
	return who
}

// Client is what access control wants to know of whoever asks.
func (s *Base) Client(c *fiber.Ctx) access.Origin {
	return access.Origin{
		Address: s.Address(c), Agent: c.Get(fiber.HeaderUserAgent), Device: s.cookie(c, deviceCookie),
		Background: slices.Contains(selfAsking, c.Get("HX-Trigger")),
	}
}

// selfAsking are the ids of the elements that ask for themselves again. A page
// that was left open does not keep its session alive.
var selfAsking = []string{"progress", "figures", "trading-bar"}

// May reports whether whoever asks is allowed something. What a page offers is
// decided by it; what a route does is decided by the matrix.
func (s *Base) May(c *fiber.Ctx, p access.Permission) bool { return s.Who(c).May(p) }

// IsProgram reports whether the request brings a token of its own. A browser
// sends none by itself.
func IsProgram(c *fiber.Ctx) bool { return c.Get(fiber.HeaderAuthorization) != "" }

func bearer(header string) (token string, ok bool) {
	scheme, token, ok := strings.Cut(header, " ")
	return strings.TrimSpace(token), ok && strings.EqualFold(scheme, "Bearer")
}

// Actor is who asks, as orders know them.
func (s *Base) Actor(c *fiber.Ctx) access.Actor { return s.Who(c).Actor() }
