package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/alecthomas/kong"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/store"
)

// userCommand manages users. It needs no password: a user who can write the database and
// read its master key can do everything.
type userCommand struct {
	config.StoreFlags `embed:"" group:"settings"`

	Add       userAdd      `cmd:"" help:"Add a user."`
	List      userList     `cmd:"" help:"List the users."`
	Role      userRole     `cmd:"" help:"Give a user another role; ends the user's sessions and API tokens."`
	Password  userPassword `cmd:"" help:"Give a user another password; ends the user's sessions and API tokens."`
	Disable   userChange   `cmd:"" help:"Keep a user out at once; ends sessions and revokes tokens."`
	Enable    userChange   `cmd:"" help:"Let a user in again."`
	Bind      userBind     `cmd:"" help:"Let a user see only the invitees of accounts, invite codes or tags, besides those of before."`
	Unbind    userUnbind   `cmd:"" help:"Take away what a user is bound to: all of it, or what is named. A user bound to nothing sees everything."`
	ResetTOTP userChange   `cmd:"" name:"reset-totp" help:"Take a user's authenticator and recovery codes away; ends the user's sessions and API tokens."`
}

// namedUser is the user to whom a command applies, as a flag or an argument.
type namedUser struct {
	Name string `xor:"user" placeholder:"NAME" help:"Name of the user."`
	User string `arg:"" optional:"" xor:"user" help:"Name of the user."`
}

func (n namedUser) name() (string, error) {
	if n.Name+n.User == "" {
		return "", usage("name the user: --name NAME")
	}
	return n.Name + n.User, checkUser("--name", n.Name+n.User)
}

// checkAs checks the name of the user whose invitees a mail is about, if there is any.
func checkAs(name string) error {
	if name == "" {
		return nil
	}
	return checkUser("--as", name)
}

// checkUser checks the name of a user.
func checkUser(flag, name string) error {
	if err := access.CheckUserName(name); err != nil {
		return usage("%s %scannot be a user: %w", flag, config.Echo(name), sentence(err))
	}
	return nil
}

// typedPassword says how a password is entered. On the command line it would be visible in
// the list of processes.
type typedPassword struct {
	PasswordStdin bool `required:"" help:"Read the password from standard input."`
}

type userAdd struct {
	namedUser     `embed:""`
	typedPassword `embed:""`
	Role          access.Role `required:"" enum:"viewer,manager,admin,trader" placeholder:"ROLE" help:"viewer, manager, admin or trader."`
}

// Run adds the user. The database is created if it does not exist.
func (c *userAdd) Run(ctx context.Context, p *program) error {
	name, err := c.name()
	if err != nil {
		return err
	}
	if _, err := config.Load(p.sources, config.NeedStore|config.NeedMasterKey); err != nil {
		return err
	}
	password, err := passwordFrom(p.stdin)
	if err != nil {
		return err
	}
	if err := access.CheckPassword(password, name, c.Role); err != nil {
		return sentence(err) // and no database is created
	}
	return p.changeAccess(ctx, database.Open, func(s *access.Service) error {
		return s.AddUser(ctx, operator(), access.NewUser{Name: name, Role: c.Role, Password: password})
	})
}

type userList struct{}

// Run prints a line for each user.
func (*userList) Run(ctx context.Context, p *program) error {
	return p.readAccess(ctx, func(s *access.Service) error {
		users, err := s.Users(ctx)
		if err != nil {
			return err
		}
		return printTable(p, "NAME\tROLE\tSTATE\tAUTHENTICATOR\tLAST SIGN-IN (UTC)\tSEES", users, func(u access.User) string {
			return strings.Join([]string{u.Name, string(u.Role), either(u.Disabled, "disabled", "enabled"),
				either(u.HasTOTP, "yes", "no"), moment(u.SignedIn), boundWords(u.Bound)}, "\t")
		})
	})
}

// boundWords says whom a user sees.
func boundWords(b affiliate.Bound) string {
	var words []string
	for _, one := range b.Bindings() {
		words = append(words, string(one.By)+" "+one.Name)
	}
	return cmp.Or(strings.Join(words, ", "), "everything")
}

type userRole struct {
	namedUser `embed:""`
	Role      access.Role `required:"" enum:"viewer,manager,admin,trader" placeholder:"ROLE" help:"viewer, manager, admin or trader."`
}

