package web_test

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

// bureau is an office with everything that administrators look after, and one
// of them who is signed in.
type bureau struct {
	*office
	accounts *exchangeAccounts
	vault    *vault
	ada      *visitor
	secret   string // of ada's authenticator
}

func openBureau(t testing.TB) *bureau {
	t.Helper()
	b := &bureau{accounts: newExchangeAccounts(), vault: &vault{dir: t.TempDir()}}
	b.office = openOffice(t, web.Options{Accounts: b.accounts, Backups: b.vault})
	b.vault.store = b.store
	b.hire("ada", access.Admin)
	b.ada = b.enter("ada")
	b.secret, _ = b.enrol(b.ada)
	return b
}

// comeBack signs ada in again, whose session ends within an hour.
func (b *bureau) comeBack() {
	b.Helper()
	b.ada = b.enter("ada")
	b.ada.get("/login")
	if a := b.ada.post("/login", "totp", b.code(b.secret)); a.StatusCode != 303 || !b.ada.in() {
		b.Fatalf("ada does not come back: status %d", a.StatusCode)
	}
}

// user returns a user as stored by access control.
func (b *bureau) user(name string) access.User {
	b.Helper()
	users, err := b.access.Users(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	at := slices.IndexFunc(users, func(u access.User) bool { return u.Name == name })
	if at < 0 {
		b.Fatalf("there is no %s", name)
	}
	return users[at]
}

// page returns the address of a user's page.
func (b *bureau) page(name string) string { return fmt.Sprint("/settings/users/", b.user(name).ID) }

// recorded reports whether the newest lines of the log have one by ada.
func (b *bureau) recorded(action, object string) bool {
	b.Helper()
	return slices.ContainsFunc(b.audit(), func(a audit.Line) bool {
		return a.Action == action && a.Object == object && a.Actor == "ada" && a.Via == access.ViaSession && a.Address == "127.0.0.1"
	})
}

// tamper changes a line of the log as a writer of the file could, leaving no trace
// except the line.
func (b *bureau) tamper(line int) {
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

// exchangeAccounts are made up: the real ones are tested where they are made.
type exchangeAccounts struct {
	mutex sync.Mutex
	list  []admin.ExchangeAccount
	err   error // of the next change
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

// change changes one of the list as the store does: in the version seen only.
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

// vault makes real backups, when it is let.
type vault struct {
	store *store.Store
	dir   string
	keep  int           // 0 is 14; negative none
	wait  chan struct{} // nil: it does not wait
	made  int
}

func (v *vault) State(ctx context.Context) (admin.BackupState, error) {
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

func (v *vault) Make(ctx context.Context) error {
	if v.wait != nil {
		<-v.wait
	}
	v.made++
	_, err := upkeep.RunBackup(ctx, v.store, filepath.Join(v.dir, fmt.Sprintf("desk-20261120T1405%02dZ.db", v.made)))
	return err
}
