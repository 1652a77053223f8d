package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"rebatedesk/cmd/webapp/internal/config"
)

// healthWithin limits the answer of the server.
const healthWithin = 4 * time.Second

// healthCommand is for health checks of containers, which have no shell.
type healthCommand struct {
	config.StoreFlags `embed:"" group:"settings"`
	config.WebFlags   `embed:"" group:"settings"`

	Ready bool `help:"Ask whether its pages are worth being served (/readyz), not only whether it lives."`
}

// Run prints the server's answer. It fails if no answer arrives or if the status is not
// 200.
func (c *healthCommand) Run(ctx context.Context, p *program) error {
	cfg, _, err := p.configure(config.NeedStore | config.NeedWeb)
	if err != nil {
		return err
	}
	path := "/healthz"
	if c.Ready {
		path = "/readyz"
	}
	ctx, cancel := context.WithTimeout(ctx, healthWithin)
	defer cancel()
	status, text, err := askServer(ctx, cfg, path)
	if err != nil {
		return fmt.Errorf("the server on %s does not answer: %w; see whether webapp serve runs with these settings", cfg.Listen, err)
	}
	if status != http.StatusOK {
		return fmt.Errorf("the server on %s answers %d to %s: %s", cfg.Listen, status, path, config.WithoutControls(strings.TrimSpace(text)))
	}
	_, err = io.WriteString(p.stdout, text)
	return err
}

// askServer asks the server that listens on this machine by these settings.
func askServer(ctx context.Context, cfg config.Config, path string) (status int, text string, err error) {
	host, port, err := net.SplitHostPort(cfg.Listen)
	if err != nil {
		return 0, "", err
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
		if ip != nil && ip.To4() == nil {
			host = "::1"
		}
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return 0, "", err
	}
	if end, ok := ctx.Deadline(); ok {
		err = conn.SetDeadline(end)
	}
	if cfg.TLS.Mode == config.TLSAuto || cfg.TLS.Mode == config.TLSFiles {
		// The server is on this machine, its certificate is for the public name, and
		// nothing secret is sent.
		conn = tls.Client(conn, &tls.Config{ServerName: config.HostOf(cfg.PublicURL), InsecureSkipVerify: true, MinVersion: tls.VersionTLS12})
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err != nil {
		return 0, "", err
	}
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\nAccept: text/plain\r\nConnection: close\r\n\r\n", path); err != nil {
		return 0, "", err
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0, "", err
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	return answer.StatusCode, string(body), err
}
