// Package sftptest runs an SFTP server in the process of a test.
package sftptest

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/pkg/sftp"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

// Password is accepted from every user.
const Password = "open sesame"

// Server serves a folder to those who know [Password] or its private key.
type Server struct {
	Address    string // host:port
	HostKey    ssh.PublicKey
	PrivateKey string // of a user, PEM
}

// New starts a server of a folder that runs until the end of the test.
func New(t testing.TB, dir string) *Server {
	t.Helper()
	return start(t, func(channel ssh.Channel) error {
		server, err := sftp.NewServer(channel, sftp.WithServerWorkingDirectory(dir))
		if err != nil {
			return err
		}
		return errors.Join(server.Serve(), server.Close())
	})
}

// NewStrict starts a server of a folder in memory. It has no way to replace a file in one step, and
// refuse may refuse a command on it. The setting is one of the process: no other server may be
// started meanwhile.
func NewStrict(t testing.TB, refuse func(*sftp.Request) error) *Server {
	t.Helper()
	if err := sftp.SetSFTPExtensions(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sftp.SetSFTPExtensions("hardlink@openssh.com", "posix-rename@openssh.com", "statvfs@openssh.com"); err != nil {
			t.Error(err)
		}
	})
	files := sftp.InMemHandler()
	files.FileCmd = strict{files.FileCmd, refuse}
	return start(t, func(channel ssh.Channel) error {
		server := sftp.NewRequestServer(channel, files)
		return errors.Join(server.Serve(), server.Close())
	})
}

// strict carries out commands that are not refused.
type strict struct {
	sftp.FileCmder
	refuse func(*sftp.Request) error
}

func (s strict) Filecmd(r *sftp.Request) error {
	if err := s.refuse(r); err != nil {
		return err
	}
	return s.FileCmder.Filecmd(r)
}

func start(t testing.TB, files func(ssh.Channel) error) *Server {
	t.Helper()
	host, _ := newKey(t)
	user, private := newKey(t)
	refused := errors.New("refused")
	config := &ssh.ServerConfig{
		PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			if bytes.Equal(key.Marshal(), user.PublicKey().Marshal()) {
				return nil, nil
			}
			return nil, refused
		},
		PasswordCallback: func(_ ssh.ConnMetadata, password []byte) (*ssh.Permissions, error) {
			if string(password) == Password {
				return nil, nil
			}
			return nil, refused
		},
		// As a server that offers to ask for the password, and then refuses without a question.
		KeyboardInteractiveCallback: func(ssh.ConnMetadata, ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
			return nil, refused
		},
	}
	config.AddHostKey(host)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(conn, config, files)
		}
	}()
	return &Server{Address: listener.Addr().String(), HostKey: host.PublicKey(), PrivateKey: private}
}

// newKey returns a new key, also as PEM.
func newKey(t testing.TB) (signer ssh.Signer, text string) {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(key, "")
	if err != nil {
		t.Fatal(err)
	}
	if signer, err = ssh.NewSignerFromKey(key); err != nil {
		t.Fatal(err)
	}
	return signer, string(pem.EncodeToMemory(block))
}

func serve(conn net.Conn, config *ssh.ServerConfig, files func(ssh.Channel) error) {
	defer conn.Close()
	_, channels, requests, err := ssh.NewServerConn(conn, config)
	if err != nil {
		return
	}
	go ssh.DiscardRequests(requests)
	for one := range channels {
		channel, requests, err := one.Accept()
		if err != nil {
			return
		}
		go func() {
			for request := range requests {
				if err := request.Reply(request.Type == "subsystem", nil); err != nil {
					return
				}
			}
		}()
		go func() { _ = files(channel) }() // the client sees how it ends
	}
}

// KnownHosts writes a file that says which key the server at an address has.
func KnownHosts(t testing.TB, address string, key ssh.PublicKey) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "known_hosts")
	line := knownhosts.Line([]string{knownhosts.Normalize(address)}, key) + "\n"
	if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
