package acceptance_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

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

const shortWord = "lantern brook" // long enough for a viewer, too short for an administrator

func TestSettingsAddUser(t *testing.T) {
	t.Parallel()
	b := openAdminSite(t)
	b.addUser("vera", access.Viewer)
	b.ada.get("/settings/users")
	for _, c := range []struct {
		name, role, password, repeated string
		field, says                    string
	}{
		{"", "viewer", longWord, longWord, "new-name", "is empty"},
		{"two words", "viewer", longWord, longWord, "new-name", "letters, digits"},
		{"VERA", "viewer", longWord, longWord, "new-name", "already"},
		{"zoe", "owner", longWord, longWord, "new-role", "There is no role"},
		{"zoe", "admin", shortWord, shortWord, "new-password", "shorter than 15"},
		{"zoe", "viewer", "password1234", "password1234", "new-password", "tried first"},
		{"zoe", "viewer", "her name is zoe", "her name is zoe", "new-password", "contains the user name"},
		{"zoe", "viewer", longWord, otherWord, "new-repeated", "differ"},
	} {
		a := b.ada.post("/settings/users", "name", c.name, "role", c.role, "password", c.password, "repeated", c.repeated)
		if got := faultAt(a.body, c.field); a.StatusCode != 400 || !strings.Contains(got, c.says) {
			t.Errorf("%q, %s, %q: status %d, and the error at %s is %q", c.name, c.role, c.password, a.StatusCode, c.field, got)
		}
		if strings.Contains(a.body, c.password) {
			t.Errorf("the page repeats the password %q", c.password)
		}
		if c.name != "" && !strings.Contains(a.body, `value="`+c.name+`"`) {
			t.Errorf("the form loses the name %q", c.name)
		}
	}
	if users, err := b.access.Users(context.Background()); err != nil || len(users) != 2 {
		t.Errorf("after refused forms there are %d users (%v)", len(users), err)
	}
	a := b.ada.post("/settings/users", "name", "zoe", "role", "manager", "password", longWord, "repeated", longWord)
	if a.StatusCode != 303 || a.Header.Get("Location") != "/settings/users?done=added" {
		t.Fatalf("status %d, to %s", a.StatusCode, a.Header.Get("Location"))
	}
	if a := b.ada.get("/settings/users?done=added"); !strings.Contains(a.body, "The user is added") || !strings.Contains(a.body, ">zoe<") {
		t.Error("the list does not show the new user")
	}
	if !b.recorded("user added", "zoe") || !b.signedInAs("zoe").in() {
		t.Error("the new user is not in the log, or cannot sign in")
	}
}

// change sends a form from a user's page, in the version of that page.
func (b *adminSite) change(name, form string, fields ...string) answer {
	b.Helper()
	page := b.ada.get(b.page(name)).body
	return b.ada.post(b.page(name)+"/"+form, append(fields, "version", versionOf(page, b.page(name)+"/role"))...)
}

