package agreements_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/agreements"
	"rebatedesk/store/audit"
	"rebatedesk/store/storetest"
	"rebatedesk/tabular"
	"rebatedesk/terms"
)

const head = "scope,value,product_type,rate,from,to,note,tier_by,tier_from\n"

var ann = audit.Line{Actor: "ann", Via: "command"}

func opened(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), storetest.Empty(t), store.Options{AuditKey: storetest.AuditKey})
	storetest.Done(t, err)
	t.Cleanup(func() { storetest.Done(t, s.Close()) })
	return s
}

func parse(t *testing.T, lines string) terms.File {
	t.Helper()
	f, err := terms.Parse(t.Context(), []byte(head+lines))
	storetest.Done(t, err)
	return f
}

// imported imports lines and returns how many terms it added, changed, left and ended, and
// the stamp of the write.
func imported(t *testing.T, s *store.Store, lines string) (counts [4]int, stamp affiliate.Millis) {
	t.Helper()
	m, err := agreements.ImportTerms(t.Context(), s, parse(t, lines), "a.csv", store.AnyVersion, ann)
	storetest.Done(t, err)
	stamp, err = agreements.TermsStamp(t.Context(), storetest.Reader(t, s))
	storetest.Done(t, err)
	return [4]int{len(m.Added), len(m.Changed), len(m.Unchanged), len(m.Ended)}, stamp
}

func inForce(t *testing.T, s *store.Store, at affiliate.Millis) (list []string) {
	t.Helper()
	all, err := agreements.TermsAt(t.Context(), storetest.Reader(t, s), at)
	storetest.Done(t, err)
	for _, term := range all {
		list = append(list, fmt.Sprintf("%d %s: %s, %s %s", term.ID, term.About(), term.Rate, term.Days(), term.Note))
	}
	return list
}

func equal(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A later term ends an earlier one without deleting it, a change keeps the earlier version, a
// removal is known from its instant on, and each has its line in the audit log.
func TestVersions(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "statements about agreements, the order of versions", testVersions)
}

func testVersions(t *testing.T) {
	s := opened(t)
	first := "all,,,0.30,2026-01-01,,basic,,\nuid,4711,SPOT,0.4,2026-02-01,,,volume,1000000.00\n"
	counts, one := imported(t, s, first)
	if counts != [4]int{2, 0, 0, 0} {
		t.Errorf("the first import: %v", counts)
	}
	// The same again changes nothing, however the numbers are written.
	counts, again := imported(t, s, strings.Replace(first, "0.30", "0.3000", 1))
	if counts != [4]int{0, 0, 2, 0} || again != one {
		t.Errorf("the same again: %v, %v after %v", counts, again, one)
	}
	counts, two := imported(t, s, "all,,,0.25,2026-06-01,,lowered,,\nuid,4711,SPOT,0.4,2026-02-01,2026-08-31,until August,volume,1000000\n")
	if counts != [4]int{1, 1, 0, 1} {
		t.Errorf("the second import: %v", counts)
	}
	removed, err := agreements.RemoveTerm(t.Context(), s, 1, ann)
	storetest.Done(t, err)
	if removed.Rate != "0.30" || removed.Note != "basic" {
		t.Errorf("removed %+v", removed)
	}
	var rule *store.RuleError
	for _, id := range []int64{1, 99} {
		if _, err := agreements.RemoveTerm(t.Context(), s, id, ann); !errors.As(err, &rule) || !rule.Missing {
			t.Errorf("term %d: %v", id, err)
		}
	}
	const tier = "uid 4711, SPOT, from a volume of 1000000 on: 0.4, from 2026-02-01"
	equal(t, "before", inForce(t, s, one-1), nil)
	equal(t, "after the first import", inForce(t, s, one), []string{"1 all: 0.30, from 2026-01-01 basic", "2 " + tier + " "})
	equal(t, "after the second import", inForce(t, s, two), []string{
		"1 all: 0.30, from 2026-01-01 basic", "4 all: 0.25, from 2026-06-01 lowered", "3 " + tier + " to 2026-08-31 until August"})
	equal(t, "now", inForce(t, s, 0), []string{"4 all: 0.25, from 2026-06-01 lowered", "3 " + tier + " to 2026-08-31 until August"})

	versions, err := agreements.TermVersions(t.Context(), storetest.Reader(t, s), two)
	storetest.Done(t, err)
	var then []string
	for _, v := range versions {
		then = append(then, fmt.Sprintf("%d %s %v %s %v", v.ID, v.Actor, v.Created == one, v.RemovedBy, v.Removed == two))
	}
	equal(t, "versions of then", then, []string{"4 ann false  false", "3 ann false  false", "2 ann true ann true", "1 ann true  false"})

	var lines []string
	for _, l := range storetest.AuditLines(t, s, audit.LogQuery{}) {
		lines = append(lines, strings.Join([]string{l.Actor, l.Action, l.Object, l.Detail}, " | "))
	}
	equal(t, "audit log", lines, []string{
		"ann | terms imported | a.csv | 2 added, 0 changed, 0 unchanged, 0 ended earlier",
		"ann | terms imported | a.csv | 1 added, 1 changed, 0 unchanged, 1 ended earlier",
		"ann | term removed | 1 | all: 0.30, from 2026-01-01",
	})
}

// A file that contradicts stored terms is refused whole, and so is one that was compared with
// another state.
func TestContradictionsWithStoredTerms(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "statements about agreements", testContradictionsWithStoredTerms)
}

func testContradictionsWithStoredTerms(t *testing.T) {
	s := opened(t)
	_, stamp := imported(t, s, "all,,,0.3,2026-01-01,,,,\ncode,VIP,,0.4,2026-01-01,2026-03-31,,volume,5\n")
	before := inForce(t, s, 0)
	for lines, want := range map[string]string{
		"uid,1,,0.1,2026-01-01,,,,\nall,,,0.31,2026-01-01,,,,\n": "line 3, column 4 (rate): the rate 0.31 contradicts the rate 0.3 in term 1: both are about all, from 2026-01-01; to replace the stored one, remove it first: webapp terms remove 1",
		"code,VIP,,0.5,2026-03-31,,,active_traders,5\n":          "line 2, column 8 (tier_by): the tier by active_traders contradicts the tier by volume in term 2",
	} {
		var mistakes tabular.Mistakes
		if _, err := agreements.ImportTerms(t.Context(), s, parse(t, lines), "b.csv", store.AnyVersion, ann); !errors.As(err, &mistakes) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	var rule *store.RuleError
	if _, err := agreements.ImportTerms(t.Context(), s, parse(t, "uid,1,,0.1,2026-01-01,,,,\n"), "c.csv", stamp-1, ann); !errors.As(err, &rule) || !rule.Stale {
		t.Errorf("after another change: %v", err)
	}
	equal(t, "terms", inForce(t, s, 0), before)
}
