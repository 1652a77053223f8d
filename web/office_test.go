package web_test

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

// office is a server with separate users and a separate clock, for tests of the
// sign-in.
type office struct {
	testing.TB
	*clock
	path    string // of the database
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

// openOffice opens one without users. Given options are kept.
func openOffice(t testing.TB, options web.Options) *office {
	t.Helper()
	o := &office{TB: t, clock: &clock{at: now}, path: filepath.Join(t.TempDir(), "office.db")}
	o.store, o.access = newAccess(t, o.path, access.Options{Now: o.now})
	t.Cleanup(func() {
		if err := o.store.Close(); err != nil {
			t.Error(err)
		}
	})
	if options.Reports == nil {
		options.Reports = programme(t)
	}
	if options.Mail == nil {
		options.Mail = mail.New(mail.Options{Store: o.store, Reports: reports.New(o.store, o.now), Now: o.now})
	}
	options.Access, options.Desk, options.Collect = o.access, reports.New(o.store, o.now), nothing
	if options.Accounts != nil { // it is looked after
		options.Audit = options.Desk
	}
	o.address, o.server = serve(t, options)
	return o
}

// hire adds a user with the password longWord.
func (o *office) hire(name string, role access.Role) {
	o.Helper()
	hire(o, o.access, name, role, longWord)
}

// visitor is a browser without a session.
func (o *office) visitor(headers ...string) *visitor { return visit(o, o.address, headers...) }

// enter returns a browser with a session of a user, half signed in only if a code or an
// authenticator is missing.
func (o *office) enter(name string) *visitor {
	o.Helper()
	v := o.visitor()
	if a := v.signIn(name, longWord); a.StatusCode != 303 {
		o.Fatalf("%s does not come in: status %d", name, a.StatusCode)
	}
	return v
}

// enrol gives a user an authenticator, through the pages, and returns its secret and
// the recovery codes.
func (o *office) enrol(v *visitor) (secret string, recovery []string) {
	o.Helper()
	secret = keyShown(o, v.get("/account/totp").body)
	page := v.post("/account/totp", "password", longWord, "totp", o.code(secret))
	if page.StatusCode != 200 {
		o.Fatalf("enrolling: status %d", page.StatusCode)
	}
	return secret, codesShown(page.body)
}

// code is what an authenticator shows now. The next one is of another step, as
// no code works twice.
func (o *office) code(secret string) string {
	o.Helper()
	o.pass(30 * time.Second)
	code, err := totp.GenerateCode(secret, o.now())
	if err != nil {
		o.Fatal(err)
	}
	return code
}

// audit are the newest lines of the log of audit.
func (o *office) audit() []audit.Line {
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

// keyShown returns the secret that a page shows for an authenticator.
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
