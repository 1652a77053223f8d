// Package site opens whole servers for acceptance tests: databases that are filled once, users,
// clients, a mail server, exchanges and one Chromium for each package of tests.
// It is for tests only.
package site

import (
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"rebatedesk/access"
	"rebatedesk/mail"
	"rebatedesk/reports"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/web"
)

// Site is a server with separate users and a clock that tests set.
type Site struct {
	testing.TB
	*Clock
	Path    string // path of the database
	Store   *store.Store
	Access  *access.Service
	Server  *web.Server
	Address string
}

const (
	LongWord = "correct horse battery staple"
)

var Command = access.Actor{Name: "test", Via: access.ViaCommand}

// OpenSite opens a site without users. It keeps the options that are given.
func OpenSite(t testing.TB, options web.Options) *Site {
	t.Helper()
	return OpenSiteWith(t, options, access.Options{})
}

// OpenSiteWith is openSite with rules of access.
func OpenSiteWith(t testing.TB, options web.Options, rules access.Options) *Site {
	t.Helper()
	o := &Site{TB: t, Clock: &Clock{At: Now}, Path: filepath.Join(t.TempDir(), "site.db")}
	rules.Now = o.Now
	o.Store, o.Access = NewAccess(t, o.Path, rules)
	t.Cleanup(func() {
		if err := o.Store.Close(); err != nil {
			t.Error(err)
		}
	})
	if options.Reports == nil {
		options.Reports = SharedReports(t)
	}
	if options.Mail == nil {
		options.Mail = mail.New(mail.Options{Store: o.Store, Reports: reports.New(o.Store, o.Now), Now: o.Now})
	}
	options.Access, options.Desk, options.Collect = o.Access, reports.New(o.Store, o.Now), Nothing
	if options.Accounts != nil { // pages about accounts need the audit log
		options.Audit = options.Desk
	}
	o.Address, o.Server = Serve(t, options)
	return o
}

// AddUser adds a user with the password longWord.
func (o *Site) AddUser(name string, role access.Role) {
	o.Helper()
	AddUser(o, o.Access, name, role, LongWord)
}

// Visitor returns a browser without a session.
func (o *Site) Visitor(headers ...string) *Visitor { return Visit(o, o.Address, headers...) }

// SignedInAs returns a browser in which a user has entered the password. It is half signed in
// if the user needs a code or an authenticator.
func (o *Site) SignedInAs(name string) *Visitor {
	o.Helper()
	v := o.Visitor()
	if a := v.SignIn(name, LongWord); a.StatusCode != 303 {
		o.Fatalf("%s cannot sign in: status %d", name, a.StatusCode)
	}
	return v
}

// Enrol adds an authenticator to a user through the pages, and returns its secret and the
// recovery codes.
func (o *Site) Enrol(v *Visitor) (secret string, recovery []string) {
	o.Helper()
	secret = KeyShown(o, v.Get("/account/totp").Body)
	page := v.Post("/account/totp", "password", LongWord, "totp", o.Code(secret))
	if page.StatusCode != 200 {
		o.Fatalf("enrolling: status %d", page.StatusCode)
	}
	return secret, codesShown(page.Body)
}

// Code returns the code of the next time step, because a code works only once.
func (o *Site) Code(secret string) string {
	o.Helper()
	o.Pass(30 * time.Second)
	code, err := totp.GenerateCode(secret, o.Now())
	if err != nil {
		o.Fatal(err)
	}
	return code
}

// Audit returns the newest lines of the audit log.
func (o *Site) Audit() []audit.Line {
	o.Helper()
	reader, err := o.Store.Read(context.Background())
	if err != nil {
		o.Fatal(err)
	}
	defer reader.Close()
	page, err := audit.ReadPage(context.Background(), reader, audit.LogQuery{})
	if err != nil {
		o.Fatal(err)
	}
	return page.Lines
}

var (
	keyField     = regexp.MustCompile(`select-all">([A-Z2-7 ]+)<`)
	recoveryCode = regexp.MustCompile(`select-all">([A-Z2-7-]{19})<`)
)

// KeyShown returns the secret of an authenticator from the page that shows it.
func KeyShown(t testing.TB, page string) string {
	t.Helper()
	found := keyField.FindStringSubmatch(page)
	if found == nil {
		t.Fatal("the page shows no key for an authenticator")
	}
	return strings.ReplaceAll(found[1], " ", "")
}

func codesShown(page string) []string {
	var codes []string
	for _, found := range recoveryCode.FindAllStringSubmatch(page, -1) {
		codes = append(codes, found[1])
	}
	return codes
}
