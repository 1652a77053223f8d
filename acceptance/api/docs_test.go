package api_test

import (
	"bytes"
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/store/storetest"
	"rebatedesk/web/templates/api"
)

var curlLine = regexp.MustCompile(`curl --fail-with-body[^\n<]*`)

// Every example of the page about the interface works as it is printed, on the data of its reader.
func TestCurlExamples(t *testing.T) {
	t.Parallel()
	h := site.OpenSharedSite(t)
	a := site.Get(t, h.Address+"/docs/api")
	if a.StatusCode != http.StatusOK {
		t.Fatalf("status %d: %s", a.StatusCode, a.Body[max(0, strings.Index(a.Body, "<main")):])
	}
	page := html.UnescapeString(a.Body)
	asked := map[string]bool{}
	for _, line := range curlLine.FindAllString(page, -1) {
		address := strings.Trim(line[strings.Index(line, " '")+1:], "'")
		if asked[address] || strings.Contains(address, "/console/") { // the shared site has no exchange
			continue
		}
		asked[address] = true
		if !strings.HasPrefix(address, h.Address+"/") {
			t.Errorf("%s is not an address of the server", address)
			continue
		}
		a := site.Get(t, address)
		if a.StatusCode == http.StatusConflict && strings.HasSuffix(address, "/forecast.json") {
			continue // the history of the shared site is too short
		}
		if a.StatusCode != http.StatusOK || a.Body == "" {
			t.Errorf("%s: status %d: %.200s", line, a.StatusCode, a.Body)
		}
	}
	if len(asked) < 20 {
		t.Errorf("only %d examples", len(asked))
	}
}

// The description explains every parameter and every column of a row.
func TestDescriptionExplainsEverything(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../client/openapi.json")
	storetest.Done(t, err)
	var d struct {
		Paths map[string]map[string]struct {
			Summary, Description string
			Parameters           []struct{ Name, Description string }
			Responses            map[string]json.RawMessage
		}
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct{ Description string }
			}
			Responses map[string]struct{ Description string }
			Headers   map[string]struct{ Description string }
		}
	}
	storetest.Done(t, json.Unmarshal(text, &d))
	explained := 0
	check := func(where, name, words string) {
		explained++
		if strings.TrimSpace(words) == "" {
			t.Errorf("%s: %s has no meaning", where, name)
		}
	}
	for address, methods := range d.Paths {
		for method, o := range methods {
			check(address, method, o.Summary)
			check(address, method, o.Description)
			for _, p := range o.Parameters {
				check(address, p.Name, p.Description)
			}
		}
	}
	for name, of := range d.Components.Schemas {
		if strings.HasSuffix(name, "Row") {
			for column, property := range of.Properties {
				check(name, column, property.Description)
			}
		}
	}
	for name, of := range d.Components.Responses {
		check("responses", name, of.Description)
	}
	for name, of := range d.Components.Headers {
		check("headers", name, of.Description)
	}
	if explained < 500 {
		t.Errorf("only %d meanings", explained)
	}
	page := site.Get(t, site.OpenSharedSite(t).Address+"/docs/api").Body
	if events := regexp.MustCompile(`<td><code>([a-z]+\.?[a-z]+)</code></td><td class="min-w-60 whitespace-normal"></td>`).FindString(page); events != "" {
		t.Errorf("without a meaning: %s", events)
	}
}

// The example of verifying a signature accepts the test vector of the Standard Webhooks
// specification, and nothing else.
func TestWebhookExampleVerifies(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	const headers = `{"webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "1614265330", "webhook-signature": "v1,AAAA v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="}`
	program := api.VerifyWebhook + `
time.time = lambda: 1614265330 + 100
secret, body = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", b'{"test": 2432232314}'
headers = ` + headers + `
assert verified(secret, headers, body)
assert not verified(secret, headers, body + b" ")
assert not verified("whsec_AAAA", headers, body)
time.time = lambda: 1614265330 + 1000
assert not verified(secret, headers, body)
`
	if out, err := exec.CommandContext(t.Context(), python, "-c", program).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// Problems of every status that a caller can bring about are as described.
func TestProblemsAreAsDescribed(t *testing.T) {
	t.Parallel()
	h := site.OpenSharedSite(t)
	d := site.DescribedBy(t, site.Get(t, h.Address+"/openapi.json").Body)
	compiler := d.Compiler(t)
	for _, c := range []struct {
		path    string
		address string // in the description
		status  string
	}{
		{"/invitees/a%20b.json", "/invitees/{uid}.json", "404"}, {"/commissions.json?product=TULIPS", "/commissions.json", "400"},
		{"/commissions.csv?product=TULIPS", "/commissions.csv", "400"}, {"/commissions.xlsx?from=x", "/commissions.xlsx", "400"},
		{"/months/2026-13.json", "/months/{month}.json", "404"}, {"/commissions.json?limit=0", "/commissions.json", "400"},
		{"/commissions.json?cursor=x", "/commissions.json", "400"}, {"/statements/none/statement.pdf", "/statements/{number}/statement.pdf", "404"},
	} {
		a := site.Get(t, h.Address+c.path, "Accept", "application/json")
		if a.Header.Get("Content-Type") != "application/problem+json" || d.Paths[c.address]["get"].Responses[c.status].Ref == "" || !strings.HasPrefix(a.Status, c.status) {
			t.Errorf("%s: status %s of the type %s", c.path, a.Status, a.Header.Get("Content-Type"))
			continue
		}
		d.Check(t, compiler, site.ProblemPointer, a)
	}
}

// The files in other formats have the status, the media type and the headers that are described.
func TestFilesAreAsDescribed(t *testing.T) {
	t.Parallel()
	h := site.OpenSharedSite(t)
	d := site.DescribedBy(t, site.Get(t, h.Address+"/openapi.json").Body)
	asked := 0
	for address, methods := range d.Paths {
		o := methods["get"]
		csv, xlsx := strings.HasSuffix(address, ".csv"), strings.HasSuffix(address, ".xlsx")
		if !csv && !xlsx || strings.Contains(address, "{id}") || strings.Contains(address, "{number}") {
			continue
		}
		values := url.Values{}
		for _, p := range o.Parameters {
			if p.Name == "range" {
				values.Set("range", "7d")
			}
		}
		a := site.Get(t, h.At(strings.NewReplacer("{uid}", ":uid", "{month}", "2026-10").Replace(address))+"?"+values.Encode())
		media, _, _ := strings.Cut(a.Header.Get("Content-Type"), ";")
		_, described := o.Responses["200"].Content[media]
		if a.StatusCode == http.StatusConflict && o.Responses["409"].Ref != "" {
			continue
		}
		begins := !xlsx || bytes.HasPrefix([]byte(a.Body), []byte("PK\x03\x04"))
		tagged := o.Responses["304"].Ref != ""
		if a.StatusCode != http.StatusOK || !described || !begins || tagged != (a.Header.Get("ETag") != "") || !strings.HasPrefix(a.Header.Get("Content-Disposition"), "attachment;") {
			t.Errorf("%s: status %d, %s, tag %q, %.100q", address, a.StatusCode, media, a.Header.Get("ETag"), a.Body)
		}
		asked++
	}
	if asked < 20 {
		t.Errorf("only %d files", asked)
	}
}
