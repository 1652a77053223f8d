package earnings

import (
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/programmes"
)

// Days that only some programmes lack are said, since these seem to earn less than the others.
func TestUnequalProgrammes(t *testing.T) {
	t.Parallel()
	column := func(account affiliate.Account, through affiliate.Millis) programmes.ProgrammeColumn {
		return programmes.ProgrammeColumn{Account: account, Coverage: coverage.Coverage{Wanted: 30, Through: through}}
	}
	for want, columns := range map[string][]programmes.ProgrammeColumn{
		"": {column("asia", 1), column("west", 1)},
		" Days of east and west are not collected, so the programmes cannot be compared as a whole.": {column("asia", 1), column("east", 0), column("west", 0)},
	} {
		if got := (ProgrammesView{Report: programmes.Report{Programmes: columns}}).unequal(); got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
}
