package access_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/store"
	"rebatedesk/web"
	"rebatedesk/web/admin"
)

// faultAt returns the error that a page shows at a field.
func faultAt(page, id string) string {
	found := regexp.MustCompile(`id="` + id + `-said"[^>]*><p class="text-error[^"]*">([^<]*)<`).FindStringSubmatch(page)
	if found == nil {
		return ""
	}
	return found[1]
}

const shortWord = "lantern brook"

func TestSettingsAddUser(t *testing.T) {
	t.Parallel()
	b := site.OpenAdminSite(t)
	b.AddUser("vera", access.Viewer)
	b.Ada.Get("/settings/users")
	for _, c := range []struct {
		name, role, password, repeated string
		field, says                    string
	}{
		{"", "viewer", site.LongWord, site.LongWord, "new-name", "is empty"},
		{"two words", "viewer", site.LongWord, site.LongWord, "new-name", "letters, digits"},
		{"VERA", "viewer", site.LongWord, site.LongWord, "new-name", "already"},
		{"zoe", "owner", site.LongWord, site.LongWord, "new-role", "There is no role"},
		{"zoe", "admin", shortWord, shortWord, "new-password", "shorter than 15"},
		{"zoe", "viewer", "password1234", "password1234", "new-password", "tried first"},
		{"zoe", "viewer", "her name is zoe", "her name is zoe", "new-password", "contains the user name"},
		{"zoe", "viewer", site.LongWord, otherWord, "new-repeated", "differ"},
	} {
		a := b.Ada.Post("/settings/users", "name", c.name, "role", c.role, "password", c.password, "repeated", c.repeated)
		if got := faultAt(a.Body, c.field); a.StatusCode != 400 || !strings.Contains(got, c.says) {
			t.Errorf("%q, %s, %q: status %d, and the error at %s is %q", c.name, c.role, c.password, a.StatusCode, c.field, got)
		}
		if strings.Contains(a.Body, c.password) {
			t.Errorf("the page repeats the password %q", c.password)
		}
		if c.name != "" && !strings.Contains(a.Body, `value="`+c.name+`"`) {
			t.Errorf("the form loses the name %q", c.name)
		}
	}
	if users, err := b.Access.Users(context.Background()); err != nil || len(users) != 2 {
		t.Errorf("after refused forms there are %d users (%v)", len(users), err)
	}
	a := b.Ada.Post("/settings/users", "name", "zoe", "role", "manager", "password", site.LongWord, "repeated", site.LongWord)
	if a.StatusCode != 303 || a.Header.Get("Location") != "/settings/users?done=added" {
		t.Fatalf("status %d, to %s", a.StatusCode, a.Header.Get("Location"))
	}
	if a := b.Ada.Get("/settings/users?done=added"); !strings.Contains(a.Body, "The user is added") || !strings.Contains(a.Body, ">zoe<") {
		t.Error("the list does not show the new user")
	}
	if !b.Recorded("user added", "zoe") || !b.SignedInAs("zoe").In() {
		t.Error("the new user is not in the log, or cannot sign in")
	}
}

