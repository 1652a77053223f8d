package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/cmd/webapp/internal/database"
	"rebatedesk/cmd/webapp/internal/doctor"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/internal/selfsigned"
)

// diagnosed runs doctor --json and returns its findings by check.
func (d *harness) diagnosed(env []string, args ...string) (status int, found map[string]doctor.Result) {
	d.Helper()
	status, stdout, stderr := d.run(d.Context(), env, append([]string{"doctor", "--json"}, args...)...)
	var report struct {
		OK     bool            `json:"ok"`
		Checks []doctor.Result `json:"checks"`
	}
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		d.Fatalf("%v in %s; stderr %s", err, stdout, stderr)
	}
	found = map[string]doctor.Result{}
	failures := 0
	for _, f := range report.Checks {
		if f.Result == doctor.Failed {
			failures++
		}
		if earlier, twice := found[f.Check]; !twice || earlier.Result != doctor.Failed {
			found[f.Check] = f
		}
	}
	if report.OK != (failures == 0) || report.OK != (status == statusDone) {
		d.Errorf("ok is %v with %d failures and status %d", report.OK, failures, status)
	}
	for _, secret := range []string{d.sim.APISecret, d.sim.APIPassphrase, "canary"} {
		if strings.Contains(stdout+stderr, secret) {
			d.Errorf("a secret is printed: %s%s", stdout, stderr)
		}
	}
	return status, found
}

// A sound installation passes every check, and the output is one line for each.
func TestDoctorFindsNothing(t *testing.T) {
	t.Parallel()
	d := newHarness(t, atWallClock)
	d.done(nil, "collect")
	stdout := d.done(nil, "doctor")
	for _, check := range []string{"settings", "time zone", "database", "permissions", "disk space", "web address",
		"exchange (main)", "clock (main)", "signature (main)", "permission (main)", "spot bills (main)", "funding bills (main)", "transfers (main)"} {
		if !strings.Contains("\n"+stdout, "\nok: "+check+": ") {
			t.Errorf("%s is not ok:\n%s", check, stdout)
		}
	}
	for line := range strings.Lines(stdout) {
		if !strings.HasPrefix(line, "ok: ") && !strings.HasPrefix(line, "skipped: ") && !strings.HasPrefix(line, "warning: toolchain: ") {
			t.Errorf("%s", line)
		}
	}
}

// The doctor reports a token that expires soon, but not as a fault.
func TestDoctorTellsOfTokens(t *testing.T) {
	t.Parallel()
	d := newHarness(t, atWallClock)
	d.done(nil, "collect")
	if status, printed := d.typed(goodPassword, "user", "add", "--name", "ann", "--role", "viewer", "--password-stdin"); status != statusDone {
		t.Fatal(printed)
	}
	d.done(nil, "token", "create", "--user", "ann", "--name", "long", "--scope", "read")
	if _, found := d.diagnosed(nil); found["API tokens"].Text != "1 work, and none expires within 14 days" {
		t.Errorf("%+v", found["API tokens"])
	}
	d.done(nil, "token", "create", "--user", "ann", "--name", "short", "--scope", "read", "--expires", "13d")
	status, found := d.diagnosed(nil)
	if f := found["API tokens"]; status != statusDone || f.Result != doctor.OK || !strings.Contains(f.Text, `2 work, and these expire within 14 days: "short" of ann`) || f.Hint == "" {
		t.Errorf("status %d, %+v", status, f)
	}
}

// Doctor changes nothing: it creates no missing file.
func TestDoctorChangesNothing(t *testing.T) {
	t.Parallel()
	d := newHarness(t, atWallClock)
	if status, found := d.diagnosed(nil); status != statusDone || found["database"].Result != doctor.Skipped {
		t.Errorf("status %d, %+v", status, found)
	}
	left, err := os.ReadDir(filepath.Dir(d.db))
	if err != nil || len(left) != 0 {
		t.Errorf("it left %v, %v", left, err)
	}
}

