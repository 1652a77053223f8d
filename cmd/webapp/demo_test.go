package main

import (
	"bufio"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The demo names the user to sign in as, and lets a user of this machine in with one click.
func TestDemoLetsIn(t *testing.T) {
	t.Parallel()
	command := process(t, []string{"REBATEDESK_LOG_LEVEL=error"}, "demo", "--listen", "127.0.0.1:0", "--data", t.TempDir())
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait() // the process was killed, so the error is expected
	})
	said := map[string]string{}
	for lines := bufio.NewScanner(stdout); len(said) < 3 && lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		said[name] = value
	}
	address := strings.TrimSuffix(said["url"], "/")
	if said["user"] != "demo" || len(said["password"]) < 15 || address == "" {
		t.Fatalf("the demo says %v", said)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	login := newBrowser(t).page(address + "/")
	for _, button := range []string{"Open the demo", "Open it as a trader"} {
		if !strings.Contains(login, ">"+button+"</button>") || !strings.Contains(string(readme), `"`+button+`"`) {
			t.Errorf("%q is no button of the sign-in, or README does not name it", button)
		}
	}
	for name, form := range map[string]struct {
		path   string
		fields url.Values
		as     string
	}{
		"the printed password": {"/login", url.Values{"username": {said["user"]}, "password": {said["password"]}}, "demo, admin"},
		"one press":            {"/login/demo", url.Values{}, "demo, admin"},
		"the press of traders": {"/login/demo", url.Values{"as": {"trader"}}, "trader, trader"},
	} {
		browser := newBrowser(t)
		page := browser.page(address + "/collection")
		form.fields.Set("token", tokenField.FindStringSubmatch(page)[1])
		answer, err := browser.PostForm(address+form.path, form.fields)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close() // nothing of it was read
		if page := browser.page(address + "/collection"); !strings.Contains(page, "Signed in as "+form.as) {
			t.Errorf("with %s the sign-in fails: %.300s", name, page)
		}
	}

	// The administrator of the demo sends no orders, so the ticket's place offers its trader.
	browser := newBrowser(t)
	page := browser.page(address + "/collection")
	enter := func(path string, fields url.Values) {
		fields.Set("token", tokenField.FindStringSubmatch(page)[1])
		answer, err := browser.PostForm(address+path, fields)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if page = string(body); err != nil || answer.StatusCode != 200 {
			t.Fatal(answer.Status, err)
		}
	}
	const ticket, offer = "/console/trade?kind=batch", "Sign in as the demo's trader"
	enter("/login/demo?"+url.Values{"next": {ticket}}.Encode(), url.Values{})
	found := regexp.MustCompile(`action="(/login/demo[^"]+)"`).FindStringSubmatch(page)
	if found == nil || !strings.Contains(page, offer) || strings.Contains(page, "data-ticket") {
		t.Fatalf("the administrator is not offered to sign in as the trader: %.300s", page)
	}
	enter(html.UnescapeString(found[1]), url.Values{"as": {"trader"}})
	if strings.Contains(page, offer) || !strings.Contains(page, "data-ticket") {
		t.Errorf("the trader is not at the ticket: %.300s", page)
	}
}

// browser keeps cookies and follows redirects.
type browser struct {
	testing.TB
	*http.Client
}

func newBrowser(t testing.TB) browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return browser{t, &http.Client{Jar: jar}}
}

func (b browser) page(address string) string {
	b.Helper()
	answer, err := b.Client.Get(address)
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		b.Fatal(err)
	}
	return string(body)
}
