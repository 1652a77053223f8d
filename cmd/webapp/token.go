package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rebatedesk/access"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
)

// tokenCommand manages API tokens.
type tokenCommand struct {
	config.StoreFlags `embed:"" group:"settings"`

	Create tokenCreate `cmd:"" help:"Create a token and print it, once."`
	List   tokenList   `cmd:"" help:"List the tokens, without what they are."`
	Revoke tokenRevoke `cmd:"" help:"End a token at once and for good."`
}

type tokenCreate struct {
	User  string   `required:"" placeholder:"NAME" help:"User whose role the token never exceeds."`
	Name  string   `required:"" placeholder:"TEXT" help:"What the token is for; its name in lists."`
	Scope []string `required:"" enum:"calendar,feed,read,export,console,trade" placeholder:"SCOPE" help:"read, export, console or trade; may be repeated. Or calendar or feed alone, for an address to subscribe to."`

	Expires string `default:"90d" placeholder:"WHEN" help:"When the token ends: after days (30d), with a day of the reporting zone (2026-12-31), or never. Default: ${default}."`
}

// Run prints only the token on standard output. A scope beyond the role causes a warning:
// the token grants the rest.
func (c *tokenCreate) Run(ctx context.Context, p *program) error {
	if err := errors.Join(checkUser("--user", c.User), checkName("--name", c.Name)); err != nil {
		return err
	}
	scopes, err := access.ParseScopes(c.Scope)
	if err != nil {
		return usage("%w", err)
	}
	cfg, err := config.Load(p.sources, config.NeedStore)
	if err != nil {
		return err
	}
	expires, err := access.ParseExpiry(c.Expires, cfg.Clock(), cfg.Timezone)
	if err != nil {
		return usage("--expires: %w", err)
	}
	return p.changeAccess(ctx, database.OpenExisting, func(s *access.Service) error {
		text, token, err := s.CreateToken(ctx, operator(), access.NewToken{User: c.User, Name: c.Name, Scopes: scopes, Expires: expires})
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(p.stdout, text); err != nil {
			return err
		}
		return p.warnOfScopes(ctx, s, token)
	})
}

// warnOfScopes warns of scopes that exceed the user's role.
func (p *program) warnOfScopes(ctx context.Context, s *access.Service, token access.Token) error {
	users, err := s.Users(ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(users, func(u access.User) bool { return u.Name == token.User })
	for _, scope := range token.Scopes {
		if i < 0 || scope.Useful(users[i].Role) {
			continue
		}
		_, err := fmt.Fprintf(p.stderr, "webapp: warning: the role %s of %s allows less than the scope %s: the token is limited to the role, and ends with a change of it\n",
			users[i].Role, token.User, scope)
		if err != nil {
			return err
		}
	}
	return nil
}

type tokenList struct {
	User string `placeholder:"NAME" help:"Only those of this user."`
}

// Run prints a line for each token.
func (c *tokenList) Run(ctx context.Context, p *program) error {
	if c.User != "" {
		if err := checkUser("--user", c.User); err != nil {
			return err
		}
	}
	return p.readAccess(ctx, func(s *access.Service) error {
		tokens, err := s.Tokens(ctx, c.User)
		if err != nil {
			return err
		}
		return printTable(p, "ID\tUSER\tNAME\tSCOPES\tCREATED (UTC)\tEXPIRES (UTC)\tSTATE\tLAST USE (UTC)\tFROM\tREVOKED (UTC)", tokens, func(t access.Token) string {
			return strings.Join([]string{strconv.FormatInt(t.ID, 10), t.User, t.Name, scopeList(t.Scopes),
				moment(t.Created), expiry(t), tokenState(t), moment(t.Used), dash(t.Address), moment(t.Revoked)}, "\t")
		})
	})
}

type tokenRevoke struct {
	ID   int64  `arg:"" optional:"" help:"Number of the token in the list."`
	User string `placeholder:"NAME" help:"User of the token, where it is named instead."`
	Name string `placeholder:"TEXT" help:"Name of the token."`
}

// Run revokes the token.
func (c *tokenRevoke) Run(ctx context.Context, p *program) error {
	if (c.ID != 0) == (c.Name != "") || (c.User != "") != (c.Name != "") {
		return usage("say which token: its number in webapp token list, or --user NAME --name TEXT")
	}
	if err := c.check(); err != nil {
		return err
	}
	return p.changeAccess(ctx, database.OpenExisting, func(s *access.Service) error {
		id := c.ID
		if id == 0 {
			var err error
			if id, err = c.named(ctx, s); err != nil {
				return err
			}
		}
		return s.RevokeToken(ctx, operator(), id)
	})
}

func (c *tokenRevoke) check() error {
	switch {
	case c.ID < 0:
		return usage("ID %d is not the number of a token; webapp token list shows them", c.ID)
	case c.ID > 0:
		return nil
	}
	return errors.Join(checkUser("--user", c.User), checkName("--name", c.Name))
}

// named finds the valid token with a name; at most one exists.
func (c *tokenRevoke) named(ctx context.Context, s *access.Service) (int64, error) {
	tokens, err := s.Tokens(ctx, c.User)
	if err != nil {
		return 0, err
	}
	for _, t := range tokens {
		if t.Name == c.Name && !t.Ended {
			return t.ID, nil
		}
	}
	return 0, fmt.Errorf("%s has no token called %q that works: webapp token list shows all", c.User, c.Name)
}

// expiry returns when a token expires.
func expiry(t access.Token) string {
	if t.Expires.IsZero() {
		return "never"
	}
	return moment(t.Expires)
}

// tokenState returns whether a token is valid.
func tokenState(t access.Token) string {
	switch {
	case !t.Revoked.IsZero():
		return "revoked"
	case t.Ended:
		return "expired"
	case t.Soon:
		return "expires soon"
	}
	return "works"
}

func scopeList(scopes []access.Scope) string {
	words := make([]string, len(scopes))
	for i, scope := range scopes {
		words[i] = string(scope)
	}
	return strings.Join(words, ",")
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
