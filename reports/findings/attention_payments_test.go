package findings_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/reports/books"
	"rebatedesk/reports/findings"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/audit"
	"rebatedesk/store/payments"
	"rebatedesk/store/storetest"
)

// newPaid returns a quiet programme that earns another amount each day.
func newPaid(t testing.TB) *reporttest.Watched {
	w := reporttest.NewWatched(t)
	for day := -200; day <= 0; day++ {
		w.Records = append(w.Records, reporttest.Trade(reporttest.Today+affiliate.Day(day), reporttest.Spot, 1, reporttest.EarnedMore(day)))
	}
	w.Collect()
	return w
}

// Payments that are not as earned are findings, the more urgent the older and the larger they
// are; until a user accepts them.
func TestAttentionToPayments(t *testing.T) {
	w := newPaid(t)
	w.Paid(nil)
	if found := found[findings.Payment](w.Look("")); len(found) != 0 {
		t.Errorf("%+v", found)
	}
	w.Paid(map[int][]affiliate.Number{-150: nil, -100: nil, -20: {"11.5"}, -10: {reporttest.Earned(-10), reporttest.Earned(-10)}, -120: {reporttest.Earned(-120), reporttest.Earned(-120)}, -9: {"12.25"}})
	words := func() map[books.State]string {
		list := map[books.State]string{}
		for _, f := range found[findings.Payment](w.Look("")) {
			about := findings.About{Zone: time.UTC, Today: reporttest.Today}.Finding(f)
			list[f.State] = about.Severity.String() + ": " + about.String()
		}
		return list
	}
	got := words()
	for state, want := range map[books.State]string{
		books.Missing: "Alert: 2 payments in USDT missing. 24.02 USDT were earned and not paid, ",
		books.Short:   "For information: 1 payment in USDT too low. 0.52 USDT less paid than earned, of all time: as much as 0.1\u00a0% of what was due in the last 30 days. It is for ",
		books.Twice:   "Warning: 1 payment in USDT made twice. 12.02 USDT more paid than earned; the exchange may take it back. It is for ",
		books.Over:    "For information: 1 payment in USDT too high. 0.23 USDT more paid than earned; the exchange may take it back. It is for ",
	} {
		if !strings.HasPrefix(got[state], want) {
			t.Errorf("%s: %q, want %q", state, got[state], want)
		}
	}
	if len(got) != 4 || !strings.HasSuffix(got[books.Missing], ", open for 150 days. Of all time, 24.26 USDT was paid twice, too much or for no period.") {
		t.Errorf("%q", got)
	}
	for _, verdict := range []payments.Verdict{payments.Accepted, payments.Disputed} {
		oldest := found[findings.Payment](w.Look(""))[0].Oldest
		storetest.Done(t, w.AddPaymentNote(t.Context(), payments.Note{Line: oldest.Key(), Verdict: verdict, Text: "Ticket 4711"}, audit.Line{Actor: "anna", Via: "session"}))
	}
	if got := words()[books.Missing]; !strings.HasPrefix(got, "Alert: 1 payment in USDT missing. 12.01 USDT were earned and not paid, ") || !strings.HasSuffix(got, ", open for 100 days. Of all time, 24.26 USDT was paid twice, too much or for no period. Disputed: 1 of 1.") {
		t.Errorf("with one accepted: %q", got)
	}
}

// Payments that follow no rule are one information, not many payments without a period.
func TestAttentionToPaymentsWithoutRule(t *testing.T) {
	w := newPaid(t)
	odd := map[int][]affiliate.Number{}
	for day := -200; day < 0; day++ {
		odd[day] = []affiliate.Number{affiliate.Number(fmt.Sprintf("%d.%d", 7+day*day%11, 100+day*day%89))}
	}
	w.Paid(odd)
	a := w.Look("")
	unruled := found[findings.Unruled](a)
	if len(unruled) != 1 || unruled[0].Account != "main" || unruled[0].Bills != 200 || len(found[findings.Payment](a)) != 0 {
		t.Errorf("%+v", a.Findings)
	}
}