// refusing starts a server that answers its time, and every other call with the given
// status and body.
func refusing(t *testing.T, status int, body string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "/public/time") {
			_ = json.NewEncoder(w).Encode(map[string]any{"code": "00000", "msg": "success", "data": time.Now().UnixMilli()})
			return
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// The doctor reports each fault of the exchange under the right check, with its hint.
func TestDoctorExchange(t *testing.T) {
	t.Parallel()
	d := newHarness(t, atWallClock)
	apart := newHarness(t, func(o *simulator.Options) { o.Now = func() time.Time { return time.Now().Add(2 * time.Minute) } })
	stranger := newHarness(t, func(o *simulator.Options) { o.NotAffiliate, o.Now = true, time.Now })
	foreign := refusing(t, http.StatusBadRequest, `{"code":"40018","msg":"Invalid IP","data":null}`)
	sick := refusing(t, http.StatusOK, `<html>canteen</html>`)
	for _, c := range []struct {
		name   string
		at     *harness
		env    string
		check  string
		result string
		says   string
	}{
		{"wrong key", d, "API_KEY=canary-key", "signature (main)", doctor.Failed, "REBATEDESK_API_KEY"},
		{"wrong secret", d, "API_SECRET=canary-secret", "signature (main)", doctor.Failed, "REBATEDESK_API_SECRET"},
		{"wrong passphrase", d, "API_PASSPHRASE=canary-phrase", "signature (main)", doctor.Failed, "REBATEDESK_API_PASSPHRASE"},
		{"what follows from it", d, "API_SECRET=canary-secret", "permission (main)", doctor.Skipped, "signature"},
		{"unreachable", d, "BASE_URL=http://127.0.0.1:9", "exchange (main)", doctor.Failed, "check the network"},
		{"what follows from that", d, "BASE_URL=http://127.0.0.1:9", "signature (main)", doctor.Skipped, "answer"},
		{"clock", apart, "LOCALE=en-US", "clock (main)", doctor.Failed, "NTP"},
		{"clock, key", apart, "LOCALE=en-US", "signature (main)", doctor.OK, "accepted"},
		{"no affiliate", stranger, "LOCALE=en-US", "permission (main)", doctor.Failed, "affiliate account"},
		{"address", d, "BASE_URL=" + foreign, "permission (main)", doctor.Failed, "allow the address of this machine"},
		{"a proxy's page", d, "BASE_URL=" + sick, "signature (main)", doctor.Failed, "proxy"},
		{"contract market", d, "CONTRACT_BASE_URL=http://127.0.0.1:9", "contract market (main)", doctor.Failed, "check the network"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, found := c.at.diagnosed([]string{"REBATEDESK_" + c.env})
			f := found[c.check]
			if f.Result != c.result || !strings.Contains(f.Text+f.Hint, c.says) {
				t.Errorf("%+v, want %s with %q", f, c.result, c.says)
			}
			if status != statusFailed {
				t.Errorf("status %d", status)
			}
		})
	}
}

// A key that may not read bills or transfers works, and the doctor says what it lacks.
func TestDoctorNamesMissingPermissions(t *testing.T) {
	t.Parallel()
	d := newHarness(t, func(o *simulator.Options) { o.Forbidden, o.Now = []string{"4.14", "4.16"}, time.Now })
	status, found := d.diagnosed(nil)
	if status != statusDone {
		t.Errorf("status %d", status)
	}
	for check, hint := range map[string]string{"spot bills (main)": "permission to read the spot account", "transfers (main)": "permission to read transfers"} {
		if f := found[check]; f.Result != doctor.Warning || !strings.Contains(f.Hint, hint) || !strings.Contains(f.Text, "may not read") {
			t.Errorf("%s: %+v", check, f)
		}
	}
	for _, check := range []string{"permission (main)", "funding bills (main)"} {
		if f := found[check]; f.Result != doctor.OK {
			t.Errorf("%s: %+v", check, f)
		}
	}
}

// Faults of settings are reported all together, and the other checks still run.
func TestDoctorSettings(t *testing.T) {
	t.Parallel()
	d := newHarness(t, atWallClock)
	d.done(nil, "collect")
	status, stdout, stderr := d.run(t.Context(), []string{"REBATEDESK_SMTP_URL=smtp://u:canary@", "REBATEDESK_LISTEN=here"}, "doctor")
	if status != statusUsage || strings.Contains(stdout+stderr, "canary") {
		t.Errorf("status %d, stderr %s", status, stderr)
	}
	for _, line := range []string{"failed: settings: LISTEN ", "failed: settings: SMTP_URL ", "skipped: mail server: ", "skipped: web address: ", "ok: database: ", "ok: signature (main): "} {
		if !strings.Contains("\n"+stdout, "\n"+line) {
			t.Errorf("no line %q in\n%s", line, stdout)
		}
	}
	if strings.Count(stdout, "failed: settings") != 2 {
		t.Errorf("a fault is reported twice:\n%s", stdout)
	}
}

// The doctor reports faults of the files on this machine.
func TestDoctorFiles(t *testing.T) {
	t.Parallel()
	d := newHarness(t, atWallClock)
	d.done(nil, "collect")
	whole := contents(t, d.db)
	for _, c := range []struct {
		name, check, says string
		spoil             func(t *testing.T)
	}{
		{"readable by all", "permissions", "chmod o= ", func(t *testing.T) { chmod(t, d.db, 0o604) }},
		{"key readable by all", "permissions", "chmod o= ", func(t *testing.T) { write(t, d.db+".key", "x"); chmod(t, d.db+".key", 0o644) }},
		{"folder of all", "permissions", "chmod o-w", func(t *testing.T) { chmod(t, filepath.Dir(d.db), 0o777) }},
		{"no key", "master key", "not 32 bytes", func(t *testing.T) { write(t, d.db+".key", "canary") }},
		{"no database", "database", "cannot be read", func(t *testing.T) { write(t, d.db, strings.Repeat("no database ", 1000)) }},
		{"damaged", "database", "", func(t *testing.T) { write(t, d.db, damaged(whole)) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			chmod(t, filepath.Dir(d.db), 0o700)
			write(t, d.db, whole)
			chmod(t, d.db, 0o600)
			if err := os.RemoveAll(d.db + ".key"); err != nil {
				t.Fatal(err)
			}
			c.spoil(t)
			status, found := d.diagnosed([]string{"REBATEDESK_BASE_URL=http://127.0.0.1:9"})
			if f := found[c.check]; status != statusFailed || f.Result != doctor.Failed || !strings.Contains(f.Text+"; "+f.Hint, c.says) {
				t.Errorf("status %d, %+v, want %q", status, f, c.says)
			}
		})
	}
}

