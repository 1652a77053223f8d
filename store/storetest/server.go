package storetest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Server is a PostgreSQL server of a test's own, which it can kill.
type Server struct {
	testing.TB
	script, folder, url string
}

// NewServer starts a server that ends with the test. It skips a test without PostgreSQL, see
// [PostgresOnly].
func NewServer(t testing.TB) *Server {
	t.Helper()
	PostgresOnly(t)
	script, err := controlScript()
	Done(t, err)
	said, err := exec.CommandContext(t.Context(), script, "start").Output()
	Done(t, err)
	s := &Server{TB: t, script: script}
	s.folder, s.url, _ = strings.Cut(strings.TrimSpace(string(said)), " ")
	t.Cleanup(func() { s.control("drop") })
	return s
}

// began is the folder in which the tests began; empty if it is gone.
var began, _ = os.Getwd()

// controlScript returns the path of .ci/postgres in the repository around the folder in which the
// tests began: some work in another one.
func controlScript() (string, error) {
	for folder := began; ; folder = filepath.Dir(folder) {
		script := filepath.Join(folder, ".ci", "postgres")
		if _, err := os.Stat(script); err == nil {
			return script, nil
		}
		if folder == filepath.Dir(folder) {
			return "", fmt.Errorf("no folder above this one has .ci/postgres")
		}
	}
}

func (s *Server) control(verb string) {
	s.Helper()
	if said, err := exec.Command(s.script, verb, s.folder).CombinedOutput(); err != nil {
		s.Errorf("%s %s: %v: %s", s.script, verb, err, said)
	}
}

// Empty creates the database of the test on the server, without tables, and returns its URL.
func (s *Server) Empty() string {
	s.Helper()
	Run(s, s.url, `CREATE DATABASE desk TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`)
	return strings.Replace(s.url, "/postgres?", "/desk?", 1)
}

// Kill stops the server at once: it finishes nothing.
func (s *Server) Kill() {
	s.Helper()
	s.control("kill")
}

// Wake starts the server again, on its port.
func (s *Server) Wake() {
	s.Helper()
	s.control("wake")
}
