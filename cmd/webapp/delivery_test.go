package main

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rebatedesk/reports"
)

// deliveryLine is a line of delivery log.
func (d *harness) deliveryLine(name string) map[string]string {
	d.Helper()
	lines := strings.Split(strings.TrimSpace(d.done(nil, "delivery", "log", "--name", name, "--most", "1")), "\n")
	if len(lines) != 2 {
		d.Fatalf("the log has %d lines", len(lines))
	}
	found := map[string]string{}
	names := strings.Split(lines[0], "  ")
	at := 0
	for _, head := range names {
		if head = strings.TrimSpace(head); head == "" {
			continue
		}
		at = strings.Index(lines[0], head)
		value, _, _ := strings.Cut(lines[1][at:]+"  ", "  ")
		found[head] = value
	}
	return found
}

// Every kind of export is delivered with the bytes that webapp export gives for the same range
// and state, with the same manifest but for the time of writing.
func TestDeliveriesAreExports(t *testing.T) {
	t.Parallel()
	d := readOnly(t)
	d.env = append(d.env, "REBATEDESK_MASTER_KEY="+base64.StdEncoding.EncodeToString(make([]byte, 32)))
	dir, again := t.TempDir(), t.TempDir()
	formats := map[string]string{"commissions": "parquet", "invitees": "xlsx", "sub-affiliates": "csv", "daily": "xlsx", "bills": "jsonl", "payments": "csv",
		"changes": "csv", "rates": "parquet", "worklist": "csv", "people": "csv"}
	for kind, format := range formats {
		d.done(nil, "delivery", "add", "--name", kind, "--kind", kind, "--format", format, "--every", "week", "--at", "05:30", "--to", "file://"+dir)
		status, stdout, stderr := d.run(t.Context(), nil, "delivery", "run", kind)
		file := strings.TrimSpace(stdout)
		if status != statusDone && status != statusIncomplete || file == "" || strings.HasPrefix(file, "incomplete-") != (status == statusIncomplete) {
			t.Errorf("%s: status %d, %q, %s", kind, status, stdout, stderr)
			continue
		}
		var m reports.ExportManifest
		text := contents(t, filepath.Join(dir, file+".manifest.json"))
		if err := json.Unmarshal([]byte(text), &struct {
			*reports.ExportManifest
			Sums []map[string]any `json:"sums"`
		}{ExportManifest: &m}); err != nil {
			t.Fatal(err)
		}
		line := d.deliveryLine(kind)
		if line["FILE"] != file || line["SHA-256"] != m.SHA256 {
			t.Errorf("%s: the log has %v", kind, line)
		}
		args := []string{"export", kind, "--format", format, "-o", filepath.Join(again, kind), "--manifest", filepath.Join(again, kind+".json")}
		switch kind {
		case "people":
			args = args[:6]
		case "changes":
			args = append(args, "--since", m.Since, "--until", m.Until)
		case "worklist":
			args = append(args, "--as-of", m.AsOf)
		default:
			args = append(args, "--as-of", m.AsOf, "--from", m.From, "--to", m.To)
		}
		if status, _, stderr := d.run(t.Context(), nil, args...); status != statusDone {
			t.Errorf("%v: status %d, %s", args, status, stderr)
			continue
		}
		if contents(t, filepath.Join(again, kind)) != contents(t, filepath.Join(dir, file)) {
			t.Errorf("%s: the delivered file is not the export", kind)
		}
		if kind == "people" {
			continue
		}
		was, _, _ := strings.Cut(text, `"written"`)
		if is, _, _ := strings.Cut(contents(t, filepath.Join(again, kind+".json")), `"written"`); is != was {
			t.Errorf("%s: the manifest is %s, want %s", kind, was, is)
		}
	}
}

