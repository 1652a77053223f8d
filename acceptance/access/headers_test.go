package access_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/web"
)

func TestHeadersOnEveryResponse(t *testing.T) {
	t.Parallel()
	healthy, _ := site.Serve(t, web.Options{Reports: site.SharedReports(t), Collect: site.Nothing})
	failing, _ := site.Serve(t, web.Options{Reports: closedReports(t)})
	panicking, _ := site.Serve(t, web.Options{Reports: panicking(t)})
	cases := []struct {
		name, method, url string
		headers           []string
		status            int
	}{
		{"overview", "GET", healthy + "/", nil, 200},
		{"overview head", "HEAD", healthy + "/", nil, 200},
		{"commissions", "GET", healthy + "/commissions", nil, 200},
		{"csv", "GET", healthy + "/commissions.csv", nil, 200},
		{"json", "GET", healthy + "/overview.json", nil, 200},
		{"csv head", "HEAD", healthy + "/overview.csv", nil, 200},
		{"collection", "GET", healthy + "/collection", nil, 200},
		{"progress", "GET", healthy + "/collection/progress", nil, 200},
		{"collect without a form", "POST", healthy + "/collection/collect", nil, 415},
		{"health", "GET", healthy + "/healthz", nil, 200},
		{"ready", "GET", healthy + "/readyz", nil, 200},
		{"not found", "GET", healthy + "/nowhere", nil, 404},
		{"static not found", "GET", healthy + "/static/app.css", nil, 404},
		{"static escape", "GET", healthy + "/static/..%2f..%2fserver.go", nil, 404},
		{"wrong method", "POST", healthy + "/commissions", nil, 405},
		{"a form opened as a page", "GET", healthy + "/collection/collect", nil, 303},
		{"a form opened by a program", "GET", healthy + "/collection/collect", []string{"Authorization", "Bearer nonsense"}, 405},
		{"delete", "DELETE", healthy + "/", nil, 405},
		{"unknown method", "BREW", healthy + "/", nil, 400},
		{"bad range", "GET", healthy + "/?range=forever", nil, 400},
		{"bad escape", "GET", healthy + "/?q=%zz", nil, 400},
		{"bad csv", "GET", healthy + "/commissions.csv?per=0", nil, 400},
		{"encoded body", "GET", healthy + "/", []string{"Content-Encoding", "gzip"}, 415},
		{"foreign host", "GET", healthy + "/", []string{"Host", "rebatedesk.example"}, 421},
		{"cross site", "POST", healthy + "/collection/collect", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"long address", "GET", healthy + "/?q=" + strings.Repeat("x", 20_000), nil, 431},
		{"failure", "GET", failing + "/", nil, 500},
		{"failed export", "GET", failing + "/commissions.csv", nil, 500},
		{"panic", "GET", panicking + "/commissions", nil, 500},
		{"panicking export", "GET", panicking + "/commissions.json", nil, 500},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a := site.Send(t, c.method, c.url, c.headers...)
			if a.StatusCode != c.status {
				t.Errorf("status %d, want %d", a.StatusCode, c.status)
			}
			site.CheckPolicy(t, a)
			if strings.Contains(a.Body, "database is closed") || strings.Contains(a.Body, "a fault of the fixture") || strings.Contains(a.Body, "goroutine") {
				t.Errorf("the answer shows internal details:\n%s", a.Body)
			}
			if c.method == http.MethodHead && a.Body != "" {
				t.Errorf("HEAD was answered with a body of %d bytes", len(a.Body))
			}
		})
	}
}

func TestStrictTransportSecurityNeedsHTTPS(t *testing.T) {
	t.Parallel()
	address, _ := site.Serve(t, web.Options{Reports: site.SharedReports(t), PublicURL: "https://desk.example"})
	if got := site.Get(t, address+"/").Header.Get("Strict-Transport-Security"); got != "max-age=31536000" {
		t.Errorf("Strict-Transport-Security: %q", got)
	}
}

// A browser finds the icon by its old name too: it asks for that beside files that it opens.
func TestIconByItsOldName(t *testing.T) {
	t.Parallel()
	address, _ := site.Serve(t, web.Options{Reports: site.SharedReports(t)})
	a := site.Get(t, address+"/favicon.ico")
	named := a.Header.Get("Location")
	if a.StatusCode != 302 || a.Header.Get("Cache-Control") != "no-store" || !slices.Contains(staticPaths(site.Get(t, address+"/").Body), named) {
		t.Fatalf("status %d, kept %q, to %q, which a page should name", a.StatusCode, a.Header.Get("Cache-Control"), named)
	}
	if got := site.Get(t, address+named).Header.Get("Content-Type"); got != "image/svg+xml" {
		t.Errorf("the icon is %q", got)
	}
}

func TestStaticFiles(t *testing.T) {
	t.Parallel()
	address, _ := site.Serve(t, web.Options{Reports: site.SharedReports(t)})
	page := site.Get(t, address+"/").Body
	wire := 0
	for _, path := range staticPaths(page) {
		plain := site.Get(t, address+path)
		if got := plain.Header.Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
			t.Errorf("%s: Cache-Control %q", path, got)
		}
		for _, encoding := range []string{"br", "gzip"} {
			a := site.Get(t, address+path, "Accept-Encoding", "zstd, "+encoding+";q=0.8")
			if got := a.Header.Get("Content-Encoding"); got != encoding {
				t.Errorf("%s: encoded %q, want %q", path, got, encoding)
			}
			if got := a.Header.Get("Vary"); got != "Accept-Encoding" {
				t.Errorf("%s: Vary %q", path, got)
			}
			if encoding == "gzip" {
				wire += len(a.Body)
			}
		}
		if got := site.Get(t, address+path, "Accept-Encoding", "br;q=0, gzip;q=0").Header.Get("Content-Encoding"); got != "" {
			t.Errorf("%s: encoded as %q for a client that accepts no encoding", path, got)
		}
	}
	wire += len(site.Get(t, address+"/", "Accept-Encoding", "gzip").Body)
	if limit := 350_000; wire > limit {
		t.Errorf("the first load of the overview is %d bytes, want at most %d", wire, limit)
	}
}
