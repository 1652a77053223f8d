package listen

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/files"
	"rebatedesk/web"
)

// newTLS is the encryption that the settings ask for; nil where they ask for
// none. HTTP/1.1 is all that the server behind it speaks.
func newTLS(cfg config.Config, log *slog.Logger) (*tls.Config, error) {
	encryption := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	switch cfg.TLS.Mode {
	case config.TLSFiles:
		files, err := openCertificate(cfg.TLS.Cert, cfg.TLS.Key, log)
		if err != nil {
			return nil, err
		}
		encryption.GetCertificate = files.get
	case config.TLSAuto:
		manager, err := certificateManager(cfg)
		if err != nil {
			return nil, err
		}
		encryption.GetCertificate = manager.GetCertificate
		encryption.NextProtos = append(encryption.NextProtos, acme.ALPNProto) // the authority's question comes in a handshake
	default:
		return nil, nil
	}
	return encryption, nil
}

// certificateManager fetches and renews the certificate of PUBLIC_URL's host,
// and of no other: anybody could otherwise use up what the authority allows.
func certificateManager(cfg config.Config) (*autocert.Manager, error) {
	folder := cfg.DB + ".certs"
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("the folder of certificates: %w", err)
	}
	info, err := os.Stat(folder)
	if err != nil {
		return nil, fmt.Errorf("the folder of certificates: %w", err)
	}
	if info.Mode().Perm()&files.ByOthers != 0 {
		return nil, fmt.Errorf("everybody on this machine can reach the keys in %s: chmod 0700 %[1]s", folder)
	}
	return &autocert.Manager{
		Prompt:     autocert.AcceptTOS,
		HostPolicy: autocert.HostWhitelist(config.HostOf(cfg.PublicURL)),
		Cache:      autocert.DirCache(folder),
	}, nil
}

// tlsListener accepts encrypted connections. The handshake takes place with
// the first read, under the deadline of the request, and so keeps nobody else
// from being accepted.
type tlsListener struct {
	net.Listener
	config *tls.Config
	public string // address to name to whoever speaks plain http
}

// Accept is the next connection.
func (l *tlsListener) Accept() (net.Conn, error) {
	plain, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &encrypted{Conn: tls.Server(plain, l.config), public: l.public}, nil
}

// encrypted is a connection under TLS. One goroutine at a time reads from it.
type encrypted struct {
	*tls.Conn
	public string
	begun  bool
}

// Read makes the handshake before anything else. A failed one ends the
// connection without a word to the server above, which could answer nothing
// and would log every scanner of ports.
func (c *encrypted) Read(b []byte) (int, error) {
	if !c.begun {
		if err := c.Handshake(); err != nil {
			c.explain(err)
			return 0, io.EOF
		}
		c.begun = true
	}
	return c.Conn.Read(b)
}

// plainWait is how long whoever spoke plain http has to take the answer.
const plainWait = time.Second

// explain answers plain http on the encrypted port. It leads nobody on by
// itself: what the request carried has been sent in the clear already, and
// its sender should get to know that.
func (c *encrypted) explain(err error) {
	record, ok := errors.AsType[tls.RecordHeaderError](err)
	if !ok || record.Conn == nil || !speaksHTTP(record.RecordHeader) {
		return
	}
	text := "This port speaks https only. Open " + c.public + "/ instead.\n"
	answer := http.Response{StatusCode: http.StatusBadRequest, ProtoMajor: 1, ProtoMinor: 1, Close: true, Header: web.PlainHeaders(),
		ContentLength: int64(len(text)), Body: io.NopCloser(strings.NewReader(text))}
	answer.Header.Set("Content-Type", "text/plain; charset=utf-8")
	if record.Conn.SetDeadline(time.Now().Add(plainWait)) != nil {
		return
	}
	if err := answer.Write(record.Conn); err != nil {
		return // gone already
	}
	// A connection closed with unread bytes on it is reset, and the answer is
	// lost with it.
	if half, ok := record.Conn.(*net.TCPConn); ok && half.CloseWrite() == nil {
		_, _ = io.CopyN(io.Discard, half, 64<<10) // until the client closes, or the deadline
	}
}

// speaksHTTP reports whether a connection begins like a plain request.
func speaksHTTP(first [5]byte) bool {
	return slices.Contains([]string{"GET /", "HEAD ", "POST ", "PUT /", "DELET", "OPTIO", "PATCH"}, string(first[:]))
}