// Every change of a user ends this user's sessions at once.
func TestSettingsChangeUser(t *testing.T) {
	t.Parallel()
	b := site.OpenAdminSite(t)
	b.AddUser("vera", access.Viewer)
	changes := []struct {
		form, action string
		fields       []string
		after        func() bool
	}{
		{"role", "role changed", []string{"role", "manager"}, func() bool { return b.User("vera").Role == access.Manager }},
		{"password", "password set", []string{"password", otherWord, "repeated", otherWord}, func() bool { return b.Visitor().SignIn("vera", otherWord).StatusCode == 303 }},
		{"password", "password set", []string{"password", site.LongWord, "repeated", site.LongWord}, func() bool { return b.SignedInAs("vera").In() }},
		{"reset-codes", "authenticator reset", nil, func() bool { return !b.User("vera").HasTOTP && b.SignedInAs("vera").In() }},
		{"disable", "user disabled", nil, func() bool { return b.Visitor().SignIn("vera", site.LongWord).StatusCode == 401 }},
		{"enable", "user enabled", nil, func() bool { return b.SignedInAs("vera").In() }},
	}
	for _, c := range changes {
		var vera *site.Visitor
		if c.form != "enable" && !(c.action == "password set" && c.fields[1] == site.LongWord) {
			vera = b.SignedInAs("vera")
		}
		if c.form == "reset-codes" {
			b.Enrol(vera)
		}
		a := b.Change("vera", c.form, c.fields...)
		if a.StatusCode != 303 || !strings.HasPrefix(a.Header.Get("Location"), b.Page("vera")+"?done=") {
			t.Errorf("%s: status %d, to %q", c.form, a.StatusCode, a.Header.Get("Location"))
			continue
		}
		if vera != nil && vera.In() {
			t.Errorf("%s: the session still works", c.form)
		}
		if !b.Recorded(c.action, "vera") || !c.after() {
			t.Errorf("%s: recorded: %v, or the change was not made", c.form, b.Recorded(c.action, "vera"))
		}
		if page := b.Ada.Get(a.Header.Get("Location")); page.StatusCode != 200 || !strings.Contains(page.Body, `role="status"`) {
			t.Errorf("%s: the page does not confirm the change", c.form)
		}
	}
}

func TestSettingsRefuseChanges(t *testing.T) {
	t.Parallel()
	b := site.OpenAdminSite(t)
	site.AddUser(b, b.Access, "vera", access.Viewer, shortWord)
	for _, c := range []struct {
		name, form, field, says string
		fields                  []string
	}{
		{"vera", "role", "change-role", "has to be changed first", []string{"role", "admin"}},
		{"vera", "role", "change-role", "There is no role", []string{"role", "king"}},
		{"vera", "password", "set-password", "shorter than 12", []string{"password", "short", "repeated", "short"}},
		{"vera", "password", "set-repeated", "differ", []string{"password", site.LongWord, "repeated", otherWord}},
		{"ada", "role", "change-role", "last admin", []string{"role", "viewer"}},
		{"ada", "disable", "", "last admin", nil},
		{"ada", "password", "", "your own", []string{"password", otherWord, "repeated", otherWord}},
		{"ada", "reset-codes", "", "your own", nil},
	} {
		a := b.Change(c.name, c.form, c.fields...)
		said := faultAt(a.Body, c.field)
		if c.field == "" {
			_, said, _ = strings.Cut(a.Body, `role="alert"><svg`)
		}
		if a.StatusCode != 400 || !strings.Contains(said, c.says) {
			t.Errorf("%s of %s: status %d, said %.300q", c.form, c.name, a.StatusCode, said)
		}
		if !strings.Contains(a.Body, ` open>`) {
			t.Errorf("%s of %s: its section is folded", c.form, c.name)
		}
	}
	if u := b.User("ada"); u.Role != access.Admin || u.Disabled || !u.HasTOTP || !b.Ada.In() {
		t.Errorf("the last administrator is now %+v", u)
	}
	for _, path := range []string{"/settings/users/999", "/settings/users/x", "/settings/users/-1"} {
		if a := b.Ada.Get(path); a.StatusCode != 404 {
			t.Errorf("%s: status %d", path, a.StatusCode)
		}
		if a := b.Ada.Post(path+"/disable", "version", "1"); a.StatusCode != 404 {
			t.Errorf("POST %s/disable: status %d", path, a.StatusCode)
		}
	}
}

