package web

import (
	"errors"
	"net/url"
	"path"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/web/console/proxy"
	"rebatedesk/web/handler"
	"rebatedesk/web/route"
	"rebatedesk/web/templates/ui"
)

// authorize runs before every route. It admits the callers that the route allows
// and accepts forms only from pages of the same session.
func (s *Server) authorize(r route.Route) fiber.Handler {
	closed := r.Bound == route.Closed
	return func(c *fiber.Ctx) error {
		if r.Need == route.Holder {
			return c.Next() // the link is the proof, and mail programs follow it by themselves
		}
		if r.Need != route.Everybody {
			who, err := s.Caller(c)
			switch {
			case err != nil:
				return err
			case !who.Known(), !who.Full() && r.Need != route.Half:
				return s.askToSignIn(c)
			}
			if closed && !who.Bound.Everything() {
				return fiber.ErrNotFound // as a page that does not exist
			}
			if why, err := allowed(who, r); err != nil {
				s.Access.NoteRefusal(who.Principal, why)
				return err
			}
		}
		if r.Method == fiber.MethodPost && !(r.Tokens && handler.IsProgram(c)) {
			readToken := s.ReadForm
			switch {
			case r.Upload:
				readToken = s.ReadUpload
			case r.Tokens: // API tokens and forms exclude each other
				readToken = s.ReadTokenHeader
			}
			if err := s.ownForm(c, readToken); err != nil {
				return err
			}
		}
		if r.Fresh {
			if through, err := s.signin.Fresh(c, s.backOf(c)); !through {
				return err
			}
		}
		return c.Next()
	}
}

// ownForm refuses a form that does not come from a page of the caller's session.
func (s *Server) ownForm(c *fiber.Ctx, readToken fiber.Handler) error {
	err := readToken(c)
	if refused, ok := errors.AsType[*handler.Problem](err); ok && refused.Status == fiber.StatusForbidden {
		if who := s.Who(c); who.Known() {
			s.Access.NoteRefusal(who.Principal, access.RefusedForm)
		}
	}
	return err
}

// allowed refuses a known caller who lacks the permission that the route
// requires.
func allowed(who handler.Caller, r route.Route) (why access.RefusalReason, err error) {
	if who.TokenID != 0 && !r.Tokens {
		return access.RefusedScope, handler.NewProblem(fiber.StatusForbidden, "API tokens do not open this address: sign in with a browser.")
	}
	if r.Need == route.Half || r.Need == route.SignedIn {
		return "", nil
	}
	return handler.Permitted(who, r.Need)
}

// bearerRealm tells programs how to authenticate.
const bearerRealm = `Bearer realm="Rebatedesk"`

// askToSignIn answers a caller who is not signed in, or only half signed in: programs
// get the matching status, people the page where they can sign in.
func (s *Server) askToSignIn(c *fiber.Ctx) error {
	if handler.IsProgram(c) || isFile(c.Path()) || proxy.IsProxy(c.Path()) {
		c.Set(fiber.HeaderWWWAuthenticate, bearerRealm)
		return handler.NewProblem(fiber.StatusUnauthorized, "Sign in, or send a valid API token as Authorization: Bearer.")
	}
	if c.Method() == fiber.MethodPost {
		fields, err := url.ParseQuery(string(c.BodyRaw()))
		if err != nil {
			fields = nil // it is not a form of ours
		}
		return &ended{kept: handler.WrittenText(c.Path(), fields)}
	}
	way, err := s.wayIn(c)
	if err != nil {
		return err
	}
	if c.Get("HX-Request") == "true" {
		// htmx follows a redirect itself and would insert the sign-in form into the
		// middle of the page.
		c.Set("HX-Redirect", way)
		return handler.NewProblem(fiber.StatusUnauthorized, "Your session has ended. Sign in again.")
	}
	return c.Redirect(way, fiber.StatusSeeOther)
}

// wayIn returns the address where the caller signs in or completes the sign-in.
func (s *Server) wayIn(c *fiber.Ctx) (string, error) {
	needed, err := s.signin.NeedsSetup(c)
	if err != nil {
		return "", err
	}
	if needed {
		return "/setup", nil
	}
	return handler.LoginAddress(pageAsked(c)), nil
}

// pageAsked returns the requested page, or the page that the browser shows while it
// fetches a part of it.
func pageAsked(c *fiber.Ctx) string {
	if c.Get("HX-Request") == "true" {
		current, err := url.Parse(c.Get("HX-Current-URL"))
		if err != nil {
			return "/"
		}
		return handler.LocalPath((&url.URL{Path: current.Path, RawPath: current.RawPath, RawQuery: current.RawQuery}).String())
	}
	return handler.LocalPath(string(c.Request().RequestURI()))
}

// ended answers a form whose sender is no longer signed in. The response carries back
// what the sender wrote.
type ended struct{ kept []ui.Kept }

func (*ended) Error() string { return "a form was sent without a session" }

// backOf returns the page that shows a form: the page at the same address, or the one
// above it.
func (s *Server) backOf(c *fiber.Ctx) string {
	for _, r := range s.table {
		if r.Method == fiber.MethodGet && r.Path == c.Route().Path {
			return c.Path()
		}
	}
	return path.Dir(c.Path())
}
