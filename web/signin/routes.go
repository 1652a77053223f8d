package signin

import (
	"rebatedesk/web/route"
)

// Routes are the addresses of the package.
func (s *Area) Routes() []route.Route {
	list := []route.Route{
		route.Private("/setup", route.Everybody, s.SetupPage).Open(),
		route.Post("/setup", route.Everybody, s.Setup).Open(),
		route.Private("/invite/:token", route.Everybody, s.InvitationPage).Open(),
		route.Post("/invite/:token", route.Everybody, s.AcceptInvitation).Open(),
		route.Private("/login", route.Everybody, s.LoginPage).Open(),
		route.Post("/login", route.Everybody, s.Login).Open(),
		route.Post("/logout", route.Half, s.Logout).Open(),
		route.Private("/account", route.SignedIn, s.Account).
			Help("Your account", "How do I change my password, see where I am signed in, and let programs read for me?", "session", "scope", "role", "feed").Found("person", "password tokens sessions").Open(),
		route.Private("/account/totp", route.Half, s.Enrol).
			Help("One-time codes", "How do I protect my account with codes from my phone?", "step-up").Open(),
		route.Post("/account/totp", route.Half, s.ConfirmEnrolment).Open(),
		route.Post("/account/password", route.SignedIn, s.ChangePassword).Open(),
		route.Proven("/account/tokens", route.SignedIn, s.CreateToken).Begins("/account#tokens", "Create an API token", "gear", "program key").Open(),
		route.Proven("/account/feeds", route.SignedIn, s.CreateFeed).Open(),
		route.Post("/account/tokens/:id/revoke", route.SignedIn, s.RevokeToken).Open(),
		route.Post("/account/sessions/:id/revoke", route.SignedIn, s.RevokeSession).Open(),
	}
	if s.demo != nil {
		list = append(list, route.Post("/login/demo", route.Everybody, s.DemoLogin).Open())
	}
	return list
}
