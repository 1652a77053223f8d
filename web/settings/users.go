package settings

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/store"
	"rebatedesk/web/handler"
	templates "rebatedesk/web/templates/settings"
	"rebatedesk/web/templates/ui"
)

func (s *Area) UserList(c *fiber.Ctx) error { return s.showUsers(c, ui.Form{}) }

func (s *Area) showUsers(c *fiber.Ctx, form ui.Form) error {
	rows, err := s.userRows(c)
	if err != nil {
		return err
	}
	view := templates.UsersView{Settings: s.settingsPage(c, "Users", "/settings/users"), Rows: rows, Form: form, MayHide: s.desk != nil, AllNeedTOTP: s.Access.NeedsTOTP(access.Viewer)}
	if view.MayHide {
		if view.NamesHidden, err = reports.PeopleOf(s.desk).NamesHidden(c.UserContext()); err != nil {
			return err
		}
	}
	return s.Render(c, templates.Users(view))
}

// HideNames decides whether viewers see the names of people.
func (s *Area) HideNames(c *fiber.Ctx) error {
	if s.desk == nil {
		return fiber.ErrNotFound
	}
	if err := reports.PeopleOf(s.desk).HideNames(c.UserContext(), s.Form(c).Get("hidden") == "yes", s.By(c)); err != nil {
		return err
	}
	return backToSettings(c, "/settings/users", "names")
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
	fields := s.Form(c)
	n := access.NewUser{Name: fields.Get("name"), Role: access.Role(fields.Get("role")), Password: fields.Get("password")}
	form := ui.Form{Values: map[string]string{"name": n.Name, "role": string(n.Role)}}
	form.Fault("name", handler.ProblemOf(access.CheckUserName(n.Name)))
	if _, err := access.ParseRole(string(n.Role)); err != nil {
		form.Fault("role", handler.ProblemOf(err))
	} else {
		form.Fault("password", handler.ProblemOf(access.CheckPassword(n.Password, n.Name, n.Role)))
	}
	checkRepeated(&form, fields)
	if len(form.Faults) == 0 {
		err := s.Access.AddUser(c.UserContext(), s.Who(c).Actor(), n)
		if err == nil {
			return backToSettings(c, "/settings/users", "added")
		}
		if problem := handler.ProblemOf(err); problem != "" {
			form.Fault("name", problem)
		} else if form.Alert, _ = handler.ExplainRefusal(c, err, ""); form.Alert == "" {
			return err
		}
	}
	if form.Alert == "" {
		c.Status(http.StatusBadRequest)
	}
	return s.showUsers(c, form)
}

