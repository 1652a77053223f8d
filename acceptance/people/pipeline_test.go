package people_test

import (
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/exchange/weex/simulator"
)

// openPartners opens a programme with enough clients for several sub-affiliates to have
// invited some.
func openPartners(t testing.TB, zone *time.Location) *site.Pipeline {
	t.Helper()
	return site.OpenProgramme(t, zone, simulator.Options{Seed: 7, Days: site.SimulatedDays, Invitees: 150, Records: 2000})
}
