// Package listen opens the address of the pages. It decides whether other machines may
// reach it, and configures TLS.
package listen

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strings"

	"rebatedesk/access"
	"rebatedesk/cmd/webapp/internal/config"
)

// Flags exist on the command line only: a setting forgotten in a file must not open
// the pages to a network.
type Flags struct {
	Insecure bool `help:"Allow other machines in although PUBLIC_URL is not https: what is sent, passwords too, can be read on the way."`
}

// Allowed rejects an address that other machines can reach, unless PUBLIC_URL is https or
// cfg.Insecure accepts http. PUBLIC_URL must be set either way: pages answer to no other
// name.
func Allowed(cfg config.Config) error {
	if config.LocalOnly(cfg.Listen) {
		return nil
	}
	open := fmt.Sprintf("%q is open to other machines, and ", cfg.Listen)
	switch {
	case cfg.PublicURL == "":
		return config.SettingFaults{{Setting: "LISTEN", Wrong: open + "PUBLIC_URL is not set",
			Hint: "set PUBLIC_URL to the https address under which people open the pages, or listen on 127.0.0.1"}}
	case !strings.HasPrefix(cfg.PublicURL, "https://") && !cfg.Insecure:
		return config.SettingFaults{{Setting: "LISTEN", Wrong: open + "PUBLIC_URL is not https",
			Hint: "use TLS=auto or TLS=files, or a proxy that speaks https; --insecure accepts that passwords can be read on the way"}}
	}
	return nil
}

// NeedAdmin rejects an address that other machines can reach while no administrator exists:
// the first visitor could become one.
func NeedAdmin(ctx context.Context, cfg config.Config, users func(context.Context) ([]access.User, error)) error {
	if config.LocalOnly(cfg.Listen) {
		return nil
	}
	all, err := users(ctx)
	if err != nil || slices.ContainsFunc(all, func(u access.User) bool { return u.Role == access.Admin && !u.Disabled }) {
		return err
	}
	return config.SettingFaults{{Setting: "LISTEN", Wrong: fmt.Sprintf("%q is open to other machines, and no administrator exists yet", cfg.Listen),
		Hint: "make one first: webapp user add --name NAME --role admin --password-stdin, or use /setup while listening on 127.0.0.1"}}
}

// Open listens on the address of the pages, with TLS if configured.
func Open(cfg config.Config, log *slog.Logger) (net.Listener, error) {
	config, err := newTLS(cfg, log)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", cfg.Listen)
	if err != nil {
		return nil, fmt.Errorf("listening on %s: %w; set REBATEDESK_LISTEN to a free address", cfg.Listen, err)
	}
	if config == nil {
		return listener, nil
	}
	return &tlsListener{Listener: listener, config: config, public: cfg.PublicURL}, nil
}

// URLOf returns the address to open in a browser: PUBLIC_URL if the listener
// accepts other machines.
func URLOf(cfg config.Config, listener net.Listener) string {
	if !config.LocalOnly(listener.Addr().String()) && cfg.PublicURL != "" {
		return cfg.PublicURL + "/"
	}
	scheme := "http"
	if cfg.TLS.Mode == config.TLSAuto || cfg.TLS.Mode == config.TLSFiles {
		scheme = "https"
	}
	return scheme + "://" + listener.Addr().String() + "/"
}

// Hosts returns the names under which pages are served, in addition to those of this
// machine.
func Hosts(cfg config.Config) []string {
	if host := config.HostOf(cfg.PublicURL); host != "" {
		return []string{host}
	}
	return nil
}
