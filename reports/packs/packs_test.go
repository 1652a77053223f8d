package packs_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"rebatedesk/affiliate"
	"rebatedesk/internal/pdftext"
	"rebatedesk/reports"
	"rebatedesk/reports/packs"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store"
	"rebatedesk/store/storetest"
	"rebatedesk/store/upkeep"
	"rebatedesk/terms"
)

// samePacks compares packs, and names the members that differ.
func samePacks(t testing.TB, when string, got, want map[string][]byte) {
	t.Helper()
	for kind := range want {
		if bytes.Equal(got[kind], want[kind]) {
			continue
		}
		before, after := reporttest.MembersOf(t, want[kind]), reporttest.MembersOf(t, got[kind])
		for path := range before {
			if before[path] != after[path] {
				t.Errorf("%s, the pack of a %s differs in %s: %s", when, kind, path, firstDifference(after[path], before[path]))
			}
		}
		t.Errorf("%s, the pack of a %s has other bytes", when, kind)
	}
}

// firstDifference shows the first line in which two texts differ.
func firstDifference(got, want string) string {
	before := strings.Split(want, "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(before) || line != before[i] {
			return fmt.Sprintf("line %d, %.300q", i+1, line)
		}
	}
	return "it is shorter"
}

// Packs are the same whenever they are made again: after a restatement, a restart, and on the
// other engines.
func TestPacksStayTheSameOnEngines(t *testing.T) {
	servers := storetest.Servers(t)
	t.Parallel()
	path := filepath.Join(t.TempDir(), "desk.db")
	storetest.Place(t, path)
	d := reporttest.NewFixtureAt(t, "Asia/Kathmandu", path)
	d.FillForPacks(t)
	at := d.Now.Add(time.Second) // stamps of writes run ahead of a clock that stands still
	d.Now = d.Now.Add(time.Minute)
	want := d.Packs(t, at)
	d.Change(t)
	samePacks(t, "after a restatement", d.Packs(t, at), want)
	d.SetPayoutRule("month+1d together") // as the setting might be after a restart
	again := d.Packs(t, at)
	samePacks(t, "under another payout rule", map[string][]byte{"month": again["month"]}, map[string][]byte{"month": want["month"]})
	d.SetPayoutRule("")
	for engine, empty := range servers {
		t.Run(engine, func(t *testing.T) {
			place := empty(t)
			_, err := upkeep.CopyInto(t.Context(), d.DB, place, store.Options{Zone: d.Zone}, func(upkeep.CopyProgress) {})
			storetest.Done(t, err)
			copied := reporttest.NewFixtureAt(t, "Asia/Kathmandu", place)
			copied.Now = d.Now
			samePacks(t, "on "+engine, copied.Packs(t, at), want)
		})
	}
}

// The commands of the README check a pack without this program, and find a member that was changed.
func TestPackIsCheckedByHand(t *testing.T) {
	for _, tool := range []string{"openssl", "sed", "sha256sum"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool + " is not installed")
		}
	}
	d := reporttest.NewFixture(t, "UTC")
	d.FillForPacks(t)
	pack, err := d.Service.OpenMonthPack(t.Context(), reporttest.PackedMonth)
	members := reporttest.MembersOf(t, reporttest.Packed(t, pack, err))
	readme, commands := members["README.txt"], packs.ByHand
	if !strings.Contains(readme, commands) {
		t.Fatalf("the README has not these commands:\n%s", readme)
	}
	byHand := func() (string, error) {
		folder := t.TempDir()
		for path, text := range members {
			storetest.Done(t, os.WriteFile(filepath.Join(folder, path), []byte(text), 0o600))
		}
		command := exec.CommandContext(t.Context(), "sh", "-c", commands)
		command.Dir = folder
		out, err := command.CombinedOutput()
		return string(out), err
	}
	out, err := byHand()
	if err != nil || !strings.Contains(out, string(reporttest.PackKey(t).Public().Fingerprint())) || !strings.Contains(out, "Signature Verified Successfully") ||
		strings.Count(out, ": OK\n") != len(members)-2 {
		t.Errorf("of %d members: %s, %v", len(members), out, err)
	}
	members["records.csv"] += " "
	if out, err := byHand(); err == nil || !strings.Contains(out, "records.csv: FAILED") {
		t.Errorf("a changed member: %s, %v", out, err)
	}
}

// No pack leaves a file in the folder of temporary files, however it ends.
func TestPackLeavesNothingBehind(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	d := reporttest.NewFixture(t, "UTC")
	d.FillForPacks(t)
	for _, room := range []int{0, 5000, 1 << 30} {
		pack, err := d.Service.OpenMonthPack(t.Context(), reporttest.PackedMonth)
		storetest.Done(t, err)
		pack.SignBy(reporttest.PackKey(t))
		if _, err := pack.Write(t.Context(), &reporttest.ClosedPipe{Left: room}, ""); (err == nil) != (room == 1<<30) || err != nil && !errors.Is(err, reporttest.ErrPipe) {
			t.Errorf("with room for %d bytes: %v", room, err)
		}
		storetest.Done(t, pack.Close())
		if left, err := filepath.Glob(filepath.Join(temporary, "rebatedesk-*")); err != nil || len(left) != 0 {
			t.Errorf("files left behind: %v, %v", left, err)
		}
	}
}

