package acceptance_test

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
	*site
	accounts      *exchangeAccounts
	backupService *backupService
	ada           *visitor
	secret        string // secret of ada's authenticator
}

func openAdminSite(t testing.TB) *adminSite {
	t.Helper()
	return openAdminSiteWith(t, nil)
}

// openAdminSiteWith is openAdminSite with anchors of the audit log.
func openAdminSiteWith(t testing.TB, anchors func() []audit.Anchor) *adminSite {
	t.Helper()
	b := &adminSite{accounts: newExchangeAccounts(), backupService: &backupService{dir: t.TempDir()}}
	b.site = openSite(t, web.Options{Accounts: b.accounts, Backups: b.backupService, AuditAnchors: anchors})
	b.backupService.store = b.store
	b.addUser("ada", access.Admin)
	b.ada = b.signedInAs("ada")
	b.secret, _ = b.enrol(b.ada)
	return b
}

// comeBack signs ada in again, because her session ends within an hour.
func (b *adminSite) comeBack() {
	b.Helper()
	b.ada = b.signedInAs("ada")
	b.ada.get("/login")
	if a := b.ada.post("/login", "totp", b.code(b.secret)); a.StatusCode != 303 || !b.ada.in() {
		b.Fatalf("ada cannot sign in again: status %d", a.StatusCode)
	}
}

// user returns a stored user.
func (b *adminSite) user(name string) access.User {
	b.Helper()
	users, err := b.access.Users(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	at := slices.IndexFunc(users, func(u access.User) bool { return u.Name == name })
	if at < 0 {
		b.Fatalf("no user is named %s", name)
	}
	return users[at]
}

// page returns the address of a user's page.
func (b *adminSite) page(name string) string { return fmt.Sprint("/settings/users/", b.user(name).ID) }

// recorded reports whether one of the newest audit lines is by ada.
func (b *adminSite) recorded(action, object string) bool {
	b.Helper()
	return slices.ContainsFunc(b.audit(), func(a audit.Line) bool {
		return a.Action == action && a.Object == object && a.Actor == "ada" && a.Via == access.ViaSession && a.Address == "127.0.0.1"
	})
}

// tamper changes a line of the audit log as a process with access to the file could, with
// no other trace.
func (b *adminSite) tamper(line int) {
	b.Helper()
	err := b.store.Update(b.Context(), func(tx *store.Tx, _ affiliate.Millis) error {
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

// exchangeAccounts is a stand-in; tests in package accounts cover the real ones.
type exchangeAccounts struct {
	mutex sync.Mutex
	list  []admin.ExchangeAccount
	err   error // error of the next change
	asked []string
	form  admin.AccountForm
}

func newExchangeAccounts() *exchangeAccounts {
	made := affiliate.MillisOf(now.Add(-90 * 24 * time.Hour))
	const at = "https://api.example.com"
	return &exchangeAccounts{list: []admin.ExchangeAccount{
		{Name: "main", BaseURL: at, ContractBaseURL: at, APIVersion: "v2", Locale: "en-US", Settings: true},
		{Name: "asia", BaseURL: at, ContractBaseURL: "https://contract.example.com", APIVersion: "v2", Locale: "en-US", Trades: true, Created: made, Rotated: made, Updated: made},
		{Name: "<i>old</i>", BaseURL: at, ContractBaseURL: at, APIVersion: "v3", Locale: "en-US", Created: made, Rotated: made, Disabled: affiliate.MillisOf(now)},
		{Name: "Main", BaseURL: at, ContractBaseURL: at, APIVersion: "v2", Locale: "en-US", Created: made, Rotated: made, Hidden: true},
		{Name: "lost", BaseURL: at, ContractBaseURL: at, APIVersion: "v2", Locale: "en-US", Created: made, Rotated: made,
			Problem: "the stored key of the account lost was sealed with another master key; give it its key again"},
	}}
}

func (e *exchangeAccounts) List(context.Context) ([]admin.ExchangeAccount, error) {
	return e.list, nil
}

func (e *exchangeAccounts) note(by audit.Line, what string) error {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.asked = append(e.asked, strings.TrimSpace(by.Actor+" by "+by.Via+" from "+by.Address+" "+what))
	return e.err
}

func (e *exchangeAccounts) Add(_ context.Context, by audit.Line, form admin.AccountForm) error {
	e.form = form
	return e.note(by, "add "+form.Name)
}

func (e *exchangeAccounts) Rotate(_ context.Context, by audit.Line, name affiliate.Account, seen affiliate.Millis, keys, trading admin.AccountKey) error {
	e.form = admin.AccountForm{Keys: keys, TradingKeys: trading}
	return e.change(name, seen, e.note(by, "rotate "+string(name)), func(a *admin.ExchangeAccount) { a.Rotated++ })
}

func (e *exchangeAccounts) Disable(_ context.Context, by audit.Line, name affiliate.Account, seen affiliate.Millis, disabled bool) error {
	return e.change(name, seen, e.note(by, fmt.Sprint("disable ", name, " ", disabled)), func(a *admin.ExchangeAccount) {
		a.Disabled = 0
		if disabled {
			a.Disabled = affiliate.MillisOf(now)
		}
	})
}

// change changes an account as the store does: only in the version that the user saw.
func (e *exchangeAccounts) change(name affiliate.Account, seen affiliate.Millis, err error, change func(*admin.ExchangeAccount)) error {
	for i := range e.list {
		a := &e.list[i]
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

func (e *exchangeAccounts) Test(_ context.Context, by audit.Line, name affiliate.Account) ([]admin.AccountCheck, error) {
	return []admin.AccountCheck{
		{Name: "exchange", Result: admin.CheckPassed, Text: "answers within 84 ms"},
		{Name: "clock", Result: admin.CheckPassed, Text: "12ms apart"},
		{Name: "signature", Result: admin.CheckFailed, Text: "HTTP 400, code 40009: sign signature error", Hint: "enter key, secret and passphrase again, all of one key"},
		{Name: "permission", Result: admin.CheckSkipped, Text: "the signature has to be accepted first"},
	}, e.note(by, "test "+string(name))
}

// backupService makes real backups.
type backupService struct {
	store *store.Store
	dir   string
	keep  int           // 0: the default of 14; negative: none
	wait  chan struct{} // a backup waits until it is closed; nil: no wait
	made  int
}

func (v *backupService) State(ctx context.Context) (admin.BackupState, error) {
	state := admin.BackupState{Dir: "/var/lib/rebatedesk/desk.db.backups", Keep: max(0, v.keep), File: "/var/lib/rebatedesk/desk.db", At: "03:40"}
	if v.keep == 0 {
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
	if v.wait != nil {
		<-v.wait
	}
	v.made++
	_, err := upkeep.RunBackup(ctx, v.store, filepath.Join(v.dir, fmt.Sprintf("desk-20261120T1405%02dZ.db", v.made)))
	return err
}
