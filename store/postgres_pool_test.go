package store_test

import (
	"path/filepath"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/upkeep"
)

// execModes are the values of default_query_exec_mode in a URL that work. They differ in how
// much a connection remembers between two statements.
var execModes = []string{"cache_statement", "cache_describe", "describe_exec", "exec", "simple_protocol"}

// The program works in each mode in which the driver may run statements.
func TestPostgresExecModes(t *testing.T) {
	storetest.PostgresOnly(t)
	t.Parallel()
	for _, mode := range execModes {
		t.Run(mode, func(t *testing.T) {
			s := storetest.OpenAt(t, storetest.Empty(t)+"&default_query_exec_mode="+mode, store.Options{AuditKey: storetest.AuditKey, LeaseTime: leaseTime})
			var rows []affiliate.Commission
			for n := range 30 {
				rows = append(rows, storetest.Record(n, "1.25"))
			}
			for _, state := range [][]affiliate.Commission{rows, rows[:20], rows[5:]} {
				storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), state...)
				if got := stored(t, s, records.CommissionFilter{Days: storetest.AnyDays}); !equalMultiset(got, state) {
					t.Fatalf("%d kinds of rows", len(got))
				}
			}
			if _, err := records.ReplaceInvitees(t.Context(), s, storetest.InviteeSlice(), []affiliate.Invitee{{UID: "1", InviteCode: "ab'c"}}); err != nil {
				t.Fatal(err)
			}
			if list := storetest.Invitees(t, s, records.InviteeFilter{}); len(list) != 1 || list[0].InviteCode != "ab'c" {
				t.Errorf("%+v", list)
			}
			_, release, err := s.Lock(t.Context(), store.CollectorLease)
			if err != nil || release() != nil {
				t.Errorf("the lease: %v", err)
			}
			if _, err := upkeep.RunBackup(t.Context(), s, filepath.Join(t.TempDir(), "backup.db")); err != nil {
				t.Error(err)
			}
			if faults := unsound(verify(t, s)); len(faults) > 0 {
				t.Errorf("%q", faults)
			}
			if _, err := s.EngineState(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}