// A pack has what it says: the sums of its records are those of the closing, and the terms of
// sub-affiliates stay at home.
func TestPackOfMonth(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "Asia/Kathmandu")
	_, err := d.Service.OpenMonthPack(t.Context(), reporttest.PackedMonth)
	if open, ok := errors.AsType[*reports.NotClosedError](err); !ok || open.Month != reporttest.PackedMonth {
		t.Fatalf("the pack of an open month: %v", err)
	}
	d.FillForPacks(t)
	d.Now = d.Now.Add(time.Minute)
	closing, err := d.Service.ClosingsInForce(t.Context())
	storetest.Done(t, err)
	all := d.Packs(t, d.Now)
	members := reporttest.MembersOf(t, all["month"])
	want := []string{"README.txt", "closing.txt", "closing.json", "records.csv", "records.xlsx", "payments.csv", "payments.xlsx", "bills.csv", "bills.xlsx",
		"changes.csv", "changes.xlsx", "rates.csv", "rates.xlsx", "terms.csv", "coverage.csv", "answers.csv", "letter.txt", "letter.pdf", "public-key.pem", "manifest.json", "manifest.sig"}
	for _, path := range want {
		if members[path] == "" {
			t.Errorf("%s is missing", path)
		}
		if name, _, _ := strings.Cut(path, "."); !strings.Contains(members["README.txt"], name+".") {
			t.Errorf("README.txt does not explain %s", path)
		}
	}
	if len(members) != len(want) {
		t.Errorf("%d members instead of %d", len(members), len(want))
	}
	if tagged := pdftext.Tagged(t, []byte(members["letter.pdf"])); !strings.Contains(tagged, "\n  H1 ") || !strings.Contains(tagged, "\n  Table\n    TR\n      TH Scope /Column ") {
		t.Errorf("the letter is read aloud as\n%s", tagged)
	}
	sums := map[string]*affiliate.Sum{}
	for _, s := range closing[0].Sums {
		key := fmt.Sprint(s.Account, s.Product, s.Coin, s.Source)
		if sums[key] == nil {
			sums[key] = new(affiliate.Sum)
		}
		sums[key].Add(s.Commission)
	}
	for _, row := range rowsOf(t, members["records.csv"]) {
		key := row["account"] + row["product_type"] + row["coin"] + row["source_type"]
		if sums[key] == nil {
			t.Fatalf("the closing has no sum of %s", key)
		}
		sums[key].Sub(affiliate.Number(row["commission"]))
	}
	for key, sum := range sums {
		if sum.Cmp(new(affiliate.Sum)) != 0 {
			t.Errorf("%s: the closing has %s more than the records", key, sum)
		}
	}
	if text := members["terms.csv"]; !strings.Contains(text, "agreed by mail") || strings.Contains(text, "not for the exchange") {
		t.Errorf("the terms are %s", text)
	}
	if again, err := terms.Parse(t.Context(), []byte(members["terms.csv"])); err != nil || len(again.Terms) != 2 || again.Terms[1].Note != `=HYPERLINK("x")` {
		t.Errorf("the terms are imported again as %+v, %v", again.Terms, err)
	}
	paid := map[string]*affiliate.Sum{}
	for _, of := range []struct{ file, column string }{{"payments.csv", "paid"}, {"bills.csv", "amount"}} {
		for _, row := range rowsOf(t, members[of.file]) {
			if paid[row["coin"]] == nil {
				paid[row["coin"]] = new(affiliate.Sum)
			}
			if amount := affiliate.Number(row[of.column]); of.column == "paid" {
				paid[row["coin"]].Add(amount)
			} else {
				paid[row["coin"]].Sub(amount)
			}
		}
	}
	for coin, sum := range paid {
		if sum.Cmp(new(affiliate.Sum)) != 0 {
			t.Errorf("the payments have %s %s more than their bills", sum, coin)
		}
	}
	if letter := strings.Join(strings.Fields(members["letter.txt"]), " "); !strings.Contains(letter, "commissions of August 2026") || !strings.Contains(letter, "other") {
		t.Errorf("the letter is\n%s", letter)
	}
	for line := range strings.SplitSeq(members["letter.txt"], "\n") {
		if utf8.RuneCountInString(line) > 78 {
			t.Errorf("a line of the letter is too long for a mail: %s", line)
		}
	}
	for _, row := range rowsOf(t, reporttest.MembersOf(t, all["invitee"])["records.csv"]) {
		if row["uid"] != "4667776803" {
			t.Fatalf("a record of another invitee: %v", row)
		}
	}
	if lines := rowsOf(t, reporttest.MembersOf(t, all["payment"])["payments.csv"]); len(lines) != 1 {
		t.Errorf("%d lines of payments in the pack of one", len(lines))
	}
}

// rowsOf reads a CSV file.
func rowsOf(t testing.TB, text string) (list []map[string]string) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	storetest.Done(t, err)
	for _, cells := range rows[1:] {
		row := map[string]string{}
		for i, name := range rows[0] {
			row[name] = cells[i]
		}
		list = append(list, row)
	}
	return list
}