// Every change of a user ends this user's sessions at once.
func TestSettingsChangeUser(t *testing.T) {
	t.Parallel()
	b := openAdminSite(t)
	b.addUser("vera", access.Viewer)
	changes := []struct {
		form, action string
		fields       []string
		after        func() bool
	}{
		{"role", "role changed", []string{"role", "manager"}, func() bool { return b.user("vera").Role == access.Manager }},
		{"password", "password set", []string{"password", otherWord, "repeated", otherWord}, func() bool { return b.visitor().signIn("vera", otherWord).StatusCode == 303 }},
		{"password", "password set", []string{"password", longWord, "repeated", longWord}, func() bool { return b.signedInAs("vera").in() }},
		{"reset-codes", "authenticator reset", nil, func() bool { return !b.user("vera").HasTOTP && b.signedInAs("vera").in() }},
		{"disable", "user disabled", nil, func() bool { return b.visitor().signIn("vera", longWord).StatusCode == 401 }},
		{"enable", "user enabled", nil, func() bool { return b.signedInAs("vera").in() }},
	}
	for _, c := range changes {
		var vera *visitor
		if c.form != "enable" && !(c.action == "password set" && c.fields[1] == longWord) {
			vera = b.signedInAs("vera")
		}
		if c.form == "reset-codes" {
			b.enrol(vera)
		}
		a := b.change("vera", c.form, c.fields...)
		if a.StatusCode != 303 || !strings.HasPrefix(a.Header.Get("Location"), b.page("vera")+"?done=") {
			t.Errorf("%s: status %d, to %q", c.form, a.StatusCode, a.Header.Get("Location"))
			continue
		}
		if vera != nil && vera.in() {
			t.Errorf("%s: the session still works", c.form)
		}
		if !b.recorded(c.action, "vera") || !c.after() {
			t.Errorf("%s: recorded: %v, or the change was not made", c.form, b.recorded(c.action, "vera"))
		}
		if page := b.ada.get(a.Header.Get("Location")); page.StatusCode != 200 || !strings.Contains(page.body, `role="status"`) {
			t.Errorf("%s: the page does not confirm the change", c.form)
		}
	}
}

func TestSettingsRefuseChanges(t *testing.T) {
	t.Parallel()
	b := openAdminSite(t)
	addUser(b, b.access, "vera", access.Viewer, shortWord)
	for _, c := range []struct {
		name, form, field, says string
		fields                  []string
	}{
		{"vera", "role", "change-role", "has to be changed first", []string{"role", "admin"}},
		{"vera", "role", "change-role", "There is no role", []string{"role", "king"}},
		{"vera", "password", "set-password", "shorter than 12", []string{"password", "short", "repeated", "short"}},
		{"vera", "password", "set-repeated", "differ", []string{"password", longWord, "repeated", otherWord}},
		{"ada", "role", "change-role", "last admin", []string{"role", "viewer"}},
		{"ada", "disable", "", "last admin", nil},
		{"ada", "password", "", "your own", []string{"password", otherWord, "repeated", otherWord}},
		{"ada", "reset-codes", "", "your own", nil},
	} {
		a := b.change(c.name, c.form, c.fields...)
		said := faultAt(a.body, c.field)
		if c.field == "" {
			_, said, _ = strings.Cut(a.body, `role="alert"><svg`)
		}
		if a.StatusCode != 400 || !strings.Contains(said, c.says) {
			t.Errorf("%s of %s: status %d, said %.300q", c.form, c.name, a.StatusCode, said)
		}
		if !strings.Contains(a.body, ` open>`) {
			t.Errorf("%s of %s: its section is folded", c.form, c.name)
		}
	}
	if u := b.user("ada"); u.Role != access.Admin || u.Disabled || !u.HasTOTP || !b.ada.in() {
		t.Errorf("the last administrator is now %+v", u)
	}
	for _, path := range []string{"/settings/users/999", "/settings/users/x", "/settings/users/-1"} {
		if a := b.ada.get(path); a.StatusCode != 404 {
			t.Errorf("%s: status %d", path, a.StatusCode)
		}
		if a := b.ada.post(path+"/disable", "version", "1"); a.StatusCode != 404 {
			t.Errorf("POST %s/disable: status %d", path, a.StatusCode)
		}
	}
}