func TestSettingsRevoke(t *testing.T) {
	t.Parallel()
	b := site.OpenAdminSite(t)
	b.AddUser("mia", access.Manager)
	mia := b.SignedInAs("mia")
	text, token, err := b.Access.CreateToken(context.Background(), site.Command, access.NewToken{User: "mia", Name: `<img src=x onerror=alert(1)>`, Scopes: []access.Scope{access.ScopeRead}})
	if err != nil {
		t.Fatal(err)
	}
	program := b.Visitor("Authorization", "Bearer "+text)
	if !program.In() {
		t.Fatal("the token does not work")
	}
	page := b.Ada.Get("/settings/tokens")
	if strings.Contains(page.Body, "<img src=x") || !strings.Contains(page.Body, "&lt;img src=x") {
		t.Error("the name of a token is not shown as text")
	}
	if strings.Contains(page.Body, text) || strings.Contains(page.Body, text[4:]) {
		t.Error("the page shows the token itself")
	}
	if a := b.Ada.Post(fmt.Sprintf("/settings/tokens/%d/revoke", token.ID)); a.StatusCode != 303 || program.In() {
		t.Errorf("revoking: status %d, and the token works: %v", a.StatusCode, program.In())
	}
	if page := b.Ada.Get("/settings/tokens"); !strings.Contains(page.Body, ">revoked ") {
		t.Error("a revoked token is not shown as revoked")
	}
	sessions, err := b.Access.Sessions(context.Background(), "mia")
	if err != nil || len(sessions) != 1 {
		t.Fatalf("%v %v", sessions, err)
	}
	if page := b.Ada.Get("/settings/sessions"); strings.Contains(page.Body, mia.Secret()) || !strings.Contains(page.Body, "this one") {
		t.Error("the page shows a secret, or does not mark its own session")
	}
	if a := b.Ada.Post(fmt.Sprintf("/settings/sessions/%d/revoke", sessions[0].ID)); a.StatusCode != 303 || mia.In() {
		t.Errorf("ending: status %d, and the session works: %v", a.StatusCode, mia.In())
	}
	if !b.Recorded("token revoked", "mia") || !b.Recorded("session revoked", "mia") {
		t.Errorf("the log does not show it: %+v", b.Audit()[:3])
	}
}

func TestSettingsAccounts(t *testing.T) {
	t.Parallel()
	b := site.OpenAdminSite(t)
	b.Ada.Get("/settings/accounts")
	secrets := []string{"canary-key", "canary-secret", "canary-phrase", "canary-trading"}
	form := []string{"account", "new", "base_url", "https://api.example.com", "api_version", "v3", "locale", "de-DE",
		"api_key", secrets[0], "api_secret", secrets[1], "api_passphrase", secrets[2], "trading_api_key", secrets[3], "version", "1"}
	b.Accounts.Err = errors.Join(store.RefuseAt("base_url", "This is odd."), store.RefuseAt("trading_api_secret", "This is not given."))
	a := b.Ada.Post("/settings/accounts", form...)
	if a.StatusCode != 400 || faultAt(a.Body, "new-base_url") != "This is odd." || faultAt(a.Body, "new-trading_api_secret") != "This is not given." {
		t.Errorf("status %d, and the errors at the fields are %q, %q", a.StatusCode, faultAt(a.Body, "new-base_url"), faultAt(a.Body, "new-trading_api_secret"))
	}
	for _, kept := range []string{`value="new"`, `value="https://api.example.com"`, `value="v3"`, `value="de-DE"`} {
		if !strings.Contains(a.Body, kept) {
			t.Errorf("%s is lost", kept)
		}
	}
	pages := a.Body
	b.Accounts.Err = &store.RuleError{Problem: "There is an account called “new” already."}
	a = b.Ada.Post("/settings/accounts", form...)
	if !strings.Contains(faultAt(a.Body, "new-account"), "already") {
		t.Error("a name that exists is not reported at its field")
	}
	pages += a.Body
	a = b.Ada.Post("/settings/accounts/rotate", "account", "asia", "api_key", secrets[0], "version", site.VersionOf(a.Body, "/settings/accounts/rotate"))
	if a.StatusCode != 400 || !strings.Contains(faultAt(a.Body, "account-1-api_key"), "already") || faultAt(a.Body, "account-2-api_key") != "" {
		t.Errorf("rotating: status %d, and the error is not at its account", a.StatusCode)
	}
	pages += a.Body
	b.Accounts.Err = nil
	for _, c := range []struct{ path, done string }{
		{"", "account"}, {"/rotate", "rotated"}, {"/disable", "unused"}, {"/enable", "used"},
	} {
		if a := b.Ada.Post("/settings/accounts"+c.path, form...); a.StatusCode != 303 || a.Header.Get("Location") != "/settings/accounts?done="+c.done {
			t.Errorf("%s: status %d to %s", c.path, a.StatusCode, a.Header.Get("Location"))
		}
	}
	if f := b.Accounts.Form; f.Keys != (admin.AccountKey{Key: secrets[0], Secret: secrets[1], Passphrase: secrets[2]}) || f.TradingKeys.Key != secrets[3] {
		t.Errorf("the keys arrive as %+v", f)
	}
	a = b.Ada.Post("/settings/accounts/test", "account", "asia")
	for _, said := range []string{"What the test found", "answers within 84 ms", "sign signature error", "What helps: enter key, secret"} {
		if !strings.Contains(a.Body, said) {
			t.Errorf("the test does not say %q", said)
		}
	}
	for _, secret := range secrets {
		if strings.Contains(pages+a.Body, secret) {
			t.Errorf("a page shows %s", secret)
		}
	}
	if strings.Contains(pages, "<i>old") {
		t.Error("the name of an account is not shown as text")
	}
	if want := "ada by session from 127.0.0.1 disable new false"; !strings.Contains(strings.Join(b.Accounts.Asked, "\n"), want) {
		t.Errorf("the calls are %q, want %q among them", b.Accounts.Asked, want)
	}
}

