package mails_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/mail"
	"rebatedesk/mail/mailer"
	"rebatedesk/reports"
	"rebatedesk/secret"
	"rebatedesk/web"
)

// openServerSite opens a site whose settings have some of the mail server, with an administrator who
// proved to be present, and a manager.
func openServerSite(t *testing.T, set mailer.Server) (o *site.Site, mails *mail.Service, ada, mia *site.Visitor) {
	t.Helper()
	o = &site.Site{TB: t, Clock: &site.Clock{At: site.Now}, Path: filepath.Join(t.TempDir(), "server.db")}
	o.Store, o.Access = site.NewAccess(t, o.Path, access.Options{Now: o.Now})
	t.Cleanup(func() {
		if err := o.Store.Close(); err != nil {
			t.Error(err)
		}
	})
	service := reports.New(o.Store, o.Now)
	mails = mail.New(mail.Options{Store: o.Store, Reports: service, Now: o.Now, Box: secret.NewKey().Box(), Server: set})
	o.Address, o.Server = site.Serve(t, web.Options{Reports: service, Access: o.Access, Desk: service, Collect: site.Nothing, Mail: mails, Accounts: &site.ExchangeAccounts{}})
	o.AddUser("ada", access.Admin)
	o.AddUser("mia", access.Manager)
	ada = o.SignedInAs("ada")
	o.Enrol(ada)
	return o, mails, ada, o.SignedInAs("mia")
}

var refusal = regexp.MustCompile(`(?s)<(?:p|div)[^>]*(?:text-error|role="alert"|role="status")[^>]*>(.*?)</(?:p|div)>`)

// refusals are what a page says about a form, for people who read a failed test.
func refusals(page string) (said []string) {
	for _, one := range refusal.FindAllStringSubmatch(page, -1) {
		said = append(said, strings.TrimSpace(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(one[1], " ")))
	}
	return said
}

const mailPath = "/settings/mail"

// entered are the fields of a mail server, with some of them changed.
func entered(page string, box *site.MailServer, changed ...string) []string {
	_, form, _ := strings.Cut(page, `<form method="post" action="`+mailPath+`"`) // another form is that of the providers
	fields := []string{"version", site.VersionOf(`action="`+mailPath+`"`+form, mailPath), "host", "127.0.0.1", "port", strconv.Itoa(box.Server.Port), "security", "none", "from", "Desk <desk@example.com>"}
	return append(fields, changed...)
}

// A mail server that an administrator enters is used from the next message on, without a restart. A test
// says what became of it, in words for the fields of the page; the password is sealed and never shown.
func TestServerEnteredInThePages(t *testing.T) {
	t.Parallel()
	o, mails, ada, mia := openServerSite(t, mailer.Server{})
	box := site.OpenMailServer(t)
	if a := mia.Get(mailPath); a.StatusCode != 404 && a.StatusCode != 403 {
		t.Errorf("a manager sees the mail server: status %d", a.StatusCode)
	}
	if page := ada.Get("/summaries").Body; !strings.Contains(page, `href="/settings/mail"`) {
		t.Error("the page of the schedules does not say where a mail server is entered")
	}
	page := ada.Get(mailPath).Body
	if !strings.Contains(page, "Store a mail server first.") {
		t.Error("a test is offered without a server")
	}
	if a := ada.Post(mailPath, entered(page, box, "user", "desk", "password", "canary-password")...); a.StatusCode != 303 {
		t.Fatalf("the server is not stored: status %d, %s", a.StatusCode, refusals(a.Body))
	}
	page = ada.Get(mailPath).Body
	if strings.Contains(page, "canary-password") || !strings.Contains(page, "One is stored, sealed.") {
		t.Error("the page shows the password, or does not say that there is one")
	}
	var raw []byte
	r, err := o.Store.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := r.QueryRowContext(t.Context(), `SELECT password FROM mail_server`).Scan(&raw); err != nil || len(raw) == 0 || strings.Contains(string(raw), "canary") {
		t.Errorf("the password is stored as %q, %v", raw, err)
	}
	r.Close()
	// The test server knows no way to sign in: the user is told, and the password is not.
	a := ada.Post(mailPath+"/test", "to", "ada@example.com")
	if !strings.Contains(a.Body, "It could not be sent.") || !strings.Contains(a.Body, "check user and password") || strings.Contains(a.Body, "SMTP_URL") || strings.Contains(a.Body, "canary") {
		t.Errorf("a refused sign-in: %s", refusals(a.Body))
	}
	// Another server does not get the stored password.
	if a := ada.Post(mailPath, entered(page, box, "host", "localhost", "user", "desk")...); a.StatusCode != 400 || !strings.Contains(a.Body, "Enter the password") {
		t.Errorf("the stored password goes to another server: status %d", a.StatusCode)
	}
	if a := ada.Post(mailPath, entered(page, box)...); a.StatusCode != 303 {
		t.Fatalf("a server without a sign-in: status %d, %s", a.StatusCode, refusals(a.Body))
	}
	a = ada.Post(mailPath+"/test", "to", "ada@example.com")
	if letters := box.Letters(); !strings.Contains(a.Body, "The mail server took it.") || len(letters) != 1 || letters[0].To != "ada@example.com" || !strings.Contains(letters[0].Content, "desk@example.com") {
		t.Errorf("the test: %s, and the server has %+v", refusals(a.Body), letters)
	}
	if a := ada.Post(mailPath+"/test", "to", "nobody@example.com"); !strings.Contains(a.Body, "check the address of the recipient") || !strings.Contains(a.Body, "no such mailbox") {
		t.Errorf("a refused recipient: %s", refusals(a.Body))
	}
	if a := ada.Post(mailPath+"/test", "to", "nonsense"); a.StatusCode != 400 || !strings.Contains(a.Body, "is no mail address") {
		t.Errorf("no address: status %d", a.StatusCode)
	}
	if a := mia.Post(mailPath+"/test", "to", "mia@example.com"); a.StatusCode != 403 && a.StatusCode != 404 {
		t.Errorf("a manager tests the server: status %d", a.StatusCode)
	}
	if server, from, err := mails.Via(t.Context()); err != nil || server != fmt.Sprint("127.0.0.1:", box.Server.Port) || from != "Desk <desk@example.com>" {
		t.Errorf("mails go by %s as %s, %v", server, from, err)
	}
	actions := map[string]int{}
	for _, line := range o.Audit() {
		actions[line.Action]++
		if strings.Contains(line.Detail+line.Object, "canary") {
			t.Errorf("the audit log has the password: %+v", line)
		}
	}
	if actions["mail server set"] != 2 || actions["mail server tested"] != 3 {
		t.Errorf("the audit log has %v", actions)
	}
	// Two administrators at once: the second sees what the first stored.
	if a := ada.Post(mailPath, entered(page, box)...); a.StatusCode != 409 || !strings.Contains(a.Body, "Somebody else changed the mail server") {
		t.Errorf("an older page: status %d", a.StatusCode)
	}
	page = ada.Get(mailPath).Body
	if a := ada.Post(mailPath+"/remove", entered(page, box)...); a.StatusCode != 303 {
		t.Errorf("removing it: status %d, %s", a.StatusCode, refusals(a.Body))
	}
	if a := ada.Post(mailPath+"/test", "to", "ada@example.com"); !strings.Contains(a.Body, "There is no mail server yet.") || len(box.Letters()) != 1 {
		t.Error("a removed server is used")
	}
}

