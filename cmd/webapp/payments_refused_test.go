package main

import (
	"strings"
	"testing"

	"rebatedesk/exchange/weex/simulator"
)

// A key that may not read bills is said once in the log, and commissions are complete. What
// nobody can compare is pending. With the permission the books are complete.
func TestBooksOfAKeyThatMayNotReadBills(t *testing.T) {
	t.Parallel()
	d := newHarness(t, func(o *simulator.Options) { o.Days, o.Records, o.Forbidden = 30, 300, []string{"4.14", "4.15", "4.16"} })
	d.env = append(d.env, "REBATEDESK_HISTORY=60d", "REBATEDESK_LOG_LEVEL=warn")
	for run, lines := range []int{3, 0} { // a line for each stream
		if status, _, log := d.run(t.Context(), nil, "collect"); status != statusDone || strings.Count(log, "\n") != lines {
			t.Errorf("run %d: status %d, log\n%s", run+1, status, log)
		}
	}
	states := func() map[string]int {
		found := map[string]int{}
		_, table, _ := d.run(t.Context(), nil, "export", "payments") // may warn that not all is collected
		for _, row := range d.cells(table) {
			found[row["state"]]++
		}
		return found
	}
	if found := states(); len(found) != 1 || found["pending"] == 0 {
		t.Errorf("without bills the lines are %v", found)
	}
	simulator.Wallets{Of: d.sim.Simulator}.Forbid()
	d.done(nil, "collect")
	if found := states(); found["matched"] == 0 || found["missing"] == 0 {
		t.Errorf("with bills the lines are %v", found)
	}
}

// Bills that are too old to be read make periods pending, and change no other line.
func TestBooksOfRecentBills(t *testing.T) {
	t.Parallel()
	lines := func(billDays int) (of map[string]string, states map[string]int) {
		d := newHarness(t, func(o *simulator.Options) { o.Days, o.Records, o.BillDays = 40, 500, billDays })
		d.env = append(d.env, "REBATEDESK_HISTORY=60d")
		d.done(nil, "collect")
		_, table, _ := d.run(t.Context(), nil, "export", "payments")
		of, states = map[string]string{}, map[string]int{}
		for _, row := range d.cells(table) {
			of[strings.Join([]string{row["period_from_utc"], row["coin"], row["kind"]}, " ")] = strings.Join([]string{row["earned"], row["paid"], row["state"]}, " ")
			states[row["state"]]++
		}
		return of, states
	}
	whole, _ := lines(0)
	recent, states := lines(12)
	if states["pending"] == 0 || states["matched"] == 0 || states["missing"] == 0 {
		t.Errorf("the lines are %v", states)
	}
	for line, got := range recent {
		if want := whole[line]; got != want && !strings.HasSuffix(got, " pending") {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}
