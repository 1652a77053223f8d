package main

import (
	"bufio"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/web/admin"
)

// newcomer is a browser in front of a program that is started for the first time.
type newcomer struct {
	testing.TB
	client *http.Client
	at     string // address of the program
	token  string // that creates the first user
}

// starts starts the program and waits for its address and, before there are users, for the token.
func (n *newcomer) starts(env []string, users bool) (stop func()) {
	n.Helper()
	command := process(n, env, "serve", "--listen", "127.0.0.1:0")
	said := &transcript{}
	command.Stderr = said
	stdout, err := command.StdoutPipe()
	if err != nil {
		n.Fatal(err)
	}
	if err := command.Start(); err != nil {
		n.Fatal(err)
	}
	n.at, n.token = "", ""
	lines := bufio.NewScanner(stdout)
	for n.at == "" && lines.Scan() {
		if at, ok := strings.CutPrefix(lines.Text(), "url: "); ok {
			n.at = strings.TrimSuffix(at, "/")
		}
	}
	if n.at == "" {
		_ = command.Wait()
		n.Fatalf("serve ended: %s", said)
	}
	if !users && lines.Scan() {
		_, n.token, _ = strings.Cut(lines.Text(), "token: ")
	}
	go func() { _, _ = io.Copy(io.Discard, stdout) }()
	return func() {
		if err := command.Process.Signal(syscall.SIGTERM); err != nil {
			n.Error(err)
		}
		if err := command.Wait(); err != nil {
			n.Errorf("serve: %v, %s", err, said)
		}
	}
}

func (n *newcomer) read(answer *http.Response, err error) (status int, path, body string) {
	n.Helper()
	if err != nil {
		n.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		n.Fatal(err)
	}
	return answer.StatusCode, answer.Request.URL.RequestURI(), html.UnescapeString(string(text))
}

// page opens a page and follows where it leads.
func (n *newcomer) page(path string) string {
	n.Helper()
	status, _, body := n.read(n.client.Get(n.at + path))
	if status != http.StatusOK {
		n.Fatalf("%s: status %d", path, status)
	}
	return body
}

var (
	formOf   = regexp.MustCompile(`(?s)<form[^>]* action="([^"]*)"[^>]*>(.*?)</form>`)
	hiddenIn = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)"`)
)

