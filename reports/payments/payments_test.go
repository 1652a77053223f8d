package payments_test

import (
	"slices"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/books"
	shown "rebatedesk/reports/payments"
	"rebatedesk/reports/reporttest"
	"rebatedesk/store/payments"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
)

// Every reader sees the coins that the page of payments offers, so these are the coins of
// lines: what else a wallet received is for readers of its bills. Files can be narrowed to it.
func TestCoinsOfPayments(t *testing.T) {
	t.Parallel()
	d := reporttest.NewFixture(t, "UTC")
	d.Read("main", reporttest.Spot, reporttest.Days(-5, 0), reporttest.Trade(reporttest.Today-3, reporttest.Spot, 1, "2"))
	_, err := payments.ReplaceBills(t.Context(), d.DB, d.Slice("main", affiliate.Stream{Kind: affiliate.SpotBills}, reporttest.Days(-5, 0)), []affiliate.Bill{
		{Wallet: affiliate.SpotWallet, ID: "1", Coin: "DOT", Business: "deposit", Amount: "5", Created: reporttest.Midnight(reporttest.Today - 2)},
	})
	if err != nil {
		t.Fatal(err)
	}
	asked := d.QueryOf("range=all&coin=DOT", shown.Accepted)
	report, err := reports.Ask(t.Context(), d.Service, asked, shown.Make)
	if err != nil {
		t.Fatal(err)
	}
	if got := report.Options.Coins; !slices.Equal(got, []affiliate.Coin{"USDT"}) || len(report.Options.Unknown) != 1 {
		t.Errorf("the page offers %q, and says %q of DOT", got, report.Options.Unknown)
	}
	file, err := d.OpenExport(t.Context(), shown.BillFile, asked)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if unknown, err := file.Unknown(t.Context()); err != nil || len(unknown) > 0 {
		t.Errorf("the file of bills in DOT: %q, %v", unknown, err)
	}
}

// newPaid returns a programme that earns another amount each day.
func newPaid(t *testing.T) *reporttest.Watched {
	w := reporttest.NewWatched(t)
	for day := -200; day <= 0; day++ {
		w.Records = append(w.Records, reporttest.Trade(reporttest.Today+affiliate.Day(day), reporttest.Spot, 1, reporttest.EarnedMore(day)))
	}
	w.Collect()
	return w
}

// What is due and not paid, or paid too much, counts until a user accepts it, and again once that is taken
// back. The newest verdict holds, and a note without one changes nothing.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	w := newPaid(t)
	w.Paid(map[int][]affiliate.Number{-20: nil, -10: {reporttest.Earned(-10), reporttest.Earned(-10)}})
	missing, twice := reporttest.Earned(-20), reporttest.Earned(-10)
	for _, step := range []struct {
		write, holds payments.Verdict
		counts       bool
	}{
		{payments.NoVerdict, payments.NoVerdict, true},
		{payments.Disputed, payments.Disputed, true},
		{payments.NoVerdict, payments.Disputed, true},
		{payments.Accepted, payments.Accepted, false},
		{payments.NoVerdict, payments.Accepted, false},
		{payments.Reopened, payments.NoVerdict, true},
		{payments.NoVerdict, payments.NoVerdict, true},
		{payments.Accepted, payments.Accepted, false},
		{payments.Disputed, payments.Disputed, true},
	} {
		ask := func() shown.Report {
			view, err := reports.Ask(t.Context(), w.Service, w.QueryOf("per=100", shown.Accepted), shown.Make)
			storetest.Done(t, err)
			view.Lines = slices.DeleteFunc(view.Lines, func(l shown.PaymentLine) bool { return l.State != books.Missing && l.State != books.Twice })
			if len(view.Lines) != 2 {
				t.Fatalf("%d lines, %v", view.Count, view.States)
			}
			return view
		}
		for _, line := range ask().Lines {
			storetest.Done(t, w.AddPaymentNote(t.Context(), payments.Note{Line: line.Key(), Verdict: step.write, Text: "Ticket 4711"}, reporttest.ByAnn))
		}
		view := ask()
		for i := range view.Lines {
			if got := view.Lines[i].Verdict(); got != step.holds {
				t.Errorf("after %q, %q holds, want %q", step.write, got, step.holds)
			}
		}
		want := [2]affiliate.Number{"0", "0"}
		if step.counts {
			want = [2]affiliate.Number{missing, twice}
		}
		for _, balance := range []shown.CoinBalance{view.Balances[0], view.InRange[0]} {
			if got := [2]affiliate.Number{affiliate.Number(balance.Outstanding.String()), affiliate.Number(balance.Excess.String())}; got[0].Cmp(want[0]) != 0 || got[1].Cmp(want[1]) != 0 {
				t.Errorf("after %q: outstanding and excess %q, want %q", step.write, got, want)
			}
		}
	}
}

// A day of which a record could not be read is known on neither side: what was paid for it is not too much,
// and what was not paid on it not missing.
func TestUnreadableDays(t *testing.T) {
	t.Parallel()
	w := newPaid(t)
	w.Paid(map[int][]affiliate.Number{-20: {"500"}, -10: nil})
	states := func() (of [2]books.State) {
		view, err := reports.Ask(t.Context(), w.Service, w.QueryOf("per=100", shown.Accepted), shown.Make)
		storetest.Done(t, err)
		for i := range view.Lines {
			for n, day := range []affiliate.Day{-20, -10} {
				if view.Lines[i].From == reporttest.Midnight(reporttest.Today+day) {
					of[n] = view.Lines[i].State
				}
			}
		}
		return of
	}
	if got, want := states(), [2]books.State{books.Over, books.Missing}; got != want {
		t.Fatalf("the lines are %q, want %q", got, want)
	}
	unread := func(day affiliate.Day) []records.QuarantineRow {
		return []records.QuarantineRow{{Day: day, Field: "amount", Value: `"1,5"`, Reason: "is not a number", Record: "{}", Copies: 1}}
	}
	earned := w.Slice("main", reporttest.Spot, reporttest.Days(-20, -20))
	earned.Quarantine = unread(reporttest.Today - 20)
	_, err := records.ReplaceCommissions(t.Context(), w.DB, earned, []affiliate.Commission{reporttest.Trade(reporttest.Today-20, reporttest.Spot, 1, reporttest.EarnedMore(-20))})
	storetest.Done(t, err)
	paid := w.Slice("main", affiliate.Stream{Kind: affiliate.SpotBills}, reporttest.Days(-9, -9))
	paid.Quarantine = unread(reporttest.Today - 9)
	_, err = payments.ReplaceBills(t.Context(), w.DB, paid, nil)
	storetest.Done(t, err)
	if got, want := states(), [2]books.State{books.Pending, books.Pending}; got != want {
		t.Errorf("with unreadable records the lines are %q, want %q", got, want)
	}
}