// The commands keep deliveries, and say what is wrong with a line.
func TestDeliveryCommands(t *testing.T) {
	t.Parallel()
	d := readOnly(t)
	d.env = append(d.env, "REBATEDESK_MASTER_KEY="+base64.StdEncoding.EncodeToString(make([]byte, 32)))
	dir := t.TempDir()
	add := []string{"delivery", "add", "--name", "daily", "--kind", "commissions", "--every", "day", "--to", "file://" + dir}
	d.done(nil, add...)
	if list := d.done(nil, "delivery", "list"); !strings.Contains(list, "daily  commissions  csv     day    06:00  period   -        file://"+dir) {
		t.Errorf("the list is\n%s", list)
	}
	d.done(nil, "delivery", "pause", "--name", "daily")
	if list := d.done(nil, "delivery", "list"); !strings.Contains(list, "  paused") {
		t.Errorf("the list is\n%s", list)
	}
	d.done(nil, "delivery", "resume", "daily")
	day := (d.today() - 3).String()
	if got := d.done(nil, "delivery", "run", "daily", "--date", day); got != "commissions_"+day+"_"+day+"_UTC.csv\n" {
		t.Errorf("run printed %q", got)
	}
	d.done(nil, "delivery", "remove", "--name", "daily")
	if _, err := os.Stat(filepath.Join(dir, "commissions_"+day+"_"+day+"_UTC.csv")); err != nil {
		t.Errorf("removing a delivery removed its file: %v", err)
	}
	for line, says := range map[string]string{
		"delivery run":                          "say which delivery",
		"delivery run a --name b":               "two names",
		"delivery run --name x --date 1.9.2026": "--date",
		"delivery add --name x --kind money --every day --to file:///x":                                    "--kind",
		"delivery add --name x --kind daily --every hour --to file:///x":                                   "--every",
		"delivery add --name x --kind daily --every day --to ftp://x/y":                                    "--to",
		"delivery add --name x --kind daily --every day --to sftp://u:canary-pw@x/y":                       "no password",
		"delivery add --name x --kind daily --every day --to file:///x --at 25:00":                         "--at",
		"delivery add --name x --kind daily --every day --to file:///x --format pdf":                       "--format",
		"delivery add --name x --kind daily --every day --to file:///x --content incremental":              "--content",
		"delivery add --name x --kind invitees --every day --to file:///x --coin USDT":                     "--coin",
		"delivery add --name x --kind daily --every day --to file:///x --s3-endpoint http://a.example.com": "S3_ALLOW_HTTP",
		"delivery add --name x --kind daily --every day --to file:///x --s3-access-key key":                "S3_SECRET_KEY",
		"delivery add --name x --kind daily --every day --to file:///x --delivery-folders tmp":             "DELIVERY_FOLDERS",
		"delivery add --name x --kind daily --every day --to file:///x --sftp-key canary-key":              "SFTP_KEY",
		"delivery add --name x --kind daily --every day --to file:///x --delivery-folders /srv":            "DELIVERY_FOLDERS",
	} {
		status, stdout, stderr := d.run(t.Context(), nil, strings.Fields(line)...)
		if status != statusUsage || stdout != "" || !strings.Contains(stderr, says) || strings.Contains(stderr, "canary") {
			t.Errorf("%s: status %d, %s%s", line, status, stdout, stderr)
		}
	}
	if status, _, stderr := d.run(t.Context(), nil, "delivery", "run", "nobody"); status != statusFailed || !strings.Contains(stderr, "delivery list shows them") {
		t.Errorf("status %d, %s", status, stderr)
	}
	d.done(nil, "delivery", "add", "--name", "gone", "--kind", "daily", "--every", "month", "--to", "file://"+dir+"/none")
	if status, stdout, stderr := d.run(t.Context(), nil, "delivery", "run", "--name", "gone"); status != statusFailed || stdout != "" || !strings.Contains(stderr, "make it, or mount its disk") {
		t.Errorf("status %d, %s%s", status, stdout, stderr)
	}
}
