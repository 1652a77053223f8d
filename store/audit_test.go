package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/audit"
	"rebatedesk/store/storetest"
)

func appendLines(t testing.TB, s *store.Store, lines ...audit.Line) {
	t.Helper()
	if err := audit.Write(t.Context(), s, lines...); err != nil {
		t.Fatal(err)
	}
}

func auditPage(t testing.TB, s *store.Store, q audit.LogQuery) audit.LogPage {
	t.Helper()
	r, err := s.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	page, err := audit.ReadPage(t.Context(), r, q)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// Hostile texts are read back as stored, shortened, and break neither the line nor its
// proof.
func TestAuditKeepsHostileTexts(t *testing.T) {
	storetest.Engines(t, "texts with odd bytes", testAuditKeepsHostileTexts)
}

func testAuditKeepsHostileTexts(t *testing.T) {
	s := storetest.Audited(t)
	long := strings.Repeat("é", 5000)
	for _, c := range []struct{ in, out string }{
		{"", ""}, {"'; DROP TABLE audit; --", "'; DROP TABLE audit; --"}, {"<script>alert(1)</script>", "<script>alert(1)</script>"},
		{"=HYPERLINK(\"x\")\r\n\t\x1b[31m", "=HYPERLINK(\"x\")\r\n\t\x1b[31m"}, {"a\x00b", "a\uFFFDb"}, {"\xff\xfe", "\uFFFD"},
		{long, strings.Repeat("é", 1000) + "…"}, {strings.Repeat("é", 1000), strings.Repeat("é", 1000)}, {"\u202Egpj.exe", "\u202Egpj.exe"},
	} {
		line := audit.Line{ID: 99, At: 99, Actor: c.in, Via: c.in, Address: c.in, Action: c.in, Object: c.in, Detail: c.in, Outcome: c.in}
		appendLines(t, s, line)
		lines := storetest.AuditLines(t, s, audit.LogQuery{})
		got := lines[len(lines)-1]
		if got.Detail != c.out || got.ID != int64(len(lines)) || got.At == 99 {
			t.Errorf("%.40q was read back as %+v", c.in, got)
		}
		if len(got.Actor)+len(got.Via)+len(got.Address)+len(got.Action)+len(got.Object)+len(got.Detail)+len(got.Outcome) > 5000 {
			t.Errorf("%.40q takes too much space", c.in)
		}
	}
	if faults := unsound(verify(t, s)); len(faults) > 0 {
		t.Errorf("%q", faults)
	}
}

// A line is stored with the write that it reports: a write stores all its lines or none.
func TestAuditWriteIsAtomic(t *testing.T) {
	storetest.Engines(t, "the write as a whole is undone", testAuditWriteIsAtomic)
}

func testAuditWriteIsAtomic(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	if err := audit.Write(t.Context(), s, audit.Line{Action: "export"}); !errors.Is(err, store.ErrNoAuditKey) {
		t.Errorf("without a key: %v", err)
	}
	if err := s.UseAuditKey(t.Context(), storetest.AuditKey[:31]); err == nil {
		t.Error("a short key is accepted")
	}
	if err := s.UseAuditKey(t.Context(), storetest.AuditKey); err != nil {
		t.Fatal(err)
	}
	appendLines(t, s, audit.Line{Action: "a"}, audit.Line{Action: "b"})
	if lines := storetest.AuditLines(t, s, audit.LogQuery{}); len(lines) != 2 || lines[0].At != lines[1].At || lines[1].ID != 2 {
		t.Errorf("%+v", lines)
	}
}

// A database belongs to one key. A different key is detected when the database is opened,
// before anything is written with it.
func TestAuditRefusesAnotherKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "desk.db")
	s, err := store.Open(t.Context(), path, store.Options{AuditKey: storetest.AuditKey})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if id, err := s.AuditKeyID(t.Context()); err != nil || id != "" {
		t.Errorf("an empty log has the key %q: %v", id, err)
	}
	late, err := store.Open(t.Context(), path, store.Options{AuditKey: bytes.Repeat([]byte{8}, 32)})
	if err != nil {
		t.Fatal(err)
	}
	defer late.Close()
	appendLines(t, s, audit.Line{Action: "sign-in"})
	if id, err := s.AuditKeyID(t.Context()); err != nil || len(id) != 16 {
		t.Errorf("the key is named %q: %v", id, err)
	}
	if err := audit.Write(t.Context(), late, audit.Line{Action: "sign-in"}); !errors.Is(err, store.ErrAuditKey) {
		t.Errorf("another key was accepted in the middle: %v", err)
	}
	other, err := store.Open(t.Context(), path, store.Options{AuditKey: bytes.Repeat([]byte{8}, 32)})
	if other != nil {
		other.Close()
	}
	if !errors.Is(err, store.ErrAuditKey) {
		t.Errorf("another key opens it: %v", err)
	}
	if f := verifyWithoutKey(t, path); f.Sound() || !strings.Contains(f.Remedy, "MASTER_KEY") {
		t.Errorf("verified without a key: %+v", f)
	}
}