func TestSettingsBackups(t *testing.T) {
	t.Parallel()
	b := site.OpenAdminSite(t)
	b.BackupService.Wait = make(chan struct{})
	if a := b.Ada.Get("/settings/backups"); !strings.Contains(a.Body, "No backup has been made") || !strings.Contains(a.Body, "14 backups kept") {
		t.Errorf("status %d, and the page does not say that there are no accounts", a.StatusCode)
	}
	for range 2 { // two clicks make one backup
		if a := b.Ada.Post("/settings/backups/make"); a.StatusCode != 303 {
			t.Fatalf("status %d", a.StatusCode)
		}
	}
	if a := b.Ada.Get("/settings/backups"); !strings.Contains(a.Body, "A backup is being made") || strings.Contains(a.Body, "Back up now") {
		t.Error("a running backup is not shown, or another one is offered")
	}
	close(b.BackupService.Wait)
	page := b.Ada.Until("/settings/backups", "restores</span>")
	if b.BackupService.Made != 1 || !strings.Contains(page, "desk-20261120T140501Z.db") {
		t.Errorf("%d backups were made", b.BackupService.Made)
	}
	if !b.Recorded("back up now", "") {
		t.Error("the log does not name the user who started the backup")
	}
	b.BackupService.Keep = -1
	if a := b.Ada.Get("/settings/backups"); !strings.Contains(a.Body, "BACKUP_KEEP is 0") || strings.Contains(a.Body, "Back up now") {
		t.Error("a backup is offered although none are kept")
	}
}

// A server without an optional part has no pages about it.
func TestSettingsWithoutParts(t *testing.T) {
	t.Parallel()
	o := site.OpenSite(t, web.Options{})
	o.AddUser("ada", access.Admin)
	ada := o.SignedInAs("ada")
	o.Enrol(ada)
	if a := ada.Get("/settings"); a.StatusCode != 303 || a.Header.Get("Location") != "/settings/users" {
		t.Errorf("/settings: status %d to %q", a.StatusCode, a.Header.Get("Location"))
	}
	page := ada.Get("/settings/users")
	for _, path := range []string{"/settings/accounts", "/settings/audit", "/settings/audit.csv", "/settings/backups"} {
		if a := ada.Get(path); a.StatusCode != http.StatusNotFound || strings.Contains(page.Body, `href="`+path+`"`) {
			t.Errorf("%s: status %d, and the page is linked: %v", path, a.StatusCode, strings.Contains(page.Body, `href="`+path+`"`))
		}
	}
	o.AddUser("vera", access.Viewer)
	if a := o.SignedInAs("vera").Get("/settings"); a.Header.Get("Location") != "/account" {
		t.Errorf("a viewer is redirected to %q", a.Header.Get("Location"))
	}
}
