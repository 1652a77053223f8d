package store_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/storetest"
	"rebatedesk/store/upkeep"
)

// Each backup has the node that made it. A node keeps and removes only its own, and the remains
// of a backup that died are left to the node where they are.
func TestPostgresBackupsOfNodes(t *testing.T) {
	storetest.PostgresOnly(t)
	t.Parallel()
	place, dir := storetest.Empty(t), t.TempDir()
	remains := filepath.Join(dir, "two.db.partial-x")
	storetest.Done(t, os.WriteFile(remains, nil, 0o600))
	for i, node := range []string{"web-1", "web-2", "web-1"} {
		s := storetest.OpenAt(t, place, store.Options{Node: node, AuditKey: storetest.AuditKey})
		if i == 0 { // a backup of the other node died
			storetest.Done(t, s.UpdateQuietly(t.Context(), func(tx *store.Tx) error {
				_, err := tx.ExecContext(t.Context(), `INSERT INTO backups (started_ms, file, node) VALUES (1, ?, 'web-2')`, filepath.Join(dir, "two.db"))
				return err
			}))
		}
		b, err := upkeep.RunBackup(t.Context(), s, filepath.Join(dir, node+affiliate.MillisOf(s.Now()).String()+".db"))
		if err != nil || b.Node != node || !b.Good() {
			t.Fatalf("%+v, %v", b, err)
		}
		if _, err := os.Stat(remains); os.IsNotExist(err) != (i > 0) {
			t.Errorf("after a backup of %s: the remains: %v", node, err)
		}
	}
	for node, want := range map[string]int{"web-1": 2, "web-2": 1, "web-3": 0} {
		kept, err := upkeep.KeptBackups(t.Context(), storetest.Reader(t, storetest.OpenAt(t, place, store.Options{Node: node})))
		if err != nil || len(kept) != want || slices.ContainsFunc(kept, func(b upkeep.BackupRun) bool { return b.Node != node }) {
			t.Errorf("%s keeps %+v, %v", node, kept, err)
		}
	}
}