// submit fills in a form of a page as a browser does, and follows where it leads.
func (n *newcomer) submit(page, action string, fields ...string) (path, body string) {
	n.Helper()
	for _, form := range formOf.FindAllStringSubmatch(page, -1) {
		if form[1] != action {
			continue
		}
		values := url.Values{}
		for _, hidden := range hiddenIn.FindAllStringSubmatch(form[2], -1) {
			values.Set(hidden[1], hidden[2])
		}
		for pair := range slices.Chunk(fields, 2) {
			values.Set(pair[0], pair[1])
		}
		request, err := http.NewRequest(http.MethodPost, n.at+action, strings.NewReader(values.Encode()))
		if err != nil {
			n.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		_, path, body = n.read(n.client.Do(request))
		return path, body
	}
	n.Fatalf("the page has no form for %s", action)
	return "", ""
}

func (n *newcomer) says(body string, words ...string) {
	n.Helper()
	for _, one := range words {
		if !strings.Contains(body, one) {
			n.Errorf("the page does not say %q", one)
		}
	}
}

// A first start with an empty database leads from the administrator to a colleague who signs in. It is
// left in between, the program is started again, and nothing is collected, stored or sent that nobody
// asked for.
func TestFirstStart(t *testing.T) {
	t.Parallel()
	d := newHarness(t, func(o *simulator.Options) { o.Now, o.Days, o.Forbidden = time.Now, 5, []string{"4.16"} })
	smtpd := newMailServer(t, nil, false)
	db := filepath.Join(t.TempDir(), "desk.db")
	env := []string{"REBATEDESK_DB=" + db, "REBATEDESK_HISTORY=5d", "REBATEDESK_RATE_BUDGET=1000000", "REBATEDESK_LOG_LEVEL=error"}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	n := &newcomer{TB: t, client: &http.Client{Jar: jar, Timeout: time.Minute}}
	stop := n.starts(env, false)

	// The administrator, and the protection of the account.
	const password = "three boats on a lake"
	first := n.page("/")
	n.says(first, "Step 1 of 7: create the first administrator")
	path, page := n.submit(first, "/setup", "setup", n.token, "username", "ada", "password", password, "repeated", password)
	if !strings.HasPrefix(path, "/account/totp") {
		t.Fatalf("the first administrator is led to %s", path)
	}
	n.says(page, "Step 2 of 7: protect your account", "Recovery codes for a lost phone follow")
	secret := strings.ReplaceAll(regexp.MustCompile(`select-all">([A-Z2-7 ]+)<`).FindStringSubmatch(page)[1], " ", "")
	code, err := totp.GenerateCode(secret, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	action := formOf.FindStringSubmatch(page[strings.Index(page, `action="/account/totp`)-30:])[1]
	_, page = n.submit(page, action, "totp", code)
	n.says(page, "Step 2 of 7: keep the recovery codes", `href="/settings/setup"`)
	if page = n.page("/collection"); strings.Contains(page, "Collect now") {
		t.Error("a collection is offered without an account")
	}
	n.says(page, "No account with a key of the exchange is in use")

	// The exchange: a key that does not work is not stored; one that works is, and its collection begins.
	page = n.page("/setup") // leads on
	n.says(page, "Step 3 of 7: connect the exchange", "Rights of the key", "Trade and withdraw: leave them off.")
	enter := func(address, secret string) string {
		path, page = n.submit(page, "/settings/accounts", "account", "main", "base_url", address, "api_key", d.sim.APIKey, "api_secret", secret, "api_passphrase", d.sim.APIPassphrase)
		if strings.Contains(page, secret) || strings.Contains(page, d.sim.APIKey) {
			t.Error("a key is shown")
		}
		return page
	}
	n.says(enter(d.sim.BaseURL, "canary-secret"), "Nothing is stored", "Signature", "enter the secret again", `value="`+d.sim.BaseURL+`"`)
	n.says(enter("localhost:1", d.sim.APISecret), "is an address of this machine", `value="localhost:1"`) // completed to https
	n.says(n.page("/invitees"), "Setup, step 3 of 7:", "Exchange.", "Put away")
	stop()
	stop = n.starts(env, true)
	page = n.page("/settings/setup")
	n.says(page, "Store and test")
	n.says(enter(d.sim.BaseURL, d.sim.APISecret), "The first collection has begun", "The key may read everything that reports need.", "Read commissions", "Read transfers", "missing", "Withdraw", "not tested")

	// Mail, with a test.
	page = n.page("/settings/setup")
	n.says(page, "Step 4 of 7: let it send mails")
	host, port, err := net.SplitHostPort(smtpd.address)
	if err != nil {
		t.Fatal(err)
	}
	_, page = n.submit(page, "/settings/mail", "host", host, "port", port, "security", "none", "from", "desk@example.com")
	n.says(page, "The mail server is stored")
	if smtpd.sent.Load() != 0 {
		t.Error("a mail went out that nobody asked for")
	}
	_, page = n.submit(page, "/settings/mail/test", "to", "ada@example.com")
	n.says(page, "The mail server took it.", "Step 4 of 7")
	if letter := string(<-smtpd.messages); !strings.Contains(letter, "ada@example.com") || !strings.Contains(letter, "desk@example.com") {
		t.Error("the test mail went to somebody else")
	}

	// Names later; a colleague by an invitation, which works once.
	page = n.page("/settings/setup")
	n.says(page, "Step 5 of 7: give invitees their names", "/people/import")
	_, page = n.submit(page, "/settings/setup/skip")
	n.says(page, "Step 6 of 7: invite a colleague", "Left for later")
	_, page = n.submit(page, "/settings/users/invite", "name", "mia", "role", "manager")
	n.says(page, "Invitation of", "It works once")
	link := regexp.MustCompile(`/invite/[A-Za-z0-9_-]+`).FindString(page)
	colleague := &newcomer{TB: t, at: n.at, client: &http.Client{Timeout: time.Minute}}
	if colleague.client.Jar, err = cookiejar.New(nil); err != nil {
		t.Fatal(err)
	}
	welcome := colleague.page(link)
	colleague.says(welcome, "Welcome, ", "mia")
	const chosen = "four trains to the sea"
	path, page = colleague.submit(welcome, link, "password", chosen, "repeated", chosen)
	if !strings.HasPrefix(path, "/login") {
		t.Fatalf("whoever accepted an invitation is led to %s: %s", path, regexp.MustCompile(`(?s)role="alert".{0,600}`).FindString(page))
	}
	if path, _ = colleague.submit(page, formOf.FindStringSubmatch(page)[1], "username", "mia", "password", chosen); path != "/" {
		t.Errorf("mia signs in and comes to %s", path)
	}
	if status, _, _ := colleague.read(colleague.client.Get(n.at + link)); status != http.StatusNotFound {
		t.Errorf("an invitation that was accepted answers with status %d", status)
	}

	// What comes now.
	page = n.page("/settings/setup")
	n.says(page, "Step 7 of 7: what comes now", "The newest days come first")
	if page := n.page("/invitees"); strings.Contains(page, "Setup, step") {
		t.Error("pages lead to a setup that is finished")
	}
	for deadline := time.Now().Add(time.Minute); !strings.Contains(n.page("/collection"), "Collect now"); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the first collection does not end within a minute")
		}
	}
	stop()
}

// What is wrong with a key or an exchange is told with its mend, in the words of a page.
func TestKeyOfPages(t *testing.T) {
	t.Parallel()
	apart := newHarness(t, func(o *simulator.Options) { o.Now = func() time.Time { return time.Now().Add(2 * time.Minute) } })
	stranger := newHarness(t, func(o *simulator.Options) { o.NotAffiliate, o.Now = true, time.Now })
	for _, c := range []struct{ name, at, key, check, hint string }{
		{"wrong clock", apart.sim.BaseURL, apart.sim.APIKey, "clock", "set the clock of this machine by NTP"},
		{"wrong key", apart.sim.BaseURL, "canary-key", "signature", "enter the key again"},
		{"no affiliate", stranger.sim.BaseURL, stranger.sim.APIKey, "read commissions", "affiliate account"},
		{"address not allowed", refusing(t, http.StatusBadRequest, `{"code":"40018","msg":"Invalid IP","data":null}`), apart.sim.APIKey, "read commissions", "allow the address of this machine"},
		{"down", "http://127.0.0.1:9", apart.sim.APIKey, "exchange", "the address of the exchange"},
	} {
		pages, form, _ := newAccountPages(t)
		form.BaseURL, form.Keys.Key = c.at, c.key
		checks, err := pages.Try(t.Context(), fromPage, form)
		if list, err := pages.List(t.Context()); err != nil || len(list) != 0 {
			t.Errorf("%s: %v, and %d accounts are stored by a test", c.name, err, len(list))
		}
		at := slices.IndexFunc(checks, func(k admin.AccountCheck) bool { return k.Name == c.check })
		if err != nil || at < 0 || checks[at].Result != admin.CheckFailed || !strings.Contains(checks[at].Hint, c.hint) || strings.Contains(checks[at].Hint, "REBATEDESK_") {
			t.Errorf("%s: %v, %+v", c.name, err, checks)
		}
	}
}
