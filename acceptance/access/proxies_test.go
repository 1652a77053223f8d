package access_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/internal/outside"
	"rebatedesk/internal/selfsigned"
	"rebatedesk/store/storetest"
	"rebatedesk/trading"
	"rebatedesk/web"
)

// exampleProxy is a proxy of deploy, as a test runs it.
type exampleProxy struct {
	name, program string
	files         []string // replaced in the example: what stands there, and what the test puts in its place
	example       string
	arguments     func(config string) []string
}

// The examples of proxies are taken by the programs they are for, as they are but for ports,
// addresses and certificates. Behind each, a user signs in over https, imports a large file, takes a
// file and reads the live console; a body that only files may have is refused elsewhere.
func TestOutsideProxies(t *testing.T) {
	t.Parallel()
	sim, client := site.StartExchange(t, simulator.Options{})
	desk := site.OpenDesk(t, trading.Options{Mode: trading.Live}, client)
	o := site.OpenSite(t, web.Options{Console: &site.ConsoleExchange{Upstream: client}, Trading: desk, PublicURL: "https://desk.example.com",
		Hosts: []string{"desk.example.com", "127.0.0.1"}, TrustedProxies: prefixes("127.0.0.0/8")})
	if sim.BaseURL == "" {
		t.Fatal("there is no exchange")
	}
	o.AddUser("theo", access.Trader)
	trader := o.SignedInAs("theo")
	o.Enrol(trader)
	o.AddUser("mia", access.Manager)
	manager := o.SignedInAs("mia")
	manager.Get("/people/import")
	address := strings.TrimPrefix(o.Address, "http://")
	port := site.FreePort(t)
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	trusted := selfsigned.Write(t, "desk.example.com", cert, key, 1, time.Now().Add(time.Hour))
	both := filepath.Join(dir, "both.pem")
	storetest.Done(t, os.WriteFile(both, bytes.Join([][]byte{read(t, cert), read(t, key)}, nil), 0o600))
	at := func() string { return "127.0.0.1:" + port }
	caddy := func(upstream string) []string {
		return []string{
			"desk.example.com {", "{\n\tadmin off\n\tauto_https disable_redirects\n\tstorage file_system " + dir + "\n}\nhttps://desk.example.com:" + port + " {\n\tbind 127.0.0.1\n\ttls " + cert + " " + key,
			upstream, strings.TrimSuffix(strings.Repeat(address+" ", strings.Count(upstream, ":")), " "),
		}
	}
	for _, p := range []exampleProxy{
		{"nginx", "nginx", []string{
			"127.0.0.1:8080", address, "listen 80;", "listen 127.0.0.1:" + site.FreePort(t) + ";", "\tlisten [::]:80;\n", "", "\tlisten [::]:443 ssl http2;\n", "", "listen 443", "listen " + at(),
			"/etc/letsencrypt/live/desk.example.com/fullchain.pem", cert, "/etc/letsencrypt/live/desk.example.com/privkey.pem", key,
		}, "nginx.conf", func(config string) []string {
			main := filepath.Join(dir, "main.conf")
			temp := ""
			for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
				temp += kind + "_temp_path " + filepath.Join(dir, kind) + ";\n"
			}
			user := ""
			if os.Getuid() == 0 {
				user = "user root;\n"
			}
			storetest.Done(t, os.WriteFile(main, []byte(user+"daemon off;\npid "+filepath.Join(dir, "nginx.pid")+";\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n"+temp+"include "+config+";\n}\n"), 0o600))
			return []string{"-p", dir, "-c", main}
		}},
		{"Caddy", "caddy", caddy("127.0.0.1:8080"), "Caddyfile", func(config string) []string {
			return []string{"run", "--config", config, "--adapter", "caddyfile"}
		}},
		{"Caddy of nodes", "caddy", caddy("node1:8080 node2:8080"), "nodes/Caddyfile", func(config string) []string {
			return []string{"run", "--config", config, "--adapter", "caddyfile"}
		}},
		{"HAProxy", "haproxy", []string{"127.0.0.1:8080", address, "bind :80", "bind 127.0.0.1:" + site.FreePort(t), "bind :443", "bind " + at(), "/etc/haproxy/desk.example.com.pem", both}, "haproxy.cfg", func(config string) []string {
			return []string{"-db", "-f", config}
		}},
	} {
		t.Run(p.name, func(t *testing.T) {
			program := outside.Program(t, p.program)
			text := string(read(t, filepath.Join("../../deploy", p.example)))
			for i := 0; i < len(p.files); i += 2 {
				if !strings.Contains(text, p.files[i]) {
					t.Fatalf("%s lacks %q", p.example, p.files[i])
				}
				text = strings.ReplaceAll(text, p.files[i], p.files[i+1])
			}
			config := filepath.Join(dir, "config-"+strings.ReplaceAll(p.name, " ", "-"))
			storetest.Done(t, os.WriteFile(config, []byte(text), 0o600))
			stop := outside.Start(t, exec.Command(program, p.arguments(config)...), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_DATA_HOME="+dir)
			defer stop()
			b := &proxied{t, at(), trusted}
			b.waits()
			b.serves(trader, manager)
		})
	}
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	storetest.Done(t, err)
	return content
}

