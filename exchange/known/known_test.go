package known

import (
	"slices"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/exchange"
)

// Each sheet is whole: it names the exchange, streams, windows and what its records say.
func TestSheetsAreWhole(t *testing.T) {
	names := Names()
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) || !slices.Contains(names, Default) {
		t.Errorf("the names are %v", names)
	}
	for _, s := range Sheets() {
		if s.Name == "" || s.Title == "" || len(s.Streams) == 0 || s.PageSize < 1 || s.Settling <= 0 || s.DayZone == "" || s.Unknown == nil {
			t.Errorf("%s is not whole: %+v", s.Name, s)
		}
		for _, stream := range s.Streams {
			if stream.First < 1 || stream.First > stream.Window || stream.Reach < 0 {
				t.Errorf("%s %s: the first window has %d days of %d", s.Name, stream.Stream, stream.First, stream.Window)
			}
		}
		if !slices.Contains([]exchange.Grain{exchange.GrainRecord, exchange.GrainTrade, exchange.GrainDay, exchange.GrainSpan}, s.Grain) {
			t.Errorf("%s has the grain %q", s.Name, s.Grain)
		}
		if !slices.Contains([]exchange.Proof{exchange.ProofBills, exchange.ProofState, exchange.ProofNone}, s.Paid) {
			t.Errorf("%s proves payment by %q", s.Name, s.Paid)
		}
		columns := []string{"invite_code"}
		for _, field := range affiliate.CommissionFields {
			columns = append(columns, field.Column)
		}
		for _, unknown := range s.Unknown {
			if !slices.Contains(columns, unknown) {
				t.Errorf("%s does not know the column %q, which no commission has", s.Name, unknown)
			}
		}
	}
}