// damaged returns a database whose later pages contain noise.
func damaged(whole string) string {
	half := len(whole) / 2
	return whole[:half] + strings.Repeat("\xa5", len(whole)-half)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

// The doctor checks the addresses of the web server and its certificate.
func TestDoctorWeb(t *testing.T) {
	t.Parallel()
	d := newHarness(t, atWallClock)
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "desk.pem"), filepath.Join(dir, "desk.key")
	old, oldKey := filepath.Join(dir, "old.pem"), filepath.Join(dir, "old.key")
	selfsigned.Write(t, certifiedHost, cert, key, 1, time.Now().Add(90*config.OneDay))
	selfsigned.Write(t, certifiedHost, old, oldKey, 2, time.Now().Add(-time.Minute))
	files := func(cert, key, host string) []string {
		return []string{"--tls=files", "--tls-cert=" + cert, "--tls-key=" + key, "--public-url=https://" + host}
	}
	for _, c := range []struct {
		args   []string
		check  string
		result string
		says   string
	}{
		{[]string{"--listen=:80"}, "web address", doctor.Failed, "PUBLIC_URL"},
		{[]string{"--listen=:80", "--public-url=http://desk.example.com"}, "web address", doctor.Failed, "--insecure"},
		{[]string{"--listen=:80", "--public-url=http://desk.example.com", "--insecure"}, "web address", doctor.OK, "desk.example.com"},
		{[]string{"--public-url=https://desk.example.com"}, "web address", doctor.Failed, "TRUSTED_PROXIES"},
		{[]string{"--public-url=https://desk.example.com", "--trusted-proxies=127.0.0.1"}, "web address", doctor.OK, "by a proxy"},
		{[]string{"--tls=auto", "--public-url=https://desk.example.com"}, "certificate", doctor.Skipped, "port 443"},
		{files(cert, key, certifiedHost), "certificate", doctor.OK, certifiedHost},
		{files(cert, key, certifiedHost), "web address", doctor.OK, "https://" + certifiedHost},
		{files(cert, key, "other.example.com"), "certificate", doctor.Failed, "host of PUBLIC_URL"},
		{files(old, oldKey, certifiedHost), "certificate", doctor.Failed, "ended on"},
		{files(cert, oldKey, certifiedHost), "certificate", doctor.Failed, "belongs to it"},
	} {
		_, found := d.diagnosed(nil, c.args...)
		if f := found[c.check]; f.Result != c.result || !strings.Contains(f.Text+f.Hint, c.says) {
			t.Errorf("%v: %+v, want %s with %q", c.args, f, c.result, c.says)
		}
	}
}

// The doctor checks stored accounts like those from the settings, and distinguishes them by
// name.
func TestDoctorStoredAccounts(t *testing.T) {
	t.Parallel()
	d := newHarness(t, atWallClock)
	d.done(nil, "collect")
	keys := d.sim.APIKey + "\n" + d.sim.APISecret + "\n" + d.sim.APIPassphrase + "\n"
	if status, said := d.typed(keys, "account", "add", "--name", "stored", "--base-url", d.sim.BaseURL, "--keys-stdin"); status != statusDone {
		t.Fatal(said)
	}
	status, found := d.diagnosed(nil)
	for _, check := range []string{"permission (main)", "permission (stored)"} {
		if status != statusDone || found[check].Result != doctor.OK {
			t.Errorf("status %d, %s: %+v", status, check, found[check])
		}
	}
	if err := os.Remove(d.db + database.KeySuffix); err != nil {
		t.Fatal(err)
	}
	status, found = d.diagnosed(nil)
	if f := found["account (stored)"]; status != statusFailed || !strings.Contains(f.Text, "master key") {
		t.Errorf("without the master key: status %d, %+v", status, f)
	}
	write(t, d.db+database.KeySuffix, "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n")
	status, found = d.diagnosed(nil)
	if f := found["account (stored)"]; status != statusFailed || f.Result != doctor.Failed {
		t.Errorf("with another master key: status %d, %+v", status, f)
	}
}

// The doctor reports that no account is configured.
func TestDoctorNoAccount(t *testing.T) {
	t.Parallel()
	status, stdout, _ := (&harness{TB: t}).run(t.Context(), []string{"REBATEDESK_DB=" + t.TempDir() + "/desk.db"}, "doctor")
	if status != statusFailed || !strings.Contains(stdout, "failed: exchange: no account is set, and none is stored; ") {
		t.Errorf("status %d: %s", status, stdout)
	}
}
