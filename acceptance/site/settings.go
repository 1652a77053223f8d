package site

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/upkeep"
	"rebatedesk/web"
	"rebatedesk/web/admin"
)

// adminSite is a site with all administration pages, and ada as a signed-in
// administrator.
type adminSite struct {
	*Site
	Accounts      *ExchangeAccounts
	BackupService *backupService
	Ada           *Visitor
	Secret        string // secret of ada's authenticator
}

func OpenAdminSite(t testing.TB) *adminSite {
	t.Helper()
	return OpenAdminSiteWith(t, nil)
}

// OpenAdminSiteWith is openAdminSite with anchors of the audit log.
func OpenAdminSiteWith(t testing.TB, anchors func() []audit.Anchor) *adminSite {
	t.Helper()
	b := &adminSite{Accounts: newExchangeAccounts(), BackupService: &backupService{dir: t.TempDir()}}
	b.Site = OpenSite(t, web.Options{Accounts: b.Accounts, Backups: b.BackupService, AuditAnchors: anchors})
	b.BackupService.store = b.Store
	b.AddUser("ada", access.Admin)
	b.Ada = b.SignedInAs("ada")
	b.Secret, _ = b.Enrol(b.Ada)
	return b
}

// ComeBack signs ada in again, because her session ends within an hour.
func (b *adminSite) ComeBack() {
	b.Helper()
	b.Ada = b.SignedInAs("ada")
	b.Ada.Get("/login")
	if a := b.Ada.Post("/login", "totp", b.Code(b.Secret)); a.StatusCode != 303 || !b.Ada.In() {
		b.Fatalf("ada cannot sign in again: status %d", a.StatusCode)
	}
}

