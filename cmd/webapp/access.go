package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/url"
	"os/user"
	"strings"

	"rebatedesk/access"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/seal"
	"rebatedesk/store"
)

// newAccess makes the service that says who may enter. The demo shows
// everything to anybody who tries it, so it asks nobody for an authenticator.
func newAccess(cfg config.Config, st *store.Store, key seal.Key, log *slog.Logger, demo bool) *access.Service {
	return access.New(access.Options{Store: st, Now: cfg.Now, Box: key.Box(), TOTPOptional: demo, Issuer: issuer(cfg), Log: log})
}

// issuer is the name that authenticators show. With the host in it, people tell
// several installations apart.
func issuer(cfg config.Config) string {
	if u, err := url.Parse(cfg.PublicURL); err == nil && u.Hostname() != "" {
		return "Rebatedesk " + u.Hostname()
	}
	return "Rebatedesk"
}

// readAccess runs f with the users of the database of the settings. Nothing can
// be changed, so no master key is needed.
func (p *program) readAccess(ctx context.Context, f func(*access.Service) error) (err error) {
	cfg, log, err := p.configure(config.NeedStore)
	if err != nil {
		return err
	}
	st, err := database.OpenExisting(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	return sentence(f(access.New(access.Options{Store: st, Now: cfg.Now, Log: log})))
}

// opener opens the database of the settings.
type opener func(context.Context, config.Config) (*store.Store, error)

// changeAccess runs f with the users of a database, for changing them.
func (p *program) changeAccess(ctx context.Context, open opener, f func(*access.Service) error) (err error) {
	cfg, log, err := p.configure(config.NeedStore | config.NeedMasterKey)
	if err != nil {
		return err
	}
	st, err := open(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	key, err := database.EnsureKey(ctx, cfg, st, p.stderr)
	if err != nil {
		return err
	}
	return sentence(f(newAccess(cfg, st, key, log, false)))
}

// sentence leaves of a broken rule what is meant for people.
func sentence(err error) error {
	if rule, ok := errors.AsType[*store.RuleError](err); ok {
		return rule
	}
	return err
}

// operator is who runs a command, for the audit log: the user of the machine.
func operator() access.Actor {
	actor := access.Actor{Via: access.ViaCommand}
	if who, err := user.Current(); err == nil { // there are machines that cannot tell
		actor.Name = who.Username
	}
	return actor
}

// maxTyped is more than a password can have, in bytes.
const maxTyped = 4096

// passwordFrom reads a password. The newline that ends the line is not part of
// it; everything else is, spaces too.
func passwordFrom(stdin io.Reader) (string, error) {
	typed, err := io.ReadAll(io.LimitReader(stdin, maxTyped))
	if err != nil {
		return "", err
	}
	password := string(typed)
	if line, ended := strings.CutSuffix(password, "\n"); ended {
		password = strings.TrimSuffix(line, "\r")
	}
	if password == "" {
		return "", usage("there is no password on standard input")
	}
	return password, nil
}
