package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"rebatedesk/cmd/webapp/internal/doctor"
	"rebatedesk/delivery/sftptest"
)

// A list of allowed hosts limits everything that is entered: it is refused then, and what was entered
// before is not connected to. The settings of the operator are not limited by it.
func TestAllowedHosts(t *testing.T) {
	t.Parallel()
	d := newHarness(t, atWallClock)
	var posted atomic.Int64
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { posted.Add(1) }))
	t.Cleanup(receiver.Close)
	dir := t.TempDir()
	files := sftptest.New(t, dir)
	address := filepath.Join(dir, "address")
	if err := os.WriteFile(address, []byte(receiver.URL+"/canary-path\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.env = append(d.env, "REBATEDESK_MASTER_KEY="+strings.Repeat("A", 43)+"=", "REBATEDESK_ALLOW_PRIVATE_URLS=on",
		"REBATEDESK_SFTP_PASSWORD="+sftptest.Password, "REBATEDESK_SFTP_KNOWN_HOSTS="+sftptest.KnownHosts(t, files.Address, files.HostKey))
	elsewhere, here := []string{"REBATEDESK_ALLOWED_HOSTS=*.example.com,files.example.net"}, []string{"REBATEDESK_ALLOWED_HOSTS=*.example.com,127.0.0.1"}
	d.done(elsewhere, "collect") // BASE_URL is a setting

	key := filepath.Join(dir, "key")
	if err := os.WriteFile(key, []byte("canary-key"), 0o600); err != nil {
		t.Fatal(err)
	}
	adds := map[string][]string{
		"channel":  {"channel", "add", "--name", "ops", "--kind", "webhook", "--url-file", address},
		"delivery": {"delivery", "add", "--name", "shelf", "--kind", "daily", "--every", "day", "--to", "sftp://me@" + files.Address + dir},
		"account":  {"account", "add", "--name", "other", "--base-url", d.sim.BaseURL, "--key-file", key, "--secret-file", key, "--passphrase-file", key},
	}
	for name, args := range adds {
		status, _, said := d.run(t.Context(), elsewhere, args...)
		if status != statusUsage || !strings.Contains(said, "ALLOWED_HOSTS") || strings.Contains(said, "canary") {
			t.Errorf("the %s at another host: status %d, %s", name, status, said)
		}
		d.done(here, args...)
	}
	if status, _, said := d.run(t.Context(), here, "channel", "test", "ops"); status != statusDone {
		t.Fatalf("the test of the channel: status %d, %s", status, said)
	}
	d.done(here, "delivery", "run", "shelf")
	if posted.Load() != 1 {
		t.Fatalf("%d requests while it is allowed", posted.Load())
	}
	for _, args := range [][]string{{"channel", "test", "ops"}, {"delivery", "run", "shelf"}, {"account", "test", "other"}} {
		status, stdout, said := d.run(t.Context(), elsewhere, args...)
		if status != statusFailed || !strings.Contains(stdout+said, "ALLOWED_HOSTS") {
			t.Errorf("%v when the host is not allowed any more: status %d, %s%s", args, status, stdout, said)
		}
	}
	if posted.Load() != 1 {
		t.Errorf("%d requests after it is allowed no more", posted.Load()-1)
	}
	_, found := d.diagnosed(elsewhere)
	for _, check := range []string{`delivery "shelf"`, "account (other)"} {
		if f := found[check]; f.Result != doctor.Failed || !strings.Contains(f.Text, "ALLOWED_HOSTS") {
			t.Errorf("the doctor at the %s: %+v", check, f)
		}
	}
}

// A server of files that no connection will be made to is refused when the delivery is entered.
func TestDeliveryToUnreachableServer(t *testing.T) {
	t.Parallel()
	d := readOnly(t)
	d.env = append(d.env, "REBATEDESK_MASTER_KEY="+strings.Repeat("A", 43)+"=")
	for _, host := range []string{"127.0.0.1", "169.254.169.254:2222", "[::1]", "[::ffff:10.0.0.1]:22", "192.0.2.7", "localhost"} {
		status, _, said := d.run(t.Context(), nil, "delivery", "add", "--name", "x", "--kind", "daily", "--every", "day", "--to", "sftp://me@"+host+"/in")
		if status != statusUsage || !strings.Contains(said, "--to") || !strings.Contains(said, "SFTP_KNOWN_HOSTS") {
			t.Errorf("%s: status %d, %s", host, status, said)
		}
	}
	d.done(nil, "delivery", "add", "--name", "x", "--kind", "daily", "--every", "day", "--to", "sftp://me@files.example.com/in")
}
