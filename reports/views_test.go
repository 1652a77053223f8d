package reports_test

import (
	"testing"

	"rebatedesk/reports/reporttest"
	"rebatedesk/store/storetest"
)

// The views have the rows and the exact sums of the exports, every column of them is explained, in
// the database and in the documentation, and a role that may read nothing else reads them.
func TestViewsOnEngines(t *testing.T) {
	servers := storetest.Servers(t)
	t.Parallel()
	for engine, empty := range servers {
		t.Run(engine, func(t *testing.T) {
			reporttest.NewFixtureAt(t, "Asia/Kathmandu", empty(t)).ViewsEqualExports(t, engine)
		})
	}
}
