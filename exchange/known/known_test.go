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
		if s.Name == "" || s.Title == "" || len(s.Streams) == 0 || s.Window < 1 || s.PageSize < 1 || s.DayZone == "" || s.Unknown == nil {
			t.Errorf("%s is not whole: %+v", s.Name, s)
		}
		for _, stream := range s.Streams {
			if first := s.FirstWindow(stream.Kind); first < 1 || first > s.Window || s.ReachOf(stream.Kind) < 0 {
				t.Errorf("%s %s: the first window has %d days of %d", s.Name, stream, first, s.Window)
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