// What is entered wrong is told at its field, and nothing is stored.
func TestServerRefused(t *testing.T) {
	t.Parallel()
	_, mails, ada, _ := openServerSite(t, mailer.Server{})
	box := site.OpenMailServer(t)
	page := ada.Get(mailPath + "?provider=gmail").Body
	for _, filled := range []string{`value="smtp.gmail.com"`, `value="587"`, "app password"} {
		if !strings.Contains(page, filled) {
			t.Errorf("a provider does not fill in %s", filled)
		}
	}
	for _, c := range []struct{ field, value, says string }{
		{"port", "0", "Give the port"}, {"port", "x", "Give the port"}, {"host", "", "name of the mail server"}, {"host", "smtp://example.com", "name of the mail server"},
		{"security", "maybe", "ways of encryption"}, {"from", "Desk", "not a mail address"}, {"hello", "desk example", "no name of a host"},
		{"password", "x", "Give the user"}, {"security", "mandatory", "address of this machine"}, {"host", "10.0.0.8", "only a mail server on this machine"},
	} {
		a := ada.Post(mailPath, entered(page, box, c.field, c.value)...)
		if a.StatusCode != 400 || !strings.Contains(a.Body, c.says) {
			t.Errorf("%s %q: status %d, and the page does not say %q", c.field, c.value, a.StatusCode, c.says)
		}
	}
	if server, _, err := mails.Via(t.Context()); err != nil || server != "" {
		t.Errorf("a refused server is used: %s, %v", server, err)
	}
}

// A mail server of the settings wins, says where it was set, and cannot be changed in the pages.
func TestServerOfTheSettingsWins(t *testing.T) {
	t.Parallel()
	box := site.OpenMailServer(t)
	_, mails, ada, _ := openServerSite(t, box.Server)
	page := ada.Get(mailPath).Body
	if !strings.Contains(page, "set by SMTP_URL in the settings of the server") || strings.Contains(page, `name="host"`) {
		t.Error("the page does not say that the settings have the mail server, or offers another one")
	}
	if a := ada.Post(mailPath, append(entered(page, box), "version", "0", "host", "localhost")...); a.StatusCode != 400 || !strings.Contains(a.Body, "can only be changed there") {
		t.Errorf("it is changed in the pages: status %d", a.StatusCode)
	}
	if server, _, err := mails.Via(t.Context()); err != nil || server != box.Server.String() {
		t.Errorf("mails go by %s, %v", server, err)
	}
	if a := ada.Post(mailPath+"/test", "to", "ada@example.com"); !strings.Contains(a.Body, "The mail server took it.") || len(box.Letters()) != 1 {
		t.Errorf("the test: %s", refusals(a.Body))
	}
}

// The page of the mail server is right in all its looks: empty, filled in, and after a test that failed.
func TestBrowserMailServer(t *testing.T) {
	t.Parallel()
	o, _, ada, _ := openServerSite(t, mailer.Server{})
	box := site.OpenMailServer(t)
	b := site.OpenApart(t, o.Address+"/login", site.Desktop)
	b.EnterAs(ada, o.Address)
	b.Goes(o.Address + mailPath + "?provider=fastmail")
	b.Until(`document.querySelector("[name=host]").value === "smtp.fastmail.com" && document.querySelector("[name=security]").value === "tls"`)
	b.Looks("settings-mail")
	if a := ada.Post(mailPath, entered(ada.Get(mailPath).Body, box)...); a.StatusCode != 303 {
		t.Fatalf("the server is not stored: status %d, %s", a.StatusCode, refusals(a.Body))
	}
	b.Goes(o.Address + mailPath)
	b.Fill("to", "nobody@example.com")
	b.Submit("[name=to]")
	b.Until(`document.body.innerText.includes("It could not be sent.")`)
	b.Looks("settings-mail-failed")
}
