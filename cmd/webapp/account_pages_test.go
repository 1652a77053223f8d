package main

import (
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/access"
	"rebatedesk/cmd/webapp/internal/accounts"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/exchange"
	"rebatedesk/exchange/weex"
	"rebatedesk/safehttp"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/web/admin"
)

// newAccountPages returns the accounts as pages use them, on a new database and a simulated
// exchange, and the form of an account there.
func newAccountPages(t *testing.T) (accountPages, admin.AccountForm, *secret.Box) {
	t.Helper()
	sim := newHarness(t, atWallClock).sim
	key := secret.NewKey()
	st, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "desk.db"), store.Options{AuditKey: key.Derive("audit")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	log := slog.New(slog.DiscardHandler)
	a, err := accounts.Open(t.Context(), config.Config{}, st, key.Box(), exchange.NewBudget(400), log)
	if err != nil {
		t.Fatal(err)
	}
	pages := accountPages{a, newCollector(config.Config{CollectEvery: time.Hour}, st, a, log), st, log}
	return pages, admin.AccountForm{Name: "main", BaseURL: sim.BaseURL, Keys: admin.AccountKey{Key: sim.APIKey, Secret: sim.APISecret, Passphrase: sim.APIPassphrase}}, key.Box()
}

var fromPage = audit.Line{Actor: "ada", Via: access.ViaSession, Address: "127.0.0.1"}

// fieldFaults returns the broken rules of a form by field.
func fieldFaults(t *testing.T, err error) map[string]string {
	t.Helper()
	several, ok := err.(interface{ Unwrap() []error })
	if !ok {
		t.Fatalf("the form was not refused field by field: %v", err)
	}
	faults := map[string]string{}
	for _, one := range several.Unwrap() {
		rule, ok := errors.AsType[*store.RuleError](one)
		if !ok || rule.Field == "" {
			t.Fatalf("no rule of a field: %v", one)
		}
		faults[rule.Field] = rule.Problem
	}
	return faults
}

// An error is shown next to its field and repeats nothing secret.
func TestAccountsOfPagesRefuse(t *testing.T) {
	t.Parallel()
	pages, good, box := newAccountPages(t)
	bad := admin.AccountForm{Name: "main", BaseURL: "http://api.example.com", APIVersion: "v9", ContractBaseURL: "https://api.example.com/path",
		Keys: admin.AccountKey{Key: "canary\x00key", Secret: "canary-secret"}, TradingKeys: admin.AccountKey{Key: "canary-trading"}}
	faults := fieldFaults(t, pages.Add(t.Context(), fromPage, bad))
	var fields, text []string
	for field, fault := range faults {
		fields, text = append(fields, field), append(text, fault)
	}
	slices.Sort(fields)
	want := []string{"api_key", "api_passphrase", "api_version", "base_url", "contract_base_url", "trading_api_passphrase", "trading_api_secret"}
	if !slices.Equal(fields, want) || strings.Contains(strings.Join(text, "\n"), "canary") {
		t.Errorf("refused are %v, with %q", fields, text)
	}
	if !strings.Contains(faults["base_url"], "use https") {
		t.Errorf("the error at the address is %q", faults["base_url"])
	}
	private := good
	private.BaseURL = "https://169.254.169.254"
	if faults := fieldFaults(t, pages.Add(t.Context(), fromPage, private)); !strings.Contains(faults["base_url"], "ALLOW_PRIVATE_URLS") {
		t.Errorf("an address of the machine's own network: %v", faults)
	}
	listed, err := safehttp.ParseHosts("api.example.com")
	if err != nil {
		t.Fatal(err)
	}
	limited, err := accounts.Open(t.Context(), config.Config{Reach: safehttp.Reach{Hosts: listed}}, pages.store, box, exchange.NewBudget(400), pages.log)
	if err != nil {
		t.Fatal(err)
	}
	if faults := fieldFaults(t, (accountPages{limited, pages.collector, pages.store, pages.log}).Add(t.Context(), fromPage, good)); !strings.Contains(faults["base_url"], "ALLOWED_HOSTS") {
		t.Errorf("a host that is not in the list: %v", faults)
	}
	allowing, err := accounts.Open(t.Context(), config.Config{Reach: safehttp.Reach{Private: true}}, pages.store, box, exchange.NewBudget(400), pages.log)
	if err != nil {
		t.Fatal(err)
	}
	private.Name = "inside"
	if err := (accountPages{allowing, pages.collector, pages.store, pages.log}).Add(t.Context(), fromPage, private); err != nil {
		t.Errorf("the same where it is allowed: %v", err)
	}
	// An address that was stored under another setting, or by an older program, is not requested.
	if checks, err := pages.Test(t.Context(), fromPage, "inside"); err != nil || len(checks) != 1 || checks[0].Result != admin.CheckFailed || !strings.Contains(checks[0].Text, "ALLOW_PRIVATE_URLS") {
		t.Errorf("the test of it: %v, %v", checks, err)
	}
	if err := pages.Add(t.Context(), fromPage, good); err != nil {
		t.Fatal(err)
	}
	if rule, ok := pages.Add(t.Context(), fromPage, good).(interface{ Unwrap() error }); !ok || rule.Unwrap() == nil {
		t.Error("a name that is taken was taken")
	}
}

