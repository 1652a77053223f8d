package health

import (
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/cmd/webapp/internal/config"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/web"
)

// fatal names the checks that failed, those first that make a server not ready.
func fatal(checks []web.HealthCheck) (names, others []string) {
	for _, c := range checks {
		switch {
		case c.Fault != "" && c.Fatal:
			names = append(names, c.Name)
		case c.Fault != "":
			others = append(others, c.Name)
		}
	}
	return names, others
}

// A server is ready while every account was collected within a day, and says
// without being unready that a backup is missing.
func TestReadiness(t *testing.T) {
	clock := time.Now()
	st, err := store.Open(t.Context(), t.TempDir()+"/desk.db", store.Options{Now: func() time.Time { return clock }})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	names := []affiliate.Account{"main", "asia"}
	h := Health{
		store: st, db: config.Database(t.TempDir() + "/desk.db"), accounts: func() []affiliate.Account { return names }, every: 15 * time.Minute,
		backups: true, began: clock, now: func() time.Time { return clock },
	}
	run := func(account affiliate.Account, cause string) {
		t.Helper()
		id, err := records.StartRun(t.Context(), st, account, "schedule")
		if err == nil {
			err = records.FinishRun(t.Context(), st, id, 1, 20, cause)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	expect := func(when, unready, told string) {
		t.Helper()
		checks, _ := h.Checks(t.Context())
		bad, others := fatal(checks)
		if strings.Join(bad, ",") != unready || strings.Join(others, ",") != told {
			t.Errorf("%s: not ready for %v, reported %v; want %q and %q", when, bad, others, unready, told)
		}
	}
	expect("at the start", "", "")
	clock = clock.Add(23 * time.Hour)
	expect("before a day is over", "", "")
	run("main", "")
	run("asia", "no answer")
	clock = clock.Add(2 * time.Hour)
	expect("one account never collected", "last collection", "")
	run("asia", "")
	expect("both collected", "", "")
	clock = clock.Add(25 * time.Hour)
	run("main", "")
	expect("one account left behind", "last collection", "last backup")
	names = names[:1]
	expect("it is collected no more", "", "last backup")
	h.every = 48 * time.Hour
	clock = clock.Add(90 * time.Hour)
	expect("collected every other day", "", "last backup")
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	expect("without a database", "database,schema,last collection", "last backup")
}
