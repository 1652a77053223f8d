package reports_test

import (
	"path/filepath"
	"reflect"
	"testing"

	"rebatedesk/reports/reporttest"
	"rebatedesk/store"
	"rebatedesk/store/storetest"
	"rebatedesk/store/upkeep"
)

// The same readings give the same reports, the same files byte for byte, and the same
// verification on every engine.
func TestEnginesAgree(t *testing.T) {
	servers := storetest.Servers(t)
	t.Parallel()
	path := filepath.Join(t.TempDir(), "desk.db")
	storetest.Place(t, path)
	sqlite := reporttest.NewFixtureAt(t, "Asia/Kathmandu", path)
	sqlite.FillVaried()
	want, files := sqlite.EveryReport(t), sqlite.EveryFile()
	verification := verified(t, sqlite.DB)
	for engine, empty := range servers {
		t.Run(engine, func(t *testing.T) {
			d := reporttest.NewFixtureAt(t, "Asia/Kathmandu", empty(t))
			d.FillVaried()
			got := d.EveryReport(t)
			for name := range want {
				if !reflect.DeepEqual(got[name], want[name]) {
					t.Errorf("report %s: %s gives\n%+v\nSQLite gives\n%+v", name, engine, got[name], want[name])
				}
			}
			for name, content := range d.EveryFile() {
				if content != files[name] {
					t.Errorf("%s: %s gives\n%.3000s\nSQLite gives\n%.3000s", name, engine, content, files[name])
				}
			}
			if found := verified(t, d.DB); !reflect.DeepEqual(found, verification) {
				t.Errorf("%s is verified as\n%+v\nSQLite as\n%+v", engine, found, verification)
			}
			t.Logf("%d reports, %d files", len(want), len(files))
		})
	}
}

// verified returns the findings about a store, without what only a file has.
func verified(t *testing.T, s *store.Store) (findings []store.VerifyResult) {
	t.Helper()
	for finding, err := range upkeep.Verify(t.Context(), s) {
		if err != nil || !finding.Sound() {
			t.Errorf("%s: %v (%v)", finding.Check, finding.Faults, err)
		}
		if finding.Check != "integrity" && finding.Check != "schema" {
			findings = append(findings, finding)
		}
	}
	return findings
}