func TestSettingsRevoke(t *testing.T) {
	t.Parallel()
	b := openAdminSite(t)
	b.addUser("mia", access.Manager)
	mia := b.signedInAs("mia")
	text, token, err := b.access.CreateToken(context.Background(), command, access.NewToken{User: "mia", Name: `<img src=x onerror=alert(1)>`, Scopes: []access.Scope{access.ScopeRead}})
	if err != nil {
		t.Fatal(err)
	}
	program := b.visitor("Authorization", "Bearer "+text)
	if !program.in() {
		t.Fatal("the token does not work")
	}
	page := b.ada.get("/settings/tokens")
	if strings.Contains(page.body, "<img src=x") || !strings.Contains(page.body, "&lt;img src=x") {
		t.Error("the name of a token is not shown as text")
	}
	if strings.Contains(page.body, text) || strings.Contains(page.body, text[4:]) {
		t.Error("the page shows the token itself")
	}
	if a := b.ada.post(fmt.Sprintf("/settings/tokens/%d/revoke", token.ID)); a.StatusCode != 303 || program.in() {
		t.Errorf("revoking: status %d, and the token works: %v", a.StatusCode, program.in())
	}
	if page := b.ada.get("/settings/tokens"); !strings.Contains(page.body, ">revoked ") {
		t.Error("a revoked token is not shown as revoked")
	}
	sessions, err := b.access.Sessions(context.Background(), "mia")
	if err != nil || len(sessions) != 1 {
		t.Fatalf("%v %v", sessions, err)
	}
	if page := b.ada.get("/settings/sessions"); strings.Contains(page.body, mia.secret()) || !strings.Contains(page.body, "this one") {
		t.Error("the page shows a secret, or does not mark its own session")
	}
	if a := b.ada.post(fmt.Sprintf("/settings/sessions/%d/revoke", sessions[0].ID)); a.StatusCode != 303 || mia.in() {
		t.Errorf("ending: status %d, and the session works: %v", a.StatusCode, mia.in())
	}
	if !b.recorded("token revoked", "mia") || !b.recorded("session revoked", "mia") {
		t.Errorf("the log does not show it: %+v", b.audit()[:3])
	}
}

func TestSettingsAccounts(t *testing.T) {
	t.Parallel()
	b := openAdminSite(t)
	b.ada.get("/settings/accounts")
	secrets := []string{"canary-key", "canary-secret", "canary-phrase", "canary-trading"}
	form := []string{"account", "new", "base_url", "https://api.example.com", "api_version", "v3", "locale", "de-DE",
		"api_key", secrets[0], "api_secret", secrets[1], "api_passphrase", secrets[2], "trading_api_key", secrets[3], "version", "1"}
	b.accounts.err = errors.Join(store.RefuseAt("base_url", "This is odd."), store.RefuseAt("trading_api_secret", "This is not given."))
	a := b.ada.post("/settings/accounts", form...)
	if a.StatusCode != 400 || faultAt(a.body, "new-base_url") != "This is odd." || faultAt(a.body, "new-trading_api_secret") != "This is not given." {
		t.Errorf("status %d, and the errors at the fields are %q, %q", a.StatusCode, faultAt(a.body, "new-base_url"), faultAt(a.body, "new-trading_api_secret"))
	}
	for _, kept := range []string{`value="new"`, `value="https://api.example.com"`, `value="v3"`, `value="de-DE"`} {
		if !strings.Contains(a.body, kept) {
			t.Errorf("%s is lost", kept)
		}
	}
	pages := a.body
	b.accounts.err = &store.RuleError{Problem: "There is an account called “new” already."}
	a = b.ada.post("/settings/accounts", form...)
	if !strings.Contains(faultAt(a.body, "new-account"), "already") {
		t.Error("a name that exists is not reported at its field")
	}
	pages += a.body
	a = b.ada.post("/settings/accounts/rotate", "account", "asia", "api_key", secrets[0], "version", versionOf(a.body, "/settings/accounts/rotate"))
	if a.StatusCode != 400 || !strings.Contains(faultAt(a.body, "account-1-api_key"), "already") || faultAt(a.body, "account-2-api_key") != "" {
		t.Errorf("rotating: status %d, and the error is not at its account", a.StatusCode)
	}
	pages += a.body
	b.accounts.err = nil
	for _, c := range []struct{ path, done string }{
		{"", "account"}, {"/rotate", "rotated"}, {"/disable", "unused"}, {"/enable", "used"},
	} {
		if a := b.ada.post("/settings/accounts"+c.path, form...); a.StatusCode != 303 || a.Header.Get("Location") != "/settings/accounts?done="+c.done {
			t.Errorf("%s: status %d to %s", c.path, a.StatusCode, a.Header.Get("Location"))
		}
	}
	if f := b.accounts.form; f.Keys != (admin.AccountKey{Key: secrets[0], Secret: secrets[1], Passphrase: secrets[2]}) || f.TradingKeys.Key != secrets[3] {
		t.Errorf("the keys arrive as %+v", f)
	}
	a = b.ada.post("/settings/accounts/test", "account", "asia")
	for _, said := range []string{"What the test found", "answers within 84 ms", "sign signature error", "What helps: enter key, secret"} {
		if !strings.Contains(a.body, said) {
			t.Errorf("the test does not say %q", said)
		}
	}
	for _, secret := range secrets {
		if strings.Contains(pages+a.body, secret) {
			t.Errorf("a page shows %s", secret)
		}
	}
	if strings.Contains(pages, "<i>old") {
		t.Error("the name of an account is not shown as text")
	}
	if want := "ada by session from 127.0.0.1 disable new false"; !strings.Contains(strings.Join(b.accounts.asked, "\n"), want) {
		t.Errorf("the calls are %q, want %q among them", b.accounts.asked, want)
	}
}

