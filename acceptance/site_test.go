package acceptance_test

import (
	"context"
	"net/netip"
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

// site is a server with separate users and a clock that tests set.
type site struct {
	testing.TB
	*clock
	path    string // path of the database
	store   *store.Store
	access  *access.Service
	server  *web.Server
	address string
}

const (
	longWord  = "correct horse battery staple"
	otherWord = "four quiet rivers under ice"
)

var command = access.Actor{Name: "test", Via: access.ViaCommand}

// openSite opens a site without users. It keeps the options that are given.
func openSite(t testing.TB, options web.Options) *site {
	t.Helper()
	return openSiteWith(t, options, access.Options{})
}

// openSiteWith is openSite with rules of access.
func openSiteWith(t testing.TB, options web.Options, rules access.Options) *site {
	t.Helper()
	o := &site{TB: t, clock: &clock{at: now}, path: filepath.Join(t.TempDir(), "site.db")}
	rules.Now = o.now
	o.store, o.access = newAccess(t, o.path, rules)
	t.Cleanup(func() {
		if err := o.store.Close(); err != nil {
			t.Error(err)
		}
	})
	if options.Reports == nil {
		options.Reports = sharedReports(t)
	}
	if options.Mail == nil {
		options.Mail = mail.New(mail.Options{Store: o.store, Reports: reports.New(o.store, o.now), Now: o.now})
	}
	options.Access, options.Desk, options.Collect = o.access, reports.New(o.store, o.now), nothing
	if options.Accounts != nil { // pages about accounts need the audit log
		options.Audit = options.Desk
	}
	o.address, o.server = serve(t, options)
	return o
}

// addUser adds a user with the password longWord.
func (o *site) addUser(name string, role access.Role) {
	o.Helper()
	addUser(o, o.access, name, role, longWord)
}

// visitor returns a browser without a session.
func (o *site) visitor(headers ...string) *visitor { return visit(o, o.address, headers...) }

// signedInAs returns a browser in which a user has entered the password. It is half signed in
// if the user needs a code or an authenticator.
func (o *site) signedInAs(name string) *visitor {
	o.Helper()
	v := o.visitor()
	if a := v.signIn(name, longWord); a.StatusCode != 303 {
		o.Fatalf("%s cannot sign in: status %d", name, a.StatusCode)
	}
	return v
}

// enrol adds an authenticator to a user through the pages, and returns its secret and the
// recovery codes.
func (o *site) enrol(v *visitor) (secret string, recovery []string) {
	o.Helper()
	secret = keyShown(o, v.get("/account/totp").body)
	page := v.post("/account/totp", "password", longWord, "totp", o.code(secret))
	if page.StatusCode != 200 {
		o.Fatalf("enrolling: status %d", page.StatusCode)
	}
	return secret, codesShown(page.body)
}

// code returns the code of the next time step, because a code works only once.
func (o *site) code(secret string) string {
	o.Helper()
	o.pass(30 * time.Second)
	code, err := totp.GenerateCode(secret, o.now())
	if err != nil {
		o.Fatal(err)
	}
	return code
}

// audit returns the newest lines of the audit log.
func (o *site) audit() []audit.Line {
	o.Helper()
	reader, err := o.store.Read(context.Background())
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

// keyShown returns the secret of an authenticator from the page that shows it.
func keyShown(t testing.TB, page string) string {
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

func prefixes(texts ...string) []netip.Prefix {
	var list []netip.Prefix
	for _, text := range texts {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
}
