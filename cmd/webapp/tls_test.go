package main

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/internal/selfsigned"
	"rebatedesk/web"
)

const certifiedHost = "desk.example.com"

// secured requests a path over https, like a browser for which the name of the certificate
// resolves to this address.
func secured(t testing.TB, url string, pool *x509.CertPool) *http.Response {
	t.Helper()
	client := http.Client{
		Transport: &http.Transport{DisableKeepAlives: true, ForceAttemptHTTP2: true,
			TLSClientConfig: &tls.Config{RootCAs: pool, ServerName: certifiedHost}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       time.Minute,
	}
	request, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Host = certifiedHost
	answer, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close() // nothing of it is read
	return answer
}

// With a certificate from files the server encrypts and sends Strict-Transport-Security, and
// it adopts a replaced certificate while it runs.
func TestServeTLSFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "desk.pem"), filepath.Join(dir, "desk.key")
	pool := selfsigned.Write(t, certifiedHost, cert, key, 1, time.Now().Add(30*config.OneDay))
	s := serving(t, nil, "--tls", "files", "--tls-cert", cert, "--tls-key", key, "--public-url", "https://"+certifiedHost)
	if !strings.HasPrefix(s.url, "https://127.0.0.1:") {
		t.Fatalf("the address is %s", s.url)
	}
	answer := secured(t, s.url+"/login", pool)
	if answer.StatusCode >= 400 || answer.ProtoMajor != 1 || answer.TLS.Version < tls.VersionTLS12 {
		t.Errorf("%s %s, TLS %x", answer.Status, answer.Proto, answer.TLS.Version)
	}
	for _, suite := range []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA, tls.TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA, tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256} {
		conn, err := tls.Dial("tcp", strings.TrimPrefix(s.url, "https://"), &tls.Config{RootCAs: pool, ServerName: certifiedHost, MaxVersion: tls.VersionTLS12, CipherSuites: []uint16{suite}})
		if (err == nil) != (suite == tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256) {
			t.Errorf("%s: %v", tls.CipherSuiteName(suite), err)
		}
		if err == nil {
			_ = conn.Close()
		}
	}
	if hsts := answer.Header.Get("Strict-Transport-Security"); !strings.HasPrefix(hsts, "max-age=") {
		t.Errorf("Strict-Transport-Security %q", hsts)
	}
	for _, cookie := range answer.Cookies() {
		if !strings.HasPrefix(cookie.Name, "__Host-") || !cookie.Secure || cookie.Path != "/" || cookie.Domain != "" {
			t.Errorf("a cookie that another server of the domain could set: %s", cookie)
		}
	}
	oldest := &tls.Config{RootCAs: pool, ServerName: certifiedHost, MaxVersion: tls.VersionTLS11} // #nosec: the server must refuse it
	if _, err := tls.Dial("tcp", strings.TrimPrefix(s.url, "https://"), oldest); err == nil {
		t.Error("TLS 1.1 is accepted")
	}
	plainOnEncryptedPort(t, strings.TrimPrefix(s.url, "https://"))
	lengthTwiceOverTLS(t, strings.TrimPrefix(s.url, "https://"), pool)

	pool = selfsigned.Write(t, certifiedHost, cert, key, 2, time.Now().Add(60*config.OneDay))
	shown := func() int64 {
		conn, err := tls.Dial("tcp", strings.TrimPrefix(s.url, "https://"), &tls.Config{InsecureSkipVerify: true}) // #nosec: it is asked which one it is
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		return conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
	}
	for wait := time.Now(); shown() != 2; {
		if time.Since(wait) > time.Minute {
			t.Fatal("the certificate is not shown after it was replaced")
		}
	}
	secured(t, s.url+"/healthz", pool)
	if took, err := s.terminated(); err != nil || took > 20*time.Second {
		t.Errorf("ended with %v after %v: %s", err, took, s.stderr)
	}
}

// Plain http on the https port is answered with the right address, and any other protocol
// is closed silently.
func plainOnEncryptedPort(t *testing.T, address string) {
	t.Helper()
	for sent, want := range map[string]string{
		"GET /commissions HTTP/1.1\r\nHost: " + certifiedHost + "\r\n\r\n":      "https://" + certifiedHost + "/",
		"POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nsome=form": "https only",
		"SSH-2.0-OpenSSH_9.9\r\n":          "",
		"\x00\x01\x02\x03\x04\x05\x06\x07": "",
	} {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, sent); err != nil {
			t.Fatal(err)
		}
		said, _ := io.ReadAll(conn) // a reset also ends the connection
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		for name := range web.PlainHeaders() {
			if want != "" && !strings.Contains(string(said), "\r\n"+name+": ") {
				t.Errorf("%.20q was answered without %s: %q", sent, name, said)
			}
		}
		if want != "" && strings.Contains(string(said), "Strict-Transport-Security") {
			t.Errorf("plain http states how long https is valid, which no client may believe: %q", said)
		}
		if want == "" && strings.Contains(string(said), "HTTP/") || want != "" && (!strings.HasPrefix(string(said), "HTTP/1.1 400 ") || !strings.Contains(string(said), want)) {
			t.Errorf("%.20q was answered with %q", sent, said)
		}
	}
}

// A request with two lengths ends its connection over TLS too, because only one side might
// read the bytes after it as another request.
func lengthTwiceOverTLS(t *testing.T, address string, pool *x509.CertPool) {
	t.Helper()
	conn, err := tls.Dial("tcp", address, &tls.Config{RootCAs: pool, ServerName: certifiedHost})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	_, err = io.WriteString(conn, "POST /login HTTP/1.1\r\nHost: "+certifiedHost+"\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"+
		"GET /healthz HTTP/1.1\r\nHost: "+certifiedHost+"\r\n\r\n")
	if err != nil {
		t.Fatal(err)
	}
	said, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(said), "HTTP/1.1 400 ") || strings.Count(string(said), "HTTP/1.1 ") != 1 {
		t.Errorf("a length in two ways was answered with %q, %v", said, err)
	}
}

// Faults of the TLS settings are reported before anything listens.
func TestTLSFaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "desk.pem"), filepath.Join(dir, "desk.key")
	selfsigned.Write(t, certifiedHost, cert, key, 1, time.Now().Add(config.OneDay))
	d := newHarness(t, nil)
	const public = "--public-url=https://" + certifiedHost
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--tls=files", public}, "TLS_CERT is not set"},
		{[]string{"--tls=files", "--tls-cert=" + cert, "--tls-key=" + key}, "PUBLIC_URL is not an https address"},
		{[]string{"--tls=files", "--tls-cert=" + key, "--tls-key=" + cert, public}, "cannot be used"},
		{[]string{"--tls=files", "--tls-cert=" + cert + "x", "--tls-key=" + key, public}, "cannot be read"},
		{[]string{"--tls=auto", "--public-url=https://192.0.2.1"}, "names no host"},
		{[]string{"--tls=auto", "--public-url=https://localhost"}, "names no host"},
	} {
		status, stdout, stderr := d.run(t.Context(), nil, append([]string{"serve", "--listen=127.0.0.1:0"}, c.args...)...)
		if status != statusUsage || stdout != "" || !strings.Contains(stderr, c.says) {
			t.Errorf("%v: status %d, stdout %q, stderr %q; want %q", c.args, status, stdout, stderr, c.says)
		}
	}
}
