package main

import (
	"bufio"
	"html"
	"io"
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

	"rebatedesk/exchange/simulator"
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

// A first start with an empty database leads from the administrator to the first summary. It is
// left in between, the program is started again, and nothing is collected or sent that nobody
// asked for.
func TestFirstStart(t *testing.T) {
	t.Parallel()
	d := newHarness(t, func(o *simulator.Options) { o.Now, o.Days, o.Forbidden = time.Now, 5, []string{"4.16"} })
	smtpd := newMailServer(t, nil, false)
	db := filepath.Join(t.TempDir(), "desk.db")
	env := []string{"REBATEDESK_DB=" + db, "REBATEDESK_HISTORY=5d", "REBATEDESK_RATE_BUDGET=1000000", "REBATEDESK_LOG_LEVEL=error",
		"REBATEDESK_SMTP_URL=smtp://" + smtpd.address + "?tls=none", "REBATEDESK_MAIL_FROM=desk@example.com"}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	n := &newcomer{TB: t, client: &http.Client{Jar: jar, Timeout: time.Minute}}
	stop := n.starts(env, false)

	// The administrator.
	const password = "three boats on a lake"
	first := n.page("/")
	n.says(first, "Create the first administrator", "step 1 of 5")
	path, page := n.submit(first, "/setup", "setup", n.token, "username", "ada", "password", password, "repeated", password)
	if !strings.HasPrefix(path, "/account/totp") {
		t.Fatalf("the first administrator is led to %s", path)
	}
	secret := strings.ReplaceAll(regexp.MustCompile(`select-all">([A-Z2-7 ]+)<`).FindStringSubmatch(page)[1], " ", "")
	code, err := totp.GenerateCode(secret, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	action := formOf.FindStringSubmatch(page[strings.Index(page, `action="/account/totp`)-30:])[1]
	_, page = n.submit(page, action, "totp", code)
	n.says(page, `href="/settings/setup"`)
	if page = n.page("/collection"); strings.Contains(page, "Collect now") {
		t.Error("a collection is offered without an account")
	}
	n.says(page, "No account with a key of the exchange is in use")

	// The key: a wrong one, another start of the program, and the right one.
	page = n.page("/setup") // leads on
	n.says(page, "Rights of the key", "Trade and withdraw: leave them off.")
	path, page = n.submit(page, "/settings/accounts", "account", "main", "base_url", d.sim.BaseURL, "api_key", d.sim.APIKey, "api_secret", "canary-secret", "api_passphrase", d.sim.APIPassphrase)
	if !strings.HasPrefix(path, "/settings/setup?") || strings.Contains(page, "canary-secret") || strings.Contains(page, d.sim.APIKey) {
		t.Fatalf("the stored key leads to %s, or is shown", path)
	}
	_, page = n.submit(page, "/settings/accounts/test")
	n.says(page, "Signature", "enter the secret again", "does not suffice yet")
	n.says(n.page("/invitees"), "Setup:", "Next: Exchange key")
	stop()
	stop = n.starts(env, true)
	page = n.page("/settings/setup")
	n.says(page, "Test the key")
	_, page = n.submit(page, "/settings/accounts/rotate", "api_key", d.sim.APIKey, "api_secret", d.sim.APISecret, "api_passphrase", d.sim.APIPassphrase)
	_, page = n.submit(page, "/settings/accounts/test")
	n.says(page, "The key may read everything that reports need.", "Read commissions", "Read transfers", "missing", "Withdraw", "not tested")

	// The first collection begins when it is asked for.
	page = n.page("/settings/setup?step=collect")
	n.says(page, "Start the first collection")
	n.says(n.page("/"), "Not collected yet")
	_, page = n.submit(page, "/settings/setup/collect")
	for deadline := time.Now().Add(time.Minute); !strings.Contains(page, "The whole history is read."); page = n.page("/settings/setup?step=collect") {
		if time.Now().After(deadline) {
			t.Fatal("the first collection does not end within a minute")
		}
		time.Sleep(50 * time.Millisecond)
	}

	n.says(n.page("/collection"), "Collect now")

	// The mail server and the first summary.
	_, page = n.submit(n.page("/settings/setup?step=mail"), "/settings/setup/mail")
	n.says(page, "answers, and accepts the sign-in")
	_, page = n.submit(n.page("/settings/setup"), "/summaries", "name", "Morning", "every", "daily", "at", "07:00", "recipients", "boss@example.com")
	n.says(page, "The setup is finished.", "Preview and test mail")
	if smtpd.sent.Load() != 0 {
		t.Error("a mail went out that nobody asked for")
	}
	preview := n.page("/summaries/1/preview")
	_, page = n.submit(preview, "/summaries/1/test", "to", "ada@example.com")
	n.says(page, "Sent: the mail server accepted it.")
	if letter := string(<-smtpd.messages); !strings.Contains(letter, "ada@example.com") {
		t.Error("the test mail went to somebody else")
	}
	if page := n.page("/invitees"); strings.Contains(page, "Setup:") {
		t.Error("pages lead to a setup that is finished")
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
		form.BaseURL, form.Keys.Key, form.Idle = c.at, c.key, true
		if err := pages.Add(t.Context(), fromPage, form); err != nil {
			t.Fatal(err)
		}
		if len(pages.Names()) != 0 {
			t.Errorf("%s: an account that waits is collected for", c.name)
		}
		checks, err := pages.Test(t.Context(), fromPage, "main")
		at := slices.IndexFunc(checks, func(k admin.AccountCheck) bool { return k.Name == c.check })
		if err != nil || at < 0 || checks[at].Result != admin.CheckFailed || !strings.Contains(checks[at].Hint, c.hint) || strings.Contains(checks[at].Hint, "REBATEDESK_") {
			t.Errorf("%s: %v, %+v", c.name, err, checks)
		}
	}
}
