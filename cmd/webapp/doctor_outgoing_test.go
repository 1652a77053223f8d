package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rebatedesk/cmd/webapp/internal/doctor"
	"rebatedesk/delivery/sftptest"
)

// The doctor has a line for each channel and each destination, with what mends it, and sends
// nothing to either.
func TestDoctorOutgoing(t *testing.T) {
	t.Parallel()
	d := newHarness(t, atWallClock)
	d.done(nil, "collect")
	requests := 0
	gone := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests++
		w.WriteHeader(http.StatusGone)
	}))
	t.Cleanup(gone.Close)
	dir := t.TempDir()
	address, kept, lost, shelf := filepath.Join(dir, "address"), filepath.Join(dir, "kept"), filepath.Join(dir, "lost"), filepath.Join(dir, "shelf")
	for _, folder := range []string{kept, lost, shelf} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(address, []byte(gone.URL+"/canary-path\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	key := []string{"REBATEDESK_MASTER_KEY=" + strings.Repeat("A", 43) + "="}
	if status, _, said := d.run(t.Context(), key, "channel", "add", "--name", "ops", "--kind", "webhook", "--url-file", address); status != statusUsage || !strings.Contains(said, "ALLOW_PRIVATE_URLS=on") || strings.Contains(said, "canary") {
		t.Errorf("a receiver on this machine: status %d, %s", status, said)
	}
	key = append(key, "REBATEDESK_ALLOW_PRIVATE_URLS=on")
	for _, name := range []string{"ops", "dead", "still"} {
		d.done(key, "channel", "add", "--name", name, "--kind", "webhook", "--url-file", address)
	}
	if status, _, _ := d.run(t.Context(), key, "channel", "test", "dead"); status != statusFailed {
		t.Errorf("the test of a receiver that is gone ends with %d", status)
	}
	d.done(key, "channel", "pause", "still")
	for name, folder := range map[string]string{"warehouse": kept, "attic": lost, "shelf": shelf} {
		d.done(key, "delivery", "add", "--name", name, "--kind", "commissions", "--format", "csv", "--every", "day", "--at", "06:00", "--to", "file://"+folder)
	}
	d.done(key, "delivery", "pause", "shelf")
	if err := os.Remove(lost); err != nil {
		t.Fatal(err)
	}
	asked := requests
	status, found := d.diagnosed(key)
	if status != statusFailed || requests != asked {
		t.Errorf("status %d, %d requests to the receiver", status, requests-asked)
	}
	for check, want := range map[string][2]string{
		`channel "ops"`:        {doctor.OK, "nothing was sent to it yet"},
		`channel "dead"`:       {doctor.Failed, "410 Gone"},
		`channel "still"`:      {doctor.Skipped, "it is paused since"},
		`delivery "warehouse"`: {doctor.OK, "can be written into"},
		`delivery "attic"`:     {doctor.Failed, "make it, or mount its disk"},
		`delivery "shelf"`:     {doctor.Skipped, "it is paused since"},
	} {
		if f := found[check]; f.Result != want[0] || !strings.Contains(f.Text, want[1]) {
			t.Errorf("%s: %+v, want %s with %q", check, f, want[0], want[1])
		}
	}
	if f := found[`channel "dead"`]; !strings.Contains(f.Hint, "webapp channel resume") {
		t.Errorf("the hint is %q", f.Hint)
	}
	left, err := os.ReadDir(kept)
	if err != nil || len(left) != 0 {
		t.Errorf("the doctor put %v there, %v", left, err)
	}
}

// A key that may only write is told apart from a bucket that is missing, and from a storage that
// does not answer.
func TestDoctorBuckets(t *testing.T) {
	t.Parallel()
	d := newHarness(t, atWallClock)
	d.done(nil, "collect")
	storage := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodHead {
			t.Errorf("the doctor sends %s %s", r.Method, r.URL)
		}
		switch bucket, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/"); bucket {
		case "hidden":
			w.WriteHeader(http.StatusForbidden)
		case "missing":
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(storage.Close)
	settings := []string{"REBATEDESK_MASTER_KEY=" + strings.Repeat("A", 43) + "=", "REBATEDESK_S3_ENDPOINT=" + storage.URL, "REBATEDESK_S3_ACCESS_KEY=key", "REBATEDESK_S3_SECRET_KEY=canary-secret"}
	for _, bucket := range []string{"shown", "hidden", "missing"} {
		d.done(settings, "delivery", "add", "--name", bucket, "--kind", "commissions", "--format", "csv", "--every", "day", "--at", "06:00", "--to", "s3://"+bucket+"/figures")
	}
	_, found := d.diagnosed(settings)
	for bucket, want := range map[string][2]string{
		"shown":   {doctor.OK, "the storage accepts the key"},
		"hidden":  {doctor.Warning, "it may only write"},
		"missing": {doctor.Failed, "has no bucket missing"},
	} {
		if f := found[`delivery "`+bucket+`"`]; f.Result != want[0] || !strings.Contains(f.Text, want[1]) {
			t.Errorf("%s: %+v, want %s with %q", bucket, f, want[0], want[1])
		}
	}
}

// The line of a delivery to an SFTP server says what is wrong of it, and leaves no file there.
func TestDoctorServers(t *testing.T) {
	t.Parallel()
	d := newHarness(t, atWallClock)
	d.done(nil, "collect")
	dir := t.TempDir()
	server, other := sftptest.New(t, dir), sftptest.New(t, dir)
	known := sftptest.KnownHosts(t, server.Address, server.HostKey)
	with := func(password, known string) []string {
		return []string{"REBATEDESK_MASTER_KEY=" + strings.Repeat("A", 43) + "=", "REBATEDESK_SFTP_PASSWORD=" + password, "REBATEDESK_SFTP_KNOWN_HOSTS=" + known}
	}
	usual := with(sftptest.Password, known)
	// A delivery to a server whose key is not known is refused, so both are known at first.
	both := filepath.Join(t.TempDir(), "known_hosts")
	lines := contents(t, known) + "\n" + contents(t, sftptest.KnownHosts(t, other.Address, other.HostKey))
	if err := os.WriteFile(both, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, address := range map[string]string{"there": server.Address + dir, "folder": server.Address + dir + "/none", "other": other.Address + dir} {
		d.done(with(sftptest.Password, both), "delivery", "add", "--name", name, "--kind", "commissions", "--format", "csv", "--every", "day", "--at", "06:00", "--to", "sftp://me@"+address)
	}
	for _, test := range []struct {
		settings     []string
		name         string
		result, says string
	}{
		{usual, "there", doctor.OK, ""},
		{usual, "folder", doctor.Failed, "has no folder"},
		{usual, "other", doctor.Failed, "is reached only if " + known + " has its key"},
		{with("canary-password", known), "there", doctor.Failed, "refuses the user me"},
		{with(sftptest.Password, sftptest.KnownHosts(t, server.Address, other.HostKey)), "there", doctor.Failed, "another key than before"},
	} {
		_, found := d.diagnosed(test.settings)
		if f := found[`delivery "`+test.name+`"`]; f.Result != test.result || !strings.Contains(f.Text, test.says) {
			t.Errorf("%s: %+v, want %s with %q", test.name, f, test.result, test.says)
		}
		for name, f := range found {
			if strings.Contains(f.Text, "canary") || strings.Contains(f.Text, sftptest.Password) {
				t.Errorf("the line of %s tells a password: %s", name, f.Text)
			}
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("the folder has %v (%v)", files, err)
	}
}
