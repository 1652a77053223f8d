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
)

// A full disk is named as that, however deep it lies, and the next write goes
// through when there is room.
func TestMendOfAFullDisk(t *testing.T) {
	s := openStore(t, store.Options{})
	replace(t, s, daySlice(oneDay), record(1, "1"))
	if err := store.SpareRoom(s, 0); err != nil {
		t.Fatal(err)
	}
	var many []affiliate.Commission
	for i := range 1400 {
		many = append(many, record(i, "0.123456789"))
	}
	_, err := records.ReplaceCommissions(context.Background(), s, daySlice(oneDay), many)
	if mend := store.Mend(fmt.Errorf("a run: %w", err)); !strings.HasPrefix(mend, "no space left: ") {
		t.Errorf("the mend of %v is %q", err, mend)
	}
	if err := store.SpareRoom(s, 10_000); err != nil {
		t.Fatal(err)
	}
	replace(t, s, daySlice(oneDay), many...)
	if got := stored(t, s, records.CommissionFilter{Days: anyDays}); !equalMultiset(got, many) {
		t.Errorf("when there is room, %d kinds of rows are stored", len(got))
	}
}

func TestMendKnowsOnlyTheDatabase(t *testing.T) {
	for _, err := range []error{nil, errors.New("database or disk is full"), context.Canceled, store.ErrLocked} {
		if mend := store.Mend(err); mend != "" {
			t.Errorf("the mend of %v is %q", err, mend)
		}
	}
}