// User returns a stored user.
func (b *adminSite) User(name string) access.User {
	b.Helper()
	users, err := b.Access.Users(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	at := slices.IndexFunc(users, func(u access.User) bool { return u.Name == name })
	if at < 0 {
		b.Fatalf("no user is named %s", name)
	}
	return users[at]
}

// Page returns the address of a user's page.
func (b *adminSite) Page(name string) string { return fmt.Sprint("/settings/users/", b.User(name).ID) }

// Recorded reports whether one of the newest audit lines is by ada.
func (b *adminSite) Recorded(action, object string) bool {
	b.Helper()
	return slices.ContainsFunc(b.Audit(), func(a audit.Line) bool {
		return a.Action == action && a.Object == object && a.Actor == "ada" && a.Via == access.ViaSession && a.Address == "127.0.0.1"
	})
}

// Tamper changes a line of the audit log as a process with access to the file could, with
// no other trace.
func (b *adminSite) Tamper(line int) {
	b.Helper()
	err := b.Store.Update(b.Context(), func(tx *store.Tx, _ affiliate.Millis) error {
		var guard string
		if err := tx.QueryRowContext(b.Context(), `SELECT sql FROM sqlite_schema WHERE name = 'audit_keep'`).Scan(&guard); err != nil {
			return err
		}
		for _, statement := range []string{`DROP TRIGGER audit_keep`, fmt.Sprintf(`UPDATE audit SET actor = 'eve' WHERE id = %d`, line), guard} {
			if _, err := tx.ExecContext(b.Context(), statement); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

// Change sends a form from a user's page, in the version of that page.
func (b *adminSite) Change(name, form string, fields ...string) Answer {
	b.Helper()
	page := b.Ada.Get(b.Page(name)).Body
	return b.Ada.Post(b.Page(name)+"/"+form, append(fields, "version", VersionOf(page, b.Page(name)+"/role"))...)
}

// ExchangeAccounts is a stand-in; tests in package accounts cover the real ones.
type ExchangeAccounts struct {
	mutex    sync.Mutex
	Accounts []admin.ExchangeAccount
	Err      error // error of the next change
	Asked    []string
	Form     admin.AccountForm
}

func newExchangeAccounts() *ExchangeAccounts {
	made := affiliate.MillisOf(Now.Add(-90 * 24 * time.Hour))
	const at = "https://api.example.com"
	return &ExchangeAccounts{Accounts: []admin.ExchangeAccount{
		{Name: "main", BaseURL: at, ContractBaseURL: at, APIVersion: "v2", Locale: "en-US", Settings: true},
		{Name: "asia", BaseURL: at, ContractBaseURL: "https://contract.example.com", APIVersion: "v2", Locale: "en-US", Trades: true, Created: made, Rotated: made, Updated: made},
		{Name: "<i>old</i>", BaseURL: at, ContractBaseURL: at, APIVersion: "v3", Locale: "en-US", Created: made, Rotated: made, Disabled: affiliate.MillisOf(Now)},
		{Name: "Main", BaseURL: at, ContractBaseURL: at, APIVersion: "v2", Locale: "en-US", Created: made, Rotated: made, Hidden: true},
		{Name: "lost", BaseURL: at, ContractBaseURL: at, APIVersion: "v2", Locale: "en-US", Created: made, Rotated: made,
			Problem: "the stored key of the account lost was sealed with another master key; give it its key again"},
	}}
}

func (e *ExchangeAccounts) List(context.Context) ([]admin.ExchangeAccount, error) {
	return e.Accounts, nil
}

func (e *ExchangeAccounts) Note(by audit.Line, what string) error {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.Asked = append(e.Asked, strings.TrimSpace(by.Actor+" by "+by.Via+" from "+by.Address+" "+what))
	return e.Err
}

func (e *ExchangeAccounts) Add(_ context.Context, by audit.Line, form admin.AccountForm) error {
	e.Form = form
	return e.Note(by, "add "+form.Name)
}

func (e *ExchangeAccounts) Try(ctx context.Context, by audit.Line, form admin.AccountForm) ([]admin.AccountCheck, error) {
	return e.Test(ctx, by, affiliate.Account(form.Name))
}

func (e *ExchangeAccounts) Rotate(_ context.Context, by audit.Line, name affiliate.Account, seen affiliate.Millis, keys, trading admin.AccountKey) error {
	e.Form = admin.AccountForm{Keys: keys, TradingKeys: trading}
	return e.change(name, seen, e.Note(by, "rotate "+string(name)), func(a *admin.ExchangeAccount) { a.Rotated++ })
}

func (e *ExchangeAccounts) Disable(_ context.Context, by audit.Line, name affiliate.Account, seen affiliate.Millis, disabled bool) error {
	return e.change(name, seen, e.Note(by, fmt.Sprint("disable ", name, " ", disabled)), func(a *admin.ExchangeAccount) {
		a.Disabled = 0
		if disabled {
			a.Disabled = affiliate.MillisOf(Now)
		}
	})
}

// change changes an account as the store does: only in the version that the user saw.
func (e *ExchangeAccounts) change(name affiliate.Account, seen affiliate.Millis, err error, change func(*admin.ExchangeAccount)) error {
	for i := range e.Accounts {
		a := &e.Accounts[i]
		switch {
		case err != nil || a.Name != name:
		case a.Updated != seen:
			return &store.RuleError{Problem: "Somebody else changed this account meanwhile, so that nothing was saved.", Stale: true}
		default:
			change(a)
			a.Updated++
		}
	}
	return err
}

func (e *ExchangeAccounts) Test(_ context.Context, by audit.Line, name affiliate.Account) ([]admin.AccountCheck, error) {
	return []admin.AccountCheck{
		{Name: "exchange", Result: admin.CheckPassed, Text: "answers within 84 ms"},
		{Name: "clock", Result: admin.CheckPassed, Text: "12ms apart"},
		{Name: "signature", Result: admin.CheckFailed, Text: "HTTP 400, code 40009: sign signature error", Hint: "enter key, secret and passphrase again, all of one key"},
		{Name: "permission", Result: admin.CheckSkipped, Text: "the signature has to be accepted first"},
	}, e.Note(by, "test "+string(name))
}

// backupService makes real backups.
type backupService struct {
	store *store.Store
	dir   string
	Keep  int           // 0: the default of 14; negative: none
	Wait  chan struct{} // a backup waits until it is closed; nil: no wait
	Made  int
}

func (v *backupService) State(ctx context.Context) (admin.BackupState, error) {
	state := admin.BackupState{Dir: "/var/lib/rebatedesk/desk.db.backups", Keep: max(0, v.Keep), File: "/var/lib/rebatedesk/desk.db", At: "03:40"}
	if v.Keep == 0 {
		state.Keep = 14
	}
	r, err := v.store.Read(ctx)
	if err != nil {
		return state, err
	}
	defer r.Close()
	state.Runs, err = upkeep.BackupRuns(ctx, r, 31)
	return state, err
}

func (v *backupService) Make(ctx context.Context) error {
	if v.Wait != nil {
		<-v.Wait
	}
	v.Made++
	_, err := upkeep.RunBackup(ctx, v.store, filepath.Join(v.dir, fmt.Sprintf("desk-20261120T1405%02dZ.db", v.Made)))
	return err
}
