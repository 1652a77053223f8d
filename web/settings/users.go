package settings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/phrase"
	"rebatedesk/store"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/settings"
	"rebatedesk/web/templates/ui"
)

func (s *Area) UserList(c *fiber.Ctx) error { return s.showUsers(c, templates.UsersView{}) }

func (s *Area) showUsers(c *fiber.Ctx, view templates.UsersView) (err error) {
	if view.Rows, err = s.userRows(c); err != nil {
		return err
	}
	view.Settings, view.MayHide, view.AllNeedTOTP = s.settingsPage(c, "Users", "/settings/users"), s.desk != nil, s.Access.NeedsTOTP(access.Viewer)
	if view.MayHide {
		if view.NamesHidden, err = reports.PeopleOf(s.desk).NamesHidden(c.UserContext()); err != nil {
			return err
		}
	}
	if view.Invited.Link != "" {
		return s.RenderSecret(c, templates.Users(view))
	}
	return s.Render(c, templates.Users(view))
}

// HideNames decides whether viewers see the names of people.
func (s *Area) HideNames(c *fiber.Ctx) error {
	if s.desk == nil {
		return fiber.ErrNotFound
	}
	return s.Act(c, func(f *handler.Sent) (string, error) {
		return handler.Confirming("/settings/users", "names"), reports.PeopleOf(s.desk).HideNames(c.UserContext(), f.Fields.Get("hidden") == "yes", f.By)
	}, nil)
}

// userRows returns all users with their open sessions and tokens.
func (s *Area) userRows(c *fiber.Ctx) ([]templates.UserRow, error) {
	users, err := s.Access.Users(c.UserContext())
	if err != nil {
		return nil, err
	}
	sessions, err := s.Access.Sessions(c.UserContext(), "")
	if err != nil {
		return nil, err
	}
	tokens, err := s.Access.Tokens(c.UserContext(), "")
	if err != nil {
		return nil, err
	}
	rows := make([]templates.UserRow, len(users))
	for i, u := range users {
		rows[i] = templates.UserRow{User: u, Own: u.ID == s.Who(c).UserID, NeedsTOTP: s.Access.NeedsTOTP(u.Role)}
		if !u.Bound.Everything() {
			sight, err := reports.ReadSight(c.UserContext(), s.Whole, u.Bound)
			if err != nil {
				return nil, fmt.Errorf("what %s sees: %w", u.Name, err)
			}
			rows[i].Sight = &sight
		}
		for _, session := range sessions {
			if session.User == u.Name {
				rows[i].Sessions++
			}
		}
		for _, token := range tokens {
			if token.User == u.Name && !token.Ended {
				rows[i].Tokens++
			}
		}
	}
	return rows, nil
}

// AddUser reports each error at its field. Only the write itself shows whether the name
// is taken.
func (s *Area) AddUser(c *fiber.Ctx) error {
	return s.Act(c, func(f *handler.Sent) (string, error) {
		n := access.NewUser{Name: f.Fields.Get("name"), Role: access.Role(f.Fields.Get("role")), Password: f.Fields.Get("password")}
		f.Values["name"], f.Values["role"] = n.Name, string(n.Role)
		f.Fault("name", handler.ProblemOf(access.CheckUserName(n.Name)))
		if _, err := access.ParseRole(string(n.Role)); err != nil {
			f.Fault("role", handler.ProblemOf(err))
		} else {
			f.Fault("password", handler.ProblemOf(access.CheckPassword(n.Password, n.Name, n.Role)))
		}
		checkRepeated(f)
		if f.Wrong() {
			return "", nil
		}
		err := handler.At("name", s.Access.AddUser(c.UserContext(), s.Who(c).Actor(), n))
		return handler.Confirming("/settings/users", "added"), f.Explain(c, err, "")
	}, func(f *handler.Sent) error { return s.showUsers(c, templates.UsersView{Form: f.Form}) })
}