func checkRepeated(form *ui.Form, fields url.Values) {
	if fields.Get("password") != fields.Get("repeated") {
		form.Fault("repeated", handler.PasswordsDiffer)
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
	return s.changeUser(c, "role", "role", func(ctx context.Context, by access.Actor, u access.User, fields url.Values, form *ui.Form) error {
		form.Values["role"] = fields.Get("role")
		err := s.Access.SetRole(ctx, by, u.Name, u.Updated, access.Role(fields.Get("role")))
		form.Fault("role", handler.ProblemOf(err))
		return err
	})
}

// SetPassword is for users who forgot their password. Users change their own password
// with the current one.
func (s *Area) SetPassword(c *fiber.Ctx) error {
	return s.changeUser(c, "password", "password", func(ctx context.Context, by access.Actor, u access.User, fields url.Values, form *ui.Form) error {
		if u.ID == s.Who(c).UserID {
			return ownMatter
		}
		form.Values["password"] = ui.Hidden
		form.Fault("password", handler.ProblemOf(access.CheckPassword(fields.Get("password"), u.Name, u.Role)))
		checkRepeated(form, fields)
		if len(form.Faults) > 0 {
			return nil
		}
		return s.Access.SetPassword(ctx, by, u.Name, u.Updated, fields.Get("password"))
	})
}

var ownMatter = &store.RuleError{Problem: "This is your own: change it on the page of your account, which asks for what you have now."}

// ResetCodes is for users who lost their authenticator.
func (s *Area) ResetCodes(c *fiber.Ctx) error {
	return s.changeUser(c, "codes", "codes", func(ctx context.Context, by access.Actor, u access.User, _ url.Values, form *ui.Form) error {
		if u.ID == s.Who(c).UserID {
			return ownMatter
		}
		form.Values["codes"] = templates.CodesWords(false)
		return s.Access.ResetTOTP(ctx, by, u.Name, u.Updated)
	})
}

func (s *Area) DisableUser(c *fiber.Ctx) error {
	return s.changeUser(c, "access", "disabled", func(ctx context.Context, by access.Actor, u access.User, _ url.Values, form *ui.Form) error {
		form.Values["access"] = templates.AccessWords(true)
		return s.Access.Disable(ctx, by, u.Name, u.Updated)
	})
}

func (s *Area) EnableUser(c *fiber.Ctx) error {
	return s.changeUser(c, "access", "enabled", func(ctx context.Context, by access.Actor, u access.User, _ url.Values, form *ui.Form) error {
		form.Values["access"] = templates.AccessWords(false)
		return s.Access.Enable(ctx, by, u.Name, u.Updated)
	})
}

// BindUser lets a user see some invitees only, or more of them.
func (s *Area) BindUser(c *fiber.Ctx) error {
	return s.changeUser(c, "sees", "bound", func(ctx context.Context, by access.Actor, u access.User, fields url.Values, form *ui.Form) error {
		form.Values["by"], form.Values["to"] = fields.Get("by"), fields.Get("to")
		one := affiliate.Binding{By: affiliate.BoundBy(fields.Get("by")), Name: strings.TrimSpace(fields.Get("to"))}
		if !slices.Contains(affiliate.BoundKinds(), one.By) {
			return handler.NewProblem(fiber.StatusBadRequest, "The form names no account, code or tag: open the page again.")
		}
		form.Values["sees"] = string(one.By) + " " + one.Name
		err := access.Bind(ctx, s.Access, by, u.Name, u.Updated, []affiliate.Binding{one})
		form.Fault("to", handler.ProblemOf(err))
		return err
	})
}

// UnbindUser takes away one of the things that a user is bound to, or all of them.
func (s *Area) UnbindUser(c *fiber.Ctx) error {
	return s.changeUser(c, "sees", "unbound", func(ctx context.Context, by access.Actor, u access.User, fields url.Values, form *ui.Form) error {
		var less []affiliate.Binding
		if fields.Get("all") == "" {
			less = []affiliate.Binding{{By: affiliate.BoundBy(fields.Get("by")), Name: fields.Get("to")}}
		}
		form.Values["sees"] = "less"
		return access.Unbind(ctx, s.Access, by, u.Name, u.Updated, less)
	})
}

// userActions maps the changes that administrators make to a user to their names in the
// audit log.
var userActions = []string{"role changed", "password set", "authenticator reset", "user disabled", "user enabled", "bound"}

// changeUser changes one user, in the version from which the form was made. It
// redirects to the page of the user if the change succeeds, and otherwise shows the
// reason in its section.
func (s *Area) changeUser(c *fiber.Ctx, section, done string, change func(context.Context, access.Actor, access.User, url.Values, *ui.Form) error) error {
	u, err := s.userIn(c)
	if err != nil {
		return err
	}
	if u.Updated, err = handler.SeenIn(s.Form(c)); err != nil {
		return err
	}
	form := handler.FormOf()
	err = change(c.UserContext(), s.Who(c).Actor(), u, s.Form(c), &form)
	switch {
	case err == nil && len(form.Faults) == 0:
		return backToSettings(c, "/settings/users/"+strconv.FormatInt(u.ID, 10), done)
	case len(form.Faults) > 0:
		c.Status(http.StatusBadRequest)
	case handler.StaleOf(err) != "":
		problem := handler.StaleOf(err)
		if form.Meanwhile, err = s.Meanwhile(c, u.Name, u.Updated, userActions...); err != nil {
			return err
		}
		now, err := s.userIn(c)
		if err != nil {
			return err
		}
		s.Conflict(c, &form, problem, templates.UserFields(now), templates.UserLabels)
	default:
		var ok bool
		if form.Alert, ok = handler.ExplainRefusal(c, err, ""); !ok {
			return err
		}
	}
	return s.showUser(c, section, form)
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
