package main

import (
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rebatedesk/internal/selfsigned"
)

// health distinguishes a server that answers from one that does not, encrypted or not.
func TestHealthCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	selfsigned.Write(t, certifiedHost, cert, key, 1, time.Now().Add(time.Hour))
	for name, env := range map[string][]string{
		"plain":     nil,
		"encrypted": {"REBATEDESK_TLS=files", "REBATEDESK_TLS_CERT=" + cert, "REBATEDESK_TLS_KEY=" + key, "REBATEDESK_PUBLIC_URL=https://desk.example.com"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serving(t, env)
			_, address, _ := strings.Cut(s.url, "://")
			_, port, err := net.SplitHostPort(address)
			if err != nil {
				t.Fatal(err)
			}
			d := &harness{TB: t, env: append(env, "REBATEDESK_DB="+filepath.Join(t.TempDir(), "none.db"))}
			if out := d.done(nil, "health", "--listen", "127.0.0.1:"+port); out != "ok\n" {
				t.Errorf("it says %q", out)
			}
			if out := d.done(nil, "health", "--listen", "0.0.0.0:"+port); out != "ok\n" {
				t.Errorf("by the address of a container it says %q", out)
			}
			if out := d.done(nil, "health", "--ready", "--listen", "127.0.0.1:"+port); !strings.HasPrefix(out, "ready") {
				t.Errorf("ready: %q", out)
			}
			if _, err := s.terminated(); err != nil {
				t.Fatal(err)
			}
			status, stdout, stderr := d.run(t.Context(), nil, "health", "--listen", "127.0.0.1:"+port)
			if status != statusFailed || stdout != "" || !strings.Contains(stderr, "does not answer") {
				t.Errorf("after the end: status %d, stdout %q, stderr %q", status, stdout, stderr)
			}
		})
	}
}