// InviteUser adds a user who chooses the password by a link. The page shows the link once.
func (s *Area) InviteUser(c *fiber.Ctx) error {
	var made templates.Invitation
	return s.Act(c, func(f *handler.Sent) (string, error) {
		role, err := access.ParseRole(f.Text("role"))
		f.Fault("role", handler.ProblemOf(err))
		f.Fault("name", handler.ProblemOf(access.CheckUserName(f.Text("name"))))
		if f.Wrong() {
			return "", nil
		}
		token, i, err := s.Access.Invite(c.UserContext(), s.Who(c).Actor(), f.Values["name"], role)
		if err != nil {
			return "", f.Explain(c, handler.At("name", err), "")
		}
		made = templates.Invitation{User: i.User, Link: handler.HomeOf(s.Base, c) + "/invite/" + token, Until: phrase.Clock(i.Until, s.Zone)}
		return "", nil
	}, func(f *handler.Sent) error {
		if s.ofSetup(c) {
			return s.showSetup(c, templates.StepsView{Current: stepColleague, Invite: f.Form, Invited: made})
		}
		return s.showUsers(c, templates.UsersView{Invite: f.Form, Invited: made})
	})
}

func checkRepeated(f *handler.Sent) {
	if f.Fields.Get("password") != f.Fields.Get("repeated") {
		f.Fault("repeated", handler.PasswordsDiffer)
	}
}

// UserPage shows one user and everything that can be changed.
func (s *Area) UserPage(c *fiber.Ctx) error { return s.showUser(c, "", ui.Form{}) }

// showUser shows the user in the address. A refused section is open and states the
// reason.
func (s *Area) showUser(c *fiber.Ctx, section string, form ui.Form) error {
	rows, err := s.userRows(c)
	if err != nil {
		return err
	}
	id, err := handler.IdIn(c)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(rows, func(r templates.UserRow) bool { return r.ID == id })
	if at < 0 {
		return noSuchUser
	}
	v := templates.UserView{Settings: s.settingsPage(c, rows[at].Name, "/settings/users"), UserRow: rows[at], Open: section, Form: form}
	sessions, err := s.Access.Sessions(c.UserContext(), v.Name)
	if err != nil {
		return err
	}
	v.SessionRows = s.SessionRows(c, sessions)
	if v.TokenRows, err = s.Access.Tokens(c.UserContext(), v.Name); err != nil {
		return err
	}
	workingFirst(v.TokenRows)
	return s.Render(c, templates.UserPage(v))
}

var noSuchUser = handler.NewProblem(fiber.StatusNotFound, "There is no such user.")

func (s *Area) SetRole(c *fiber.Ctx) error {
	return s.changeUser(c, "role", "role", func(f *handler.Sent, by access.Actor, u access.User) error {
		f.Values["role"] = f.Fields.Get("role")
		return handler.At("role", s.Access.SetRole(c.UserContext(), by, u.Name, u.Updated, access.Role(f.Fields.Get("role"))))
	})
}

// SetPassword is for users who forgot their password. Users change their own password
// with the current one.
func (s *Area) SetPassword(c *fiber.Ctx) error {
	return s.changeUser(c, "password", "password", func(f *handler.Sent, by access.Actor, u access.User) error {
		if u.ID == s.Who(c).UserID {
			return ownMatter
		}
		f.Values["password"] = ui.Hidden
		f.Fault("password", handler.ProblemOf(access.CheckPassword(f.Fields.Get("password"), u.Name, u.Role)))
		checkRepeated(f)
		if f.Wrong() {
			return nil
		}
		return s.Access.SetPassword(c.UserContext(), by, u.Name, u.Updated, f.Fields.Get("password"))
	})
}

var ownMatter = &store.RuleError{Problem: "This is your own: change it on the page of your account, which asks for what you have now."}

// ResetCodes is for users who lost their authenticator.
func (s *Area) ResetCodes(c *fiber.Ctx) error {
	return s.changeUser(c, "codes", "codes", func(f *handler.Sent, by access.Actor, u access.User) error {
		if u.ID == s.Who(c).UserID {
			return ownMatter
		}
		f.Values["codes"] = templates.CodesWords(false)
		return s.Access.ResetTOTP(c.UserContext(), by, u.Name, u.Updated)
	})
}