func TestSettingsBackups(t *testing.T) {
	t.Parallel()
	b := openAdminSite(t)
	b.backupService.wait = make(chan struct{})
	if a := b.ada.get("/settings/backups"); !strings.Contains(a.body, "No backup has been made") || !strings.Contains(a.body, "14 backups kept") {
		t.Errorf("status %d, and the page does not say that there are no accounts", a.StatusCode)
	}
	for range 2 { // two clicks make one backup
		if a := b.ada.post("/settings/backups/make"); a.StatusCode != 303 {
			t.Fatalf("status %d", a.StatusCode)
		}
	}
	if a := b.ada.get("/settings/backups"); !strings.Contains(a.body, "A backup is being made") || strings.Contains(a.body, "Back up now") {
		t.Error("a running backup is not shown, or another one is offered")
	}
	close(b.backupService.wait)
	page := b.ada.until("/settings/backups", "restores</span>")
	if b.backupService.made != 1 || !strings.Contains(page, "desk-20261120T140501Z.db") {
		t.Errorf("%d backups were made", b.backupService.made)
	}
	if !b.recorded("back up now", "") {
		t.Error("the log does not name the user who started the backup")
	}
	b.backupService.keep = -1
	if a := b.ada.get("/settings/backups"); !strings.Contains(a.body, "BACKUP_KEEP is 0") || strings.Contains(a.body, "Back up now") {
		t.Error("a backup is offered although none are kept")
	}
}

// A server without an optional part has no pages about it.
func TestSettingsWithoutParts(t *testing.T) {
	t.Parallel()
	o := openSite(t, web.Options{})
	o.addUser("ada", access.Admin)
	ada := o.signedInAs("ada")
	o.enrol(ada)
	if a := ada.get("/settings"); a.StatusCode != 303 || a.Header.Get("Location") != "/settings/users" {
		t.Errorf("/settings: status %d to %q", a.StatusCode, a.Header.Get("Location"))
	}
	page := ada.get("/settings/users")
	for _, path := range []string{"/settings/accounts", "/settings/audit", "/settings/audit.csv", "/settings/backups"} {
		if a := ada.get(path); a.StatusCode != http.StatusNotFound || strings.Contains(page.body, `href="`+path+`"`) {
			t.Errorf("%s: status %d, and the page is linked: %v", path, a.StatusCode, strings.Contains(page.body, `href="`+path+`"`))
		}
	}
	o.addUser("vera", access.Viewer)
	if a := o.signedInAs("vera").get("/settings"); a.Header.Get("Location") != "/account" {
		t.Errorf("a viewer is redirected to %q", a.Header.Get("Location"))
	}
}
