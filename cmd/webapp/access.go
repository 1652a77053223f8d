package main

import (
	"context"
	"encoding/base64"
	"io"
	"log/slog"
	"net/url"
	"os/user"
	"strings"

	"rebatedesk/access"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/audit"
)

// accessTo makes the access service of an environment. Only tests change it: passwords are meant to
// take long.
var accessTo = access.New

// newAccess creates the access service. The demo requires no authenticator.
func newAccess(cfg config.Config, st *store.Store, key secret.MasterKey, log *slog.Logger, demo bool) *access.Service {
	factor := cfg.SecondFactor
	if demo {
		factor = access.OfNobody
	}
	return accessTo(access.Options{Store: st, Now: cfg.Now, Box: key.Box(), SecondFactor: factor, SetupToken: setupToken(st, key), Issuer: issuer(cfg), Log: log})
}

// setupToken returns the token of the first run for all nodes of a database that they share,
// and an empty string for a file, whose server makes another at each start.
func setupToken(st *store.Store, key secret.MasterKey) string {
	if !st.Shared() {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(key.Derive("setup token"))
}

// issuer returns the name that authenticators show. It includes the host, which
// tells installations apart.
func issuer(cfg config.Config) string {
	if u, err := url.Parse(cfg.PublicURL); err == nil && u.Hostname() != "" {
		return "Rebatedesk " + u.Hostname()
	}
	return "Rebatedesk"
}

// readAccess runs f with the users of the database. f cannot change anything, so no
// master key is needed.
func (p *program) readAccess(ctx context.Context, f func(*access.Service) error) error {
	return p.withStore(ctx, config.NeedStore, database.OpenExisting, func(o opened) error {
		return sentence(f(accessTo(access.Options{Store: o.store, Now: o.cfg.Now, Log: o.log})))
	})
}

// changeAccess runs f with the users of the database, for changes.
func (p *program) changeAccess(ctx context.Context, open database.Opener, f func(*access.Service) error) error {
	return p.withKey(ctx, config.NeedStore, open, func(o opened, key secret.MasterKey) error {
		return sentence(f(newAccess(o.cfg, o.store, key, o.log, false)))
	})
}

// operator returns the user who runs a command, for the audit log: the operating system's
// user.
func operator() access.Actor {
	actor := access.Actor{Via: access.ViaCommand}
	if who, err := user.Current(); err == nil { // some machines have no user database
		actor.Name = who.Username
	}
	return actor
}

// operatorAudit returns an entry of the audit log by the operator.
func operatorAudit() audit.Line {
	by := operator()
	return audit.Line{Actor: by.Name, Via: by.Via}
}

// maxTyped exceeds the longest password, in bytes.
const maxTyped = 4096

// passwordFrom reads a password. The final line break is not part of it; everything
// else is, spaces included.
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
