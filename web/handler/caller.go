package handler

import (
	"errors"
	"slices"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/reports"
)

// Caller identifies the user or program that sent the request. The zero Caller is an
// anonymous one.
type Caller struct {
	access.Principal
	Secret string // of the session; empty for a program with an API token
}

// Known reports whether the caller is a known user.
func (c Caller) Known() bool { return c.User != "" }

// Full reports whether sign-in is complete.
func (c Caller) Full() bool { return c.Known() && c.State == access.Full }

// CallerKey is the key under which the caller of a request is stored once known.
const CallerKey = "caller"

// Caller identifies who sent the request: the holder of the API token or of the
// session. A request with an invalid token is refused, whatever its cookies are. An
// error means that the caller cannot be determined now.
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
		_, throttled := errors.AsType[*access.Throttled](err)
		if err == nil || throttled {
			ShowLimit(c, p.Left)
		}
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

// nobody ignores the error of an unknown caller.
func nobody(err, unknown error) error {
	if errors.Is(err, unknown) {
		return nil
	}
	return err
}

// Who returns the caller for the drawing of a page. If the caller cannot be determined,
// the page is drawn as for an anonymous one.
func (s *Base) Who(c *fiber.Ctx) Caller {
	who, err := s.Caller(c)
	if err != nil {
		return Caller{}
	}
	return who
}

// Reports returns the reports as the caller sees them: of the invitees to whom the caller is
// bound, or of everybody. Whatever is answered to a caller is asked here.
func (s *Base) Reports(c *fiber.Ctx) *reports.Service {
	who := s.Who(c)
	if !who.Known() {
		return s.Whole.For(noInvitees)
	}
	return s.Whole.For(who.Bound)
}

// IsBound reports whether the caller sees some invitees only.
func (s *Base) IsBound(c *fiber.Ctx) bool { return !s.Who(c).Bound.Everything() }

// noInvitees is a binding that matches no invitee: a route that answers with reports admits no unknown caller.
var noInvitees = affiliate.BoundTo([]affiliate.Binding{{By: affiliate.BoundByAccount}})

// Client describes the client for access control.
func (s *Base) Client(c *fiber.Ctx) access.Origin {
	return access.Origin{
		Address: s.Address(c), Agent: c.Get(fiber.HeaderUserAgent), Device: s.cookie(c, deviceCookie),
		Background: slices.Contains(selfAsking, c.Get("HX-Trigger")),
	}
}

// selfAsking are the ids of the elements that refresh themselves. Their requests do not
// keep the session of an abandoned page alive.
var selfAsking = []string{"progress", "figures", "trading-bar", "live"}

// May reports whether the caller has a permission. Pages use it to decide what they
// offer; the route table decides what a route allows.
func (s *Base) May(c *fiber.Ctx, p access.Permission) bool { return s.Who(c).May(p) }

// IsProgram reports whether the request carries an API token. A browser never sends one
// by itself.
func IsProgram(c *fiber.Ctx) bool { return c.Get(fiber.HeaderAuthorization) != "" }

func bearer(header string) (token string, ok bool) {
	scheme, token, ok := strings.Cut(header, " ")
	return strings.TrimSpace(token), ok && strings.EqualFold(scheme, "Bearer")
}

// Actor returns the caller in the form that orders record.
func (s *Base) Actor(c *fiber.Ctx) access.Actor { return s.Who(c).Actor() }
