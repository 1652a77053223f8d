package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"rebatedesk/access"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/secret"
	"rebatedesk/store"
)

// newStoredHarness returns a harness whose settings name no account, with a debug log.
func newStoredHarness(t testing.TB) *harness {
	t.Helper()
	d := newHarness(t, func(o *simulator.Options) { o.Days, o.Records, o.Invitees = 5, 40, 10 })
	d.env = slices.DeleteFunc(d.env, func(e string) bool {
		return strings.HasPrefix(e, "REBATEDESK_BASE_URL") || strings.HasPrefix(e, "REBATEDESK_API") || strings.HasPrefix(e, "REBATEDESK_LOG")
	})
	d.env = append(d.env, "REBATEDESK_LOG_LEVEL=debug")
	return d
}

// typed runs a command line with the given standard input.
func (d *harness) typed(stdin string, args ...string) (status int, printed string) {
	d.Helper()
	var out bytes.Buffer
	p := &program{environ: d.env, stdin: strings.NewReader(stdin), stdout: &out, stderr: &out, now: d.now}
	status = p.runs(d.Context(), args)
	return status, out.String()
}

func (d *harness) keys() string {
	return strings.Join([]string{d.sim.APIKey, d.sim.APISecret, d.sim.APIPassphrase}, "\n") + "\n"
}

func (d *harness) add(name string) {
	d.Helper()
	if status, printed := d.typed(d.keys(), "account", "add", "--name", name, "--base-url", d.sim.BaseURL, "--keys-stdin"); status != statusDone {
		d.Fatalf("account add: status %d, %s", status, printed)
	}
}

// forms returns all encodings in which a secret could appear.
func forms(secret string) []string {
	return []string{secret, base64.StdEncoding.EncodeToString([]byte(secret)), base64.RawURLEncoding.EncodeToString([]byte(secret)), hex.EncodeToString([]byte(secret))}
}

// No file, output or log shows the keys of a stored account, the secret of an authenticator
// or the master key in clear, whatever is done with the account.
func TestSecretsShowNowhere(t *testing.T) {
	t.Parallel()
	d := newStoredHarness(t)
	const tradingKey, tradingSecret, tradingPhrase = "canary-trading-key", "canary-trading-secret", "canary-trading-phrase"
	d.add("stored") // creates the database
	reader, err := store.Open(t.Context(), d.db, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close() // until then the write-ahead log stays on the disk
	authenticator := enrolled(t, d)
	var printed strings.Builder
	run := func(stdin string, args ...string) {
		_, out := d.typed(stdin, args...)
		printed.WriteString(out)
	}
	whole := d.keys() + tradingKey + "\n" + tradingSecret + "\n" + tradingPhrase + "\n"
	run(whole, "account", "rotate", "stored", "--keys-stdin")
	run(whole, "account", "add", "--name", "second", "--base-url", "http://127.0.0.1:1", "--keys-stdin")
	run(whole, "account", "add", "--name", "stored", "--base-url", d.sim.BaseURL, "--keys-stdin")
	run(strings.ReplaceAll(whole, "\n", " \n"), "account", "add", "--name", "third", "--base-url", "http://example.com", "--keys-stdin")
	for _, args := range []string{"account list", "account test stored", "account test second", "account disable second", "collect", "verify", "export commissions", "account enable second"} {
		run("", strings.Fields(args)...)
	}
	run(strings.ReplaceAll(whole, d.sim.APISecret, tradingSecret), "account", "rotate", "stored", "--keys-stdin")
	run("", "account", "test", "stored")
	if said := printed.String(); !strings.Contains(said, "ok: the exchange answers") || !strings.Contains(said, "complete: ") || !strings.Contains(said, "in use  yes") || !strings.Contains(said, "affiliate commissions (4.17): ") {
		t.Errorf("not everything was done: %s", said)
	}
	places := map[string]string{"what was printed": printed.String()}
	files, err := filepath.Glob(filepath.Join(filepath.Dir(d.db), "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		places[filepath.Base(file)] = contents(t, file)
	}
	if len(places["desk.db-wal"]) == 0 || len(places["desk.db"]) == 0 || len(places) < 5 {
		t.Errorf("only %d places were searched", len(places))
	}
	master := strings.TrimSpace(places["desk.db.key"])
	secrets := []string{d.sim.APIKey, d.sim.APISecret, d.sim.APIPassphrase, tradingKey, tradingSecret, tradingPhrase, authenticator, master}
	for name, content := range places {
		for i, secret := range secrets {
			for _, form := range forms(secret) {
				if name != "desk.db.key" && strings.Contains(content, form) {
					t.Errorf("secret %d is in %s", i, name)
				}
			}
		}
	}
}

// enrolled creates an administrator with an authenticator, and returns its secret.
func enrolled(t *testing.T, d *harness) string {
	t.Helper()
	if status, out := d.typed("correct horse battery", "user", "add", "--name", "ann", "--role", "admin", "--password-stdin"); status != statusDone {
		t.Fatal(out)
	}
	key, err := secret.ReadFile(d.db + database.KeySuffix)
	if err != nil {
		t.Fatal(err)
	}
	return enrolledAt(t, d.db, key, d.now())
}

// enrolledAt gives the user ann an authenticator and returns its secret.
func enrolledAt(t *testing.T, place string, key secret.MasterKey, now time.Time) string {
	t.Helper()
	st, err := store.Open(t.Context(), place, store.Options{AuditKey: key.Derive(database.AuditLabel), Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	s := access.NewForTests(access.Options{Store: st, Box: key.Box(), Now: func() time.Time { return now }})
	entry, err := s.SignIn(t.Context(), "ann", "correct horse battery", access.Origin{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := s.Enrol(t.Context(), entry.Principal)
	if err != nil {
		t.Fatal(err)
	}
	code, err := totp.GenerateCode(e.Secret, now)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.ConfirmEnrolment(t.Context(), entry.Principal, "", code, access.Origin{}); err != nil {
		t.Fatal(err)
	}
	return e.Secret
}

// The program collects and exports a stored account like one from the settings.
func TestStoredAccountIsLikeOthers(t *testing.T) {
	t.Parallel()
	d := newStoredHarness(t)
	if status, _ := d.typed("", "collect"); status != statusUsage {
		t.Errorf("without an account: status %d", status)
	}
	if _, err := os.Stat(d.db); err == nil {
		t.Error("a database was made")
	}
	d.add("stored")
	if info, err := os.Stat(d.db + database.KeySuffix); err != nil || info.Mode() != 0o600 {
		t.Errorf("the key file: %v, %v", info, err)
	}
	if status, out := d.typed("", "collect"); status != statusDone || !strings.Contains(out, "complete: ") {
		t.Errorf("status %d, %s", status, out)
	}
	if status, out := d.typed("", "export", "commissions", "--account", "stored"); status != statusDone || strings.Count(out, ",stored,") != len(d.sim.Ledger().Commissions) {
		t.Errorf("status %d, exported %s", status, out)
	}
	if status, out := d.typed("", "collect", "--account", "nobody"); status != statusUsage || !strings.Contains(out, `"nobody"`) {
		t.Errorf("status %d, %s", status, out)
	}
	d.typed("", "account", "disable", "stored")
	if status, out := d.typed("", "collect"); status != statusFailed || !strings.Contains(out, "webapp account list") {
		t.Errorf("with a disabled account: status %d, %s", status, out)
	}
	if status, out := d.typed("", "verify"); status != statusDone || !strings.Contains(out, "ok: audit log: 3 lines") {
		t.Errorf("status %d, %s", status, out)
	}
}