// Run changes the role.
func (c *userRole) Run(ctx context.Context, p *program) error {
	return p.changeUser(ctx, c.namedUser, func(s *access.Service, name string) error {
		return s.SetRole(ctx, operator(), name, store.AnyVersion, c.Role)
	})
}

type userPassword struct {
	namedUser     `embed:""`
	typedPassword `embed:""`
}

// Run changes the password.
func (c *userPassword) Run(ctx context.Context, p *program) error {
	password, err := passwordFrom(p.stdin)
	if err != nil {
		return err
	}
	return p.changeUser(ctx, c.namedUser, func(s *access.Service, name string) error {
		return s.SetPassword(ctx, operator(), name, store.AnyVersion, password)
	})
}

type userChange struct {
	namedUser `embed:""`
}

// Run makes the change that the command is named after.
func (c *userChange) Run(ctx context.Context, p *program, k *kong.Context) error {
	return p.changeUser(ctx, c.namedUser, func(s *access.Service, name string) error {
		switch k.Selected().Name {
		case "disable":
			return s.Disable(ctx, operator(), name, store.AnyVersion)
		case "enable":
			return s.Enable(ctx, operator(), name, store.AnyVersion)
		}
		return s.ResetTOTP(ctx, operator(), name, store.AnyVersion)
	})
}

// boundFlags name accounts, invite codes and tags.
type boundFlags struct {
	Account []string `sep:"none" placeholder:"ACCOUNT" help:"All invitees of an account; may be given several times, like the others."`
	Code    []string `sep:"none" placeholder:"CODE" help:"The invitees with an invite code, exactly as it is written."`
	Tag     []string `sep:"none" placeholder:"TAG" help:"The invitees with a tag."`
}

func (f boundFlags) bindings() (list []affiliate.Binding, err error) {
	for by, names := range map[affiliate.BoundBy][]string{affiliate.BoundByAccount: f.Account, affiliate.BoundByCode: f.Code, affiliate.BoundByTag: f.Tag} {
		for _, name := range names {
			b := affiliate.Binding{By: by, Name: name}
			if err := access.CheckBinding(b); err != nil {
				return nil, usage("--%s %s: %w", by, config.Echo(name), sentence(err))
			}
			if err := checkAccount("--account", name); by == affiliate.BoundByAccount && err != nil {
				return nil, err
			}
			list = append(list, b)
		}
	}
	return list, nil
}

type userBind struct {
	namedUser  `embed:""`
	boundFlags `embed:""`
}

// Run adds bindings.
func (c *userBind) Run(ctx context.Context, p *program) error {
	more, err := c.bindings()
	if err != nil {
		return err
	}
	if len(more) == 0 {
		return usage("say to whom: --account, --code or --tag")
	}
	return p.changeUser(ctx, c.namedUser, func(s *access.Service, name string) error {
		return access.Bind(ctx, s, operator(), name, store.AnyVersion, more)
	})
}

type userUnbind struct {
	namedUser  `embed:""`
	boundFlags `embed:""`
}

// Run removes bindings.
func (c *userUnbind) Run(ctx context.Context, p *program) error {
	less, err := c.bindings()
	if err != nil {
		return err
	}
	return p.changeUser(ctx, c.namedUser, func(s *access.Service, name string) error {
		return access.Unbind(ctx, s, operator(), name, store.AnyVersion, less)
	})
}

func (p *program) changeUser(ctx context.Context, user namedUser, change func(s *access.Service, name string) error) error {
	name, err := user.name()
	if err != nil {
		return err
	}
	return p.changeAccess(ctx, database.OpenExisting, func(s *access.Service) error { return change(s, name) })
}

// printTable prints rows in columns that are separated by tabs.
func printTable[T any](p *program, head string, rows []T, line func(T) string) error {
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	if _, err := fmt.Fprintln(w, head); err != nil {
		return err
	}
	for _, row := range rows {
		if _, err := fmt.Fprintln(w, printable(line(row))); err != nil {
			return err
		}
	}
	return w.Flush()
}

func either(is bool, yes, no string) string {
	if is {
		return yes
	}
	return no
}

// moment formats a time to the second, or a dash for never.
func moment(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.DateTime)
}
