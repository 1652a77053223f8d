package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// An error about a full disk is reported as such, however deeply it is wrapped, and the
// next write succeeds when there is room.
func TestMendOfAFullDisk(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), storetest.Record(1, "1"))
	if err := store.SpareRoom(s, 0); err != nil {
		t.Fatal(err)
	}
	var many []affiliate.Commission
	for i := range 1400 {
		many = append(many, storetest.Record(i, "0.123456789"))
	}
	_, err := records.ReplaceCommissions(context.Background(), s, storetest.DaySlice(storetest.OneDay), many)
	if mend := store.Hint(fmt.Errorf("a run: %w", err)); !strings.HasPrefix(mend, "no space left: ") {
		t.Errorf("the advice for %v is %q", err, mend)
	}
	if err := store.SpareRoom(s, 10_000); err != nil {
		t.Fatal(err)
	}
	storetest.Replace(t, s, storetest.DaySlice(storetest.OneDay), many...)
	if got := stored(t, s, records.CommissionFilter{Days: storetest.AnyDays}); !equalMultiset(got, many) {
		t.Errorf("when there is room, %d kinds of rows are stored", len(got))
	}
}

func TestMendKnowsOnlyTheDatabase(t *testing.T) {
	for _, err := range []error{nil, errors.New("database or disk is full"), context.Canceled, store.ErrLocked} {
		if mend := store.Hint(err); mend != "" {
			t.Errorf("the advice for %v is %q", err, mend)
		}
	}
}
