package web

import (
	"errors"
	"net/url"
	"path"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/web/console"
	"rebatedesk/web/handler"
	"rebatedesk/web/templates/ui"
)

// authorize runs before every route. It admits those whom the route table names, and
// accepts forms only from pages of the same session.
func (s *Server) authorize(r Route) fiber.Handler {
	return func(c *fiber.Ctx) error {
		if r.Need == Holder {
			return c.Next() // the link is the proof, and mail programs follow it by themselves
		}
		if r.Need != Everybody {
			who, err := s.Caller(c)
			switch {
			case err != nil:
				return err
			case !who.Known(), !who.Full() && r.Need != Half:
				return s.askToSignIn(c)
			}
			if why, err := allowed(who, r); err != nil {
				s.Access.NoteRefusal(who.Principal, why)
				return err
			}
		}
		if r.Method == fiber.MethodPost && !(r.Tokens && handler.IsProgram(c)) {
			readToken := s.ReadForm
			if r.Tokens { // what takes API tokens takes no forms
				readToken = s.ReadTokenHeader
			}
			if err := s.ownForm(c, readToken); err != nil {
				return err
			}
		}
		if r.Fresh {
			if through, err := s.signin.Fresh(c, backOf(c)); !through {
				return err
			}
		}
		return c.Next()
	}
}

// ownForm refuses what does not come from a page of the caller's session.
func (s *Server) ownForm(c *fiber.Ctx, readToken fiber.Handler) error {
	err := readToken(c)
	if refused, ok := errors.AsType[*handler.Problem](err); ok && refused.Status == fiber.StatusForbidden {
		if who := s.Who(c); who.Known() {
			s.Access.NoteRefusal(who.Principal, access.RefusedForm)
		}
	}
	return err
}

// allowed refuses a caller who is known what the matrix gives to others only.
func allowed(who handler.Caller, r Route) (why access.RefusalReason, err error) {
	if who.TokenID != 0 && !r.Tokens {
		return access.RefusedScope, handler.NewProblem(fiber.StatusForbidden, "API tokens do not open this address: sign in with a browser.")
	}
	if r.Need == Half || r.Need == SignedIn {
		return "", nil
	}
	return handler.Permitted(who, access.Permission(r.Need))
}

// bearerRealm says how programs come in.
const bearerRealm = `Bearer realm="Rebatedesk"`

// askToSignIn answers whoever is not, or not completely, signed in: programs
// with the status that says so, people with the way to the page where they can.
func (s *Server) askToSignIn(c *fiber.Ctx) error {
	if handler.IsProgram(c) || isFile(c.Path()) || console.IsProxy(c.Path()) {
		c.Set(fiber.HeaderWWWAuthenticate, bearerRealm)
		return handler.NewProblem(fiber.StatusUnauthorized, "Sign in, or send a valid API token as Authorization: Bearer.")
	}
	if c.Method() == fiber.MethodPost {
		return &ended{kept: keptFields(c)}
	}
	way, err := s.wayIn(c)
	if err != nil {
		return err
	}
	if c.Get("HX-Request") == "true" {
		// htmx follows a redirect by itself and would put the form of the
		// sign-in into the middle of the page.
		c.Set("HX-Redirect", way)
		return handler.NewProblem(fiber.StatusUnauthorized, "Your session has ended. Sign in again.")
	}
	return c.Redirect(way, fiber.StatusSeeOther)
}

// wayIn is the address where the caller signs in, or goes on with it.
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

// pageAsked is the page that was asked for, or that stands in the browser while it
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

// ended is the answer to a form that somebody sent who is not signed in any
// more. What was written goes back with it.
type ended struct{ kept []ui.Kept }

func (*ended) Error() string { return "a form was sent without a session" }

// keptFields are what a person has written into a form. Its fields are named
// here one by one: whatever else a form holds may be a secret.
func keptFields(c *fiber.Ctx) []ui.Kept {
	kept := []ui.Kept{}
	fields, err := url.ParseQuery(string(c.BodyRaw()))
	if err != nil {
		return kept
	}
	for _, name := range []string{"text", "tag", "name", "recipients"} {
		if value := fields.Get(name); value != "" {
			kept = append(kept, ui.Kept{Name: name, Value: value})
		}
	}
	return kept
}

// backOf is the page that a form stands on: that of the same address, or the
// one above.
func backOf(c *fiber.Ctx) string {
	for _, r := range routeTable {
		if r.Method == fiber.MethodGet && r.Path == c.Route().Path {
			return c.Path()
		}
	}
	return path.Dir(c.Path())
}