func (s *Area) DisableUser(c *fiber.Ctx) error {
	return s.changeUser(c, "access", "disabled", func(f *handler.Sent, by access.Actor, u access.User) error {
		f.Values["access"] = templates.AccessWords(true)
		return s.Access.Disable(c.UserContext(), by, u.Name, u.Updated)
	})
}

func (s *Area) EnableUser(c *fiber.Ctx) error {
	return s.changeUser(c, "access", "enabled", func(f *handler.Sent, by access.Actor, u access.User) error {
		f.Values["access"] = templates.AccessWords(false)
		return s.Access.Enable(c.UserContext(), by, u.Name, u.Updated)
	})
}

// BindUser lets a user see some invitees only, or more of them.
func (s *Area) BindUser(c *fiber.Ctx) error {
	return s.changeUser(c, "sees", "bound", func(f *handler.Sent, by access.Actor, u access.User) error {
		f.Values["by"], f.Values["to"] = f.Fields.Get("by"), f.Fields.Get("to")
		one := affiliate.Binding{By: affiliate.BoundBy(f.Fields.Get("by")), Name: strings.TrimSpace(f.Fields.Get("to"))}
		if !slices.Contains(affiliate.BoundKinds(), one.By) {
			return handler.NewProblem(fiber.StatusBadRequest, "The form names no account, code or tag: open the page again.")
		}
		f.Values["sees"] = string(one.By) + " " + one.Name
		return handler.At("to", access.Bind(c.UserContext(), s.Access, by, u.Name, u.Updated, []affiliate.Binding{one}))
	})
}

// UnbindUser takes away one of the things that a user is bound to, or all of them.
func (s *Area) UnbindUser(c *fiber.Ctx) error {
	return s.changeUser(c, "sees", "unbound", func(f *handler.Sent, by access.Actor, u access.User) error {
		var less []affiliate.Binding
		if f.Fields.Get("all") == "" {
			less = []affiliate.Binding{{By: affiliate.BoundBy(f.Fields.Get("by")), Name: f.Fields.Get("to")}}
		}
		f.Values["sees"] = "less"
		return access.Unbind(c.UserContext(), s.Access, by, u.Name, u.Updated, less)
	})
}

// userActions maps the changes that administrators make to a user to their names in the
// audit log.
var userActions = []string{"role changed", "password set", "authenticator reset", "user disabled", "user enabled", "bound"}

// changeUser changes one user, in the version from which the form was made. What is refused
// is shown in its section of the page of the user.
func (s *Area) changeUser(c *fiber.Ctx, section, done string, change func(*handler.Sent, access.Actor, access.User) error) error {
	return s.Act(c, func(f *handler.Sent) (string, error) {
		u, err := s.userIn(c)
		if err != nil {
			return "", err
		}
		if u.Updated, err = f.Seen(); err != nil {
			return "", err
		}
		return handler.Confirming("/settings/users/"+strconv.FormatInt(u.ID, 10), done), f.Explain(c, change(f, s.Who(c).Actor(), u), "")
	}, func(f *handler.Sent) error {
		if f.Overtaken() {
			now, err := s.userIn(c)
			if err != nil {
				return err
			}
			if err := s.conflict(c, f, now.Name, userActions, templates.UserFields(now), templates.UserLabels); err != nil {
				return err
			}
		}
		return s.showUser(c, section, f.Form)
	})
}

// conflict shows what was changed meanwhile, and by whom.
func (s *Area) conflict(c *fiber.Ctx, f *handler.Sent, object string, actions []string, stored map[string]string, labels []ui.FieldLabel) error {
	seen, err := f.Seen()
	if err == nil {
		f.Meanwhile, err = s.Meanwhile(c, object, seen, actions...)
	}
	f.Conflict(stored, labels)
	return err
}

// userIn returns the user in the address.
func (s *Area) userIn(c *fiber.Ctx) (access.User, error) {
	id, err := handler.IdIn(c)
	if err != nil {
		return access.User{}, err
	}
	users, err := s.Access.Users(c.UserContext())
	if err != nil {
		return access.User{}, err
	}
	for _, u := range users {
		if u.ID == id {
			return u, nil
		}
	}
	return access.User{}, noSuchUser
}