// The collector uses an account as soon as it is added, and stops once it is disabled. The
// account's test goes through all steps, and the log records each.
func TestAccountsOfPages(t *testing.T) {
	t.Parallel()
	pages, form, _ := newAccountPages(t)
	if err := pages.Add(t.Context(), fromPage, form); err != nil {
		t.Fatal(err)
	}
	if names := pages.Names(); len(names) != 1 || names[0] != "main" {
		t.Errorf("collected for are %v", names)
	}
	checks, err := pages.Test(t.Context(), fromPage, "main")
	if err != nil || len(checks) < 4 {
		t.Fatalf("%v, %v", checks, err)
	}
	for _, c := range checks[:4] {
		if c.Result != admin.CheckPassed || strings.Contains(c.Name, "main") {
			t.Errorf("%+v", c)
		}
	}
	list, err := pages.List(t.Context())
	if err != nil || len(list) != 1 || !list[0].Updated.Known() {
		t.Fatalf("the list is %+v (%v)", list, err)
	}
	seen := list[0].Updated
	wrong := admin.AccountKey{Key: form.Keys.Key, Secret: "canary-secret", Passphrase: form.Keys.Passphrase}
	if err := pages.Rotate(t.Context(), fromPage, "main", seen, wrong, admin.AccountKey{}); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{pages.Rotate(t.Context(), fromPage, "main", seen, form.Keys, admin.AccountKey{}), pages.Disable(t.Context(), fromPage, "main", seen, true)} {
		if rule, ok := errors.AsType[*store.RuleError](err); !ok || !rule.Stale {
			t.Errorf("changed in a version that it is not in any more: %v", err)
		}
	}
	checks, err = pages.Test(t.Context(), fromPage, "main")
	failed := slices.IndexFunc(checks, func(c admin.AccountCheck) bool { return c.Result == admin.CheckFailed })
	if err != nil || failed < 0 || checks[failed].Name != "signature" || checks[failed].Hint == "" {
		t.Errorf("with a wrong secret the test finds %+v (%v)", checks, err)
	}
	if err := pages.Disable(t.Context(), fromPage, "main", store.AnyVersion, true); err != nil || len(pages.Names()) != 0 {
		t.Errorf("disabled: %v, and collected for are %v", err, pages.Names())
	}
	list, err = pages.List(t.Context())
	if err != nil || len(list) != 1 || !list[0].Disabled.Known() || list[0].BaseURL != form.BaseURL {
		t.Errorf("the list is %+v (%v)", list, err)
	}
	if _, err := pages.Test(t.Context(), fromPage, "nobody"); err == nil {
		t.Error("an account that is not there was tested")
	}
	want := []string{"account added", "account tested ok", "account keys rotated", "account tested signature failed", "account disabled"}
	if got := auditedBy(t, pages.store, "ada"); !slices.Equal(got, want) {
		t.Errorf("the log contains %q", got)
	}
}

// auditedBy returns the actions and outcomes of a user, the oldest first.
func auditedBy(t *testing.T, st *store.Store, actor string) (lines []string) {
	t.Helper()
	r, err := st.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for line, err := range audit.Lines(t.Context(), r, audit.LogQuery{Actor: actor}) {
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.TrimSpace(line.Action+" "+line.Outcome))
	}
	return lines
}

// An address without its scheme is completed to https, and without one it is that of the exchange in
// production. What is typed wins.
func TestAddressOfPages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ base, contracts, wantBase, wantContracts string }{
		{"", "", weex.ProductionBase, weex.ProductionContractBase},
		{"", "futures.example.com", weex.ProductionBase, "https://futures.example.com"},
		{"api.example.com", "", "https://api.example.com", ""},
		{"http://127.0.0.1:1", "http://127.0.0.1:2", "http://127.0.0.1:1", "http://127.0.0.1:2"},
	} {
		got := newAccount(admin.AccountForm{BaseURL: c.base, ContractBaseURL: c.contracts})
		if got.BaseURL != c.wantBase || got.ContractBaseURL != c.wantContracts {
			t.Errorf("%q and %q become %q and %q", c.base, c.contracts, got.BaseURL, got.ContractBaseURL)
		}
	}
}
