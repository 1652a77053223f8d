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
	"rebatedesk/safehttp"
	"rebatedesk/web"
)

// newTLS returns the TLS configuration of the settings, nil if TLS is off. The server
// behind it speaks only HTTP/1.1.
func newTLS(cfg config.Config, log *slog.Logger) (*tls.Config, error) {
	encryption := &tls.Config{MinVersion: tls.VersionTLS12, CipherSuites: safehttp.Suites(), NextProtos: []string{"http/1.1"}}
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
		encryption.NextProtos = append(encryption.NextProtos, acme.ALPNProto) // the authority's challenge arrives in a handshake
	default:
		return nil, nil
	}
	return encryption, nil
}

// certificateManager fetches and renews only the certificate of PUBLIC_URL's host:
// strangers could otherwise exhaust the authority's rate limits.
func certificateManager(cfg config.Config) (*autocert.Manager, error) {
	folder := cfg.DB.Beside(".certs")
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

// tlsListener accepts TLS connections. The handshake happens at the first read,
// under the deadline of the request, so that a slow client does not block others.
type tlsListener struct {
	net.Listener
	config *tls.Config
	public string // address to name in the answer to plain http
}

// Accept returns the next connection.
func (l *tlsListener) Accept() (net.Conn, error) {
	plain, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &encrypted{Conn: tls.Server(plain, l.config), public: l.public}, nil
}

// encrypted is a TLS connection. Only one goroutine at a time may read from it.
type encrypted struct {
	*tls.Conn
	public string
	begun  bool
}

// Read performs the handshake first. A failed handshake ends the connection
// silently: the server above could not answer, and would log every port scanner.
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

// plainWait limits the answer to a plain http request.
const plainWait = time.Second

// explain answers plain http on the TLS port. It does not redirect: the request has
// already been sent in the clear, and its sender should know.
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
		return // the client has gone
	}
	// A connection closed with unread bytes is reset, and the answer is lost with it.
	if half, ok := record.Conn.(*net.TCPConn); ok && half.CloseWrite() == nil {
		_, _ = io.CopyN(io.Discard, half, 64<<10) // until the client closes, or the deadline
	}
}

// speaksHTTP reports whether a connection begins like a plain HTTP request.
func speaksHTTP(first [5]byte) bool {
	return slices.Contains([]string{"GET /", "HEAD ", "POST ", "PUT /", "DELET", "OPTIO", "PATCH"}, string(first[:]))
}
