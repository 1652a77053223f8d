package signin

import (
	"cmp"
	"net/url"
	"time"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/store"
	"rebatedesk/store/identity"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/signin"
)

// Account is the page where users manage their own password, codes, sessions and API
// tokens.
func (s *Area) Account(c *fiber.Ctx) error {
	return s.showAccount(c, templates.AccountView{Done: done[c.Query("done")]})
}

// done are the changes that the page can confirm after a redirect.
var done = map[string]string{
	"password": "The password is changed. All other sessions and all API tokens have ended.",
	"session":  "The session has ended.",
	"token":    "The token is revoked.",
	"keys":     "Saved.",
	"hints":    "Saved.",
}

func (s *Area) showAccount(c *fiber.Ctx, v templates.AccountView) error {
	ctx, who := c.UserContext(), s.Who(c)
	sessions, err := s.Access.Sessions(ctx, who.User)
	if err != nil {
		return err
	}
	tokens, err := s.Access.Tokens(ctx, who.User)
	if err != nil {
		return err
	}
	v.Sessions = s.SessionRows(c, sessions)
	for _, t := range tokens {
		switch {
		case !t.Revoked.IsZero():
		case t.Scopes[0].InAddress():
			v.Feeds = append(v.Feeds, t)
		default:
			v.Tokens = append(v.Tokens, t)
		}
	}
	preferences, err := s.Access.Preferences(ctx, who.User)
	if err != nil {
		return err
	}
	v.KeysOff = preferences.On(access.KeysOff)
	for _, route := range s.Help.Hints() {
		if !preferences.On(access.HintAway(route)) {
			v.HintsLeft++
		}
	}
	v.Hints = len(s.Help.Hints())
	if v.NewBrowsers, err = s.Access.NewBrowsers(ctx, who.Principal); err != nil {
		return err
	}
	v.MostSessions = identity.MaxSessions
	v.Principal, v.Zone, v.Least, v.FormToken = who.Principal, s.Zone, who.Role.MinPassword(), s.Token(c)
	for _, scope := range access.Scopes {
		if scope.Useful(who.Role) && !scope.InAddress() {
			v.Scopes = append(v.Scopes, scope)
		}
	}
	return s.RenderSecret(c, templates.Account(s.Page(c, "Your account", "/account"), v))
}

// ChangePassword also requires the old password, so that a stranger at an open browser
// cannot lock its owner out.
func (s *Area) ChangePassword(c *fiber.Ctx) error {
	return s.Act(c, func(f *handler.Sent) (string, error) {
		if f.Fields.Get("password") != f.Fields.Get("repeated") {
			f.Alert = handler.PasswordsDiffer
			return "", nil
		}
		entry, err := s.Access.ChangePassword(c.UserContext(), s.Who(c).Principal, f.Fields.Get("current"), f.Fields.Get("password"), s.Client(c))
		if err == nil {
			s.Enter(c, entry)
		}
		return handler.Confirming("/account", "password"), f.Explain(c, err, "The current password is wrong.")
	}, func(f *handler.Sent) error { return s.showAccount(c, templates.AccountView{PasswordAlert: f.Alert}) })
}

// RevokeSession ends one of the reader's sessions. Access control checks whose it is.
func (s *Area) RevokeSession(c *fiber.Ctx) error {
	return s.Act(c, func(f *handler.Sent) (string, error) {
		return handler.Confirming("/account", "session"), s.Access.RevokeSession(c.UserContext(), s.Who(c).Actor(), f.ID)
	}, nil)
}

// CreateToken makes an API token and shows it once.
func (s *Area) CreateToken(c *fiber.Ctx) error {
	var v templates.AccountView
	return s.Act(c, func(f *handler.Sent) (string, error) {
		n, err := s.newToken(f.Fields, s.Who(c).Principal)
		if err == nil {
			v.NewToken, v.NewTokenName, v.NewTokenEnd, err = s.created(c, n)
		}
		return "", f.Explain(c, err, "")
	}, func(f *handler.Sent) error {
		if f.Wrong() {
			v = templates.AccountView{TokenAlert: f.Alert, TokenName: f.Fields.Get("name"), TokenExpires: f.Fields.Get("expires"), TokenUntil: f.Fields.Get("until")}
		}
		return s.showAccount(c, v)
	})
}

func (s *Area) created(c *fiber.Ctx, n access.NewToken) (text, name string, end time.Time, err error) {
	text, token, err := s.Access.CreateToken(c.UserContext(), s.Who(c).Actor(), n)
	return text, token.Name, token.Expires, err
}

// CreateFeed makes a token that is part of an address, and shows the address once.
func (s *Area) CreateFeed(c *fiber.Ctx) error {
	var v templates.AccountView
	return s.Act(c, func(f *handler.Sent) (string, error) {
		feed, ok := feedOf(f.Fields.Get("feed"))
		if !ok {
			return "", handler.NewProblem(fiber.StatusBadRequest, "Choose the calendar or the feed of changes.")
		}
		never, err := access.ParseExpiry("never", time.Time{}, s.Zone)
		if err != nil {
			return "", err
		}
		text, name, _, err := s.created(c, access.NewToken{User: s.Who(c).User, Name: f.Fields.Get("name"), Scopes: []access.Scope{feed.Scope}, Expires: never})
		v.NewFeed, v.NewFeedName = handler.HomeOf(s.Base, c)+feed.Path+"?"+url.Values{"token": {text}}.Encode(), name
		return "", f.Explain(c, err, "")
	}, func(f *handler.Sent) error {
		if f.Wrong() {
			v = templates.AccountView{FeedAlert: f.Alert, FeedName: f.Fields.Get("name")}
		}
		return s.showAccount(c, v)
	})
}

// feedOf returns what a form asks an address for.
func feedOf(scope string) (templates.Subscribable, bool) {
	for _, f := range templates.Feeds {
		if string(f.Scope) == scope {
			return f, true
		}
	}
	return templates.Subscribable{}, false
}

// newToken returns the token that a form describes. A date entered in the form takes
// precedence over the offered choices.
func (s *Area) newToken(fields url.Values, p access.Principal) (access.NewToken, error) {
	n := access.NewToken{User: p.User, Name: fields.Get("name")}
	var err error
	if n.Scopes, err = access.ParseScopes(scopesOf(fields)); err != nil {
		return n, err
	}
	for _, scope := range n.Scopes {
		if !scope.Useful(p.Role) { // it would take effect when the user got a higher role
			return n, &store.RuleError{Problem: "Your role allows less than the scope " + string(scope) + "."}
		}
	}
	n.Expires, err = s.Access.Expiry(cmp.Or(fields.Get("until"), fields.Get("expires")), s.Zone)
	return n, err
}

// scopesOf returns the scopes ticked in a form: each is a separate field, because no
// field may occur twice in a form.
func scopesOf(fields url.Values) []string {
	var names []string
	for _, scope := range access.Scopes {
		if fields.Has("scope-" + string(scope)) {
			names = append(names, string(scope))
		}
	}
	return names
}

// RevokeToken ends one of the reader's tokens.
func (s *Area) RevokeToken(c *fiber.Ctx) error {
	return s.Act(c, func(f *handler.Sent) (string, error) {
		return handler.Confirming("/account", "token"), s.Access.RevokeToken(c.UserContext(), s.Who(c).Actor(), f.ID)
	}, nil)
}