// proxied is the desk behind a proxy.
type proxied struct {
	*testing.T
	at      string
	trusted *x509.CertPool
}

// ask sends a request to the desk by its public name.
func (p *proxied) ask(ctx context.Context, v *site.Visitor, method, path string, body io.Reader, headers ...string) *http.Response {
	p.Helper()
	request, err := http.NewRequestWithContext(ctx, method, "https://desk.example.com"+path, body)
	storetest.Done(p, err)
	if v != nil {
		request.Header.Set("Cookie", v.Cookie())
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	client := &http.Client{
		Transport: &http.Transport{
			DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, network, p.at)
			},
			TLSClientConfig: &tls.Config{RootCAs: p.trusted, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true, DisableKeepAlives: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(request)
	if err != nil {
		p.Fatalf("%s %s: %v", method, path, err)
	}
	return response
}

// waits waits until the proxy listens.
func (p *proxied) waits() {
	p.Helper()
	for deadline := time.Now().Add(site.Patience); ; time.Sleep(20 * time.Millisecond) {
		conn, err := net.Dial("tcp", p.at)
		if err == nil {
			storetest.Done(p, conn.Close())
			return
		}
		if time.Now().After(deadline) {
			p.Fatal("the proxy never listens")
		}
	}
}

// serves proves what works behind the proxy.
func (p *proxied) serves(trader, manager *site.Visitor) {
	p.Helper()
	whole := func(r *http.Response) string {
		p.Helper()
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		storetest.Done(p, err)
		return string(text)
	}
	page := p.ask(p.Context(), manager, "GET", "/people/import", nil)
	if text := whole(page); page.StatusCode != 200 || !strings.Contains(text, "</html>") || page.Header.Get("Strict-Transport-Security") == "" || page.ProtoMajor != 2 {
		p.Errorf("a page: status %d, HTTP/%d", page.StatusCode, page.ProtoMajor)
	}
	if r := p.ask(p.Context(), nil, "GET", "/commissions", nil); r.StatusCode != 303 || r.Header.Get("Location") != "/login?next=%2Fcommissions" {
		p.Errorf("without a session: status %d, to %s", r.StatusCode, r.Header.Get("Location"))
	}
	file := p.ask(p.Context(), manager, "GET", "/commissions.csv?range=all", nil)
	if text := whole(file); file.StatusCode != 200 || !strings.HasPrefix(strings.TrimPrefix(text, "\ufeff"), "deal_time") {
		p.Errorf("a file: status %d, %.60q", file.StatusCode, text)
	}

	var rows strings.Builder
	rows.WriteString("uid,name\r\n")
	for i := range 9000 {
		fmt.Fprintf(&rows, "%d,Somebody with a name of some length\r\n", 4_667_000_000+i)
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	storetest.Done(p, form.WriteField("token", manager.Token))
	part, err := form.CreateFormFile("file", "people.csv")
	storetest.Done(p, err)
	_, err = io.WriteString(part, rows.String())
	storetest.Done(p, err)
	storetest.Done(p, form.Close())
	kind, content := form.FormDataContentType(), body.Bytes()
	preview := p.ask(p.Context(), manager, "POST", "/people/import/preview", bytes.NewReader(content), "Content-Type", kind, "Origin", "https://desk.example.com", "Sec-Fetch-Site", "same-origin")
	if text := whole(preview); preview.StatusCode != 200 || !strings.Contains(text, "9,000") {
		p.Errorf("a file of %d bytes: status %d, %.300s", len(content), preview.StatusCode, site.Said(text, "answer"))
	}
	for _, path := range []string{"/rates/terms/preview", "/rates/terms"} {
		if r := p.ask(p.Context(), manager, "POST", path, bytes.NewReader(content), "Content-Type", kind, "Origin", "https://desk.example.com", "Sec-Fetch-Site", "same-origin"); r.StatusCode == 413 || r.StatusCode >= 500 {
			p.Errorf("%s: status %d", path, r.StatusCode)
		}
	}
	if r := p.ask(p.Context(), manager, "POST", "/annotations", bytes.NewReader(content), "Content-Type", "application/x-www-form-urlencoded", "Origin", "https://desk.example.com"); r.StatusCode != 413 && r.StatusCode != 502 {
		p.Errorf("a body of %d bytes without a file: status %d", len(content), r.StatusCode)
	}

	ctx, cancel := context.WithTimeout(p.Context(), site.Patience)
	defer cancel()
	live := p.ask(ctx, trader, "GET", "/console/stream?account=main&page=overview", nil, "Accept-Encoding", "gzip, deflate, br, zstd", "HX-Request", "true")
	defer live.Body.Close()
	if line, err := bufio.NewReader(live.Body).ReadString('\n'); live.StatusCode != 200 || err != nil || live.Header.Get("Content-Encoding") != "" || line == "" {
		p.Errorf("the live console: status %d, %q, %v", live.StatusCode, line, err)
	}
}