func verifyWithoutKey(t *testing.T, path string) store.VerifyResult {
	t.Helper()
	s, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return verify(t, s)["audit log"]
}

// For every query the pages together hold exactly the lines of the export, newest first,
// and each filter has its effect.
func TestAuditPagesEqualTheExport(t *testing.T) {
	storetest.Engines(t, "the order of rows, the letters of a search", testAuditPagesEqualTheExport)
}

func testAuditPagesEqualTheExport(t *testing.T) {
	s := storetest.Audited(t)
	for i := range 60 {
		appendLines(t, s, audit.Line{
			Actor: fmt.Sprintf("user%d", i%3), Via: "session", Action: []string{"export", "sign-in"}[i/2%2],
			Object: fmt.Sprintf("/commissions?q=50%%_%d", i), Detail: map[bool]string{true: "Rare"}[i == 4], Outcome: "ok",
		})
	}
	all := storetest.AuditLines(t, s, audit.LogQuery{})
	if len(all) != 60 {
		t.Fatalf("%d lines", len(all))
	}
	for _, q := range []audit.LogQuery{
		{}, {Actor: "user1"}, {Action: "export"}, {Actor: "user2", Action: "sign-in"}, {Text: "rare"}, {Text: "%_3"}, {Text: "nothing"},
		{From: all[10].At}, {To: all[10].At}, {From: all[10].At + 1, To: all[20].At + 1, Actor: "user0"}, {From: all[59].At + 1}, {To: all[0].At},
		{Actor: "nobody"}, {From: all[20].At, To: all[10].At}, {Text: "\n"},
	} {
		want := slices.DeleteFunc(slices.Clone(all), func(a audit.Line) bool {
			text := strings.ToLower(strings.Join([]string{a.Actor, a.Via, a.Address, a.Action, a.Object, a.Detail, a.Outcome}, "\n"))
			return q.Actor != "" && a.Actor != q.Actor || q.Action != "" && a.Action != q.Action || !strings.Contains(text, strings.ToLower(q.Text)) ||
				q.From.Known() && a.At < q.From || q.To.Known() && a.At >= q.To
		})
		if got := storetest.AuditLines(t, s, q); !slices.Equal(got, want) {
			t.Errorf("%+v exports %d lines, want %d", q, len(got), len(want))
		}
		slices.Reverse(want)
		var got []audit.Line
		q.Limit, q.Reach = 4, 7
		for range 61 {
			page := auditPage(t, s, q)
			got = append(got, page.Lines...)
			if q.Before = page.Next; q.Before == 0 {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("the pages of %+v have %d lines, want %d", q, len(got), len(want))
		}
	}
}

func TestAuditNames(t *testing.T) { storetest.Engines(t, "the order of texts", testAuditNames) }

func testAuditNames(t *testing.T) {
	s := storetest.Audited(t)
	appendLines(t, s, audit.Line{Action: "sign-in failed"}, audit.Line{Actor: "zoe", Action: "export"}, audit.Line{Actor: "ann", Action: "export"}, audit.Line{Actor: "zoe", Action: "export"})
	r, err := s.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	actors, err := audit.Actors(t.Context(), r)
	if err != nil || !reflect.DeepEqual(actors, []string{"ann", "zoe"}) {
		t.Errorf("actors %q, %v", actors, err)
	}
	if actions, err := audit.Actions(t.Context(), r); err != nil || !reflect.DeepEqual(actions, []string{"export", "sign-in failed"}) {
		t.Errorf("actions %q, %v", actions, err)
	}
}

// No query of the log may scan or sort all of it.
func TestAuditPlans(t *testing.T) {
	s := storetest.Audited(t)
	appendLines(t, s, audit.Line{Actor: "a", Action: "b"})
	asked, err := store.Listen(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []audit.LogQuery{
		{}, {Actor: "a"}, {Action: "b"}, {Actor: "a", Action: "b"}, {Text: "x"}, {From: 1, To: affiliate.Millis(1 << 50)}, {From: 1, Actor: "a"}, {From: 1, Action: "b", Text: "x"},
	} {
		auditPage(t, s, q)
		plans, err := asked.Plans()
		if err != nil || len(plans) == 0 {
			t.Fatal(plans, err)
		}
		for _, plan := range plans {
			if strings.Contains(plan, "TEMP B-TREE") || strings.HasPrefix(plan, "SCAN audit") {
				t.Errorf("%+v: %s", q, plan)
			}
		}
		if said := strings.Join(plans, "\n"); q.Text == "" && q.Actor != "" && !strings.Contains(said, "audit_by_actor") ||
			q.Text == "" && q.Action != "" && q.Actor == "" && !strings.Contains(said, "audit_by_action") {
			t.Errorf("%+v does not use its index:\n%s", q, said)
		}
	}
}
