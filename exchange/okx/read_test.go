package okx_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/collector/collectortest"
	"rebatedesk/exchange"
	"rebatedesk/exchange/okx"
	"rebatedesk/exchange/okx/simulator"
	"rebatedesk/exchange/simulated"
)

var lists = []affiliate.StreamKind{affiliate.Commissions, affiliate.Invitees}

// sameAsTotals compares the stored rows with what was added since a reading.
func sameAsTotals(t *testing.T, sim *simulator.Server, d *collectortest.Desk, first map[string]simulator.Total) {
	t.Helper()
	got := sums(d)
	for uid, total := range sim.Totals() {
		if want := total.Commission.Sub(first[uid].Commission); !got[uid].Equal(want) {
			t.Errorf("the rows of %s add up to %s, not to %s", uid, got[uid], want)
		}
	}
}

// Calls keep below the limits, whatever the budget allows.
func TestPace(t *testing.T) {
	clock := collectortest.NewClock(start)
	sim := simulator.New(simulator.Options{Limit: true, Short: 3, Options: simulated.Options{Seed: 3, Days: 3, Now: clock.Now}})
	d := collectortest.New(t, clock, sim, func(cfg exchange.Config) (*okx.Client, error) {
		cfg.Unpaced = false
		return okx.New(cfg)
	})
	report, err := d.Collect(t.Context(), collector.RunRequest{Cause: "test", Kinds: lists})
	if err != nil || !report.Complete {
		t.Fatalf("%v, %+v", err, report)
	}
	if sim.Refused() > 0 || len(sim.Requests()) < 6 {
		t.Errorf("%d of %d calls came too fast", sim.Refused(), len(sim.Requests()))
	}
}

// Each form of a list is read to its end, with the invitees as the exchange has them, and asks what the
// interface paper says.
func TestForms(t *testing.T) {
	for name, o := range map[string]simulator.Options{
		"counted": {Short: 5}, "uncounted": {Short: 5, Uncounted: true}, "no list": {Short: 5, Uncounted: true, Bare: true}, "numbers": {Numbers: true}, "one page": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim, d := scene(t, o)
			d.Collected()
			first := sim.Totals()
			d.Clock.Advance(50 * time.Hour)
			d.Collected()
			sameAsTotals(t, sim, d, first)
			if got, want := d.Invitees(), ledgerOfInvitees(t, d); !slices.Equal(got, want) {
				t.Errorf("the invitees are\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			for _, request := range sim.Requests() {
				if rest, ok := strings.CutPrefix(request, "/api/v5/affiliate/invitee/list?page="); ok && !strings.HasSuffix(rest, "&limit=100&periodType=total&orderBy=cTime&orderDir=asc") {
					t.Errorf("it asks %s", request)
				}
			}
			d.Verified()
		})
	}
}

func ledgerOfInvitees(t *testing.T, d *collectortest.Desk) (rows []string) {
	t.Helper()
	resp, err := http.Get(d.URL + "/ledger/invitees.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	table, err := csv.NewReader(resp.Body).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range table[1:] {
		rows = append(rows, strings.Join(row, ","))
	}
	slices.Sort(rows)
	return rows
}

// An invitee whose figures cannot be read is kept apart and never counts as zero: once they can, nothing is
// missing, not even of one that had just joined. The other invitees are counted, and all are listed.
func TestUnreadableFigures(t *testing.T) {
	for name, spoil := range map[string]any{"empty": "", "null": nil, "no number": "n/a"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sim, d := scene(t, simulator.Options{Short: 5})
			d.Collected()
			first := sim.Totals()
			newest := ""
			for n := 0; newest == "" && n < 12; n++ {
				d.Clock.Advance(29 * time.Hour)
				for uid, total := range sim.Totals() {
					if _, known := first[uid]; !known && total.Commission.IsPositive() {
						newest = uid
					}
				}
			}
			if newest == "" {
				t.Fatal("nobody joined")
			}
			old := slices.Sorted(func(yield func(string) bool) {
				for uid := range first {
					if !yield(uid) {
						return
					}
				}
			})[0]
			sim.Spoil(func(row map[string]any) {
				if row["uid"] == newest || row["uid"] == old {
					row["totalCommission"] = spoil
				}
			})
			report, err := d.Collect(t.Context(), collector.RunRequest{Cause: "test"})
			if err != nil || report.Complete {
				t.Fatalf("%v, %+v", err, report)
			}
			if got := sums(d); !got[newest].IsZero() || !got[old].IsZero() || len(got) < 3 {
				t.Errorf("the sums are %v", got)
			}
			if n := len(d.Invitees()); n != len(sim.Totals()) {
				t.Errorf("%d invitees are listed", n)
			}
			d.Clock.Advance(29 * time.Hour)
			sim.Spoil(nil)
			d.Collected()
			sameAsTotals(t, sim, d, first)
			d.Verified()
		})
	}
}

// A field that no figure needs costs no figure.
func TestOddFieldsCostNoFigure(t *testing.T) {
	sim, d := scene(t, simulator.Options{})
	d.Collected()
	first := sim.Totals()
	d.Clock.Advance(30 * time.Hour)
	sim.Spoil(func(row map[string]any) {
		row["firstTradeTime"], row["kycStatus"], row["channelName"] = "soon", []int{1}, nil
	})
	if _, err := d.Collect(t.Context(), collector.RunRequest{Cause: "test", Kinds: lists[:1]}); err != nil {
		t.Fatal(err)
	}
	sameAsTotals(t, sim, d, first)
}

// A run that is ended amid a reading neither loses nor counts twice, wherever it ends.
func TestEndedRuns(t *testing.T) {
	sim, d := scene(t, simulator.Options{Short: 3})
	d.Collected()
	first := sim.Totals()
	for at := range 14 {
		d.Clock.Advance(9 * time.Hour)
		ctx, cancel := context.WithCancel(t.Context())
		rows := 0
		sim.Spoil(func(map[string]any) {
			if rows++; rows > at {
				cancel()
			}
		})
		report, err := d.Collect(ctx, collector.RunRequest{Cause: "test"})
		cancel()
		if err == nil && report.Complete && at < 8 {
			t.Errorf("a run that was ended after %d rows is complete", at)
		}
	}
	sim.Spoil(nil)
	d.Collected()
	sameAsTotals(t, sim, d, first)
	d.Verified()
}

// Rows of readings that broke off stand where nothing is covered, and the database is sound.
func TestRowsWithoutCoverage(t *testing.T) {
	sim, d := scene(t, simulator.Options{Short: 5})
	for range 2 {
		d.Clock.Advance(50 * time.Hour)
		ctx, cancel := context.WithCancel(t.Context())
		rows := 0
		sim.Spoil(func(map[string]any) {
			if rows++; rows > 5 {
				cancel()
			}
		})
		if _, err := d.Collect(ctx, collector.RunRequest{Cause: "test"}); err == nil {
			t.Error("the run was ended without an error")
		}
		cancel()
	}
	if len(d.Rows()) == 0 {
		t.Error("there are no rows")
	}
	d.Verified()
}

// A fall is said on stderr with UID, before and after, and the run is as good as any.
func TestAFallIsSaid(t *testing.T) {
	sim, d := scene(t, simulator.Options{})
	var said syncBuffer
	c := collector.New(collector.Options{Store: d.Store, Accounts: []collector.Target{{Name: collectortest.Account, Source: d.Client}}, History: 40 * 24 * time.Hour,
		Now: d.Clock.Now, Log: slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: slog.LevelWarn}))})
	collect := func() {
		t.Helper()
		if report, err := c.Collect(t.Context(), collector.RunRequest{Cause: "test"}); err != nil || !report.Complete {
			t.Fatalf("%v, %+v", err, report)
		}
	}
	collect()
	first := sim.Totals()
	var uid string
	for uid = range first {
		break
	}
	sim.Correct(uid, "100000")
	collect() // in the same instant: nothing was read again
	d.Clock.Advance(time.Hour)
	after := sim.Totals()[uid].Commission
	collect()
	d.Clock.Advance(time.Hour)
	collect()
	if n := strings.Count(said.String(), "level=WARN"); n != 1 {
		t.Errorf("%d warnings:\n%s", n, said.String())
	}
	for _, part := range []string{"uid=" + uid, "figure=commission", "before=" + first[uid].Commission.String(), "after=" + after.String()} {
		if !strings.Contains(said.String(), part) {
			t.Errorf("%q is not said:\n%s", part, said.String())
		}
	}
}

type syncBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

// Bills are read whole, whatever the pages hold. Where an instant has more than a page the day is
// incomplete, and every other day is read.
func TestBillsOfPages(t *testing.T) {
	for _, c := range []struct {
		name  string
		o     simulator.Options
		fails bool
	}{
		{"no list", simulator.Options{Bare: true}, false}, {"numbers", simulator.Options{Numbers: true}, false}, {"ties end with a page", simulator.Options{Ties: 99}, false},
		{"short pages", simulator.Options{Short: 3, Ties: 2}, false}, {"more than a page", simulator.Options{Ties: 101}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			clock := collectortest.NewClock(start)
			c.o.Options = simulated.Options{Seed: 3, Days: 36, Now: clock.Now}
			sim := simulator.New(c.o)
			d := collectortest.New(t, clock, sim, okx.New)
			report, err := d.Collect(t.Context(), collector.RunRequest{Cause: "test", Kinds: []affiliate.StreamKind{affiliate.FundingBills}})
			if err != nil || report.Complete == c.fails {
				t.Fatalf("%v, %+v", err, report)
			}
			lost := map[string]bool{}
			for _, i := range report.Incomplete {
				if i.From != i.To {
					t.Errorf("%s to %s are lost: %s", i.From, i.To, i.Error)
				}
				lost[i.From] = true
			}
			want := decimal.Zero
			for n, b := range sim.Bills() {
				if !lost[b.At.Format(time.DateOnly)] {
					want = want.Add(decimal.RequireFromString(b.Amount))
				} else if n%5 == 0 && len(lost) > 8 {
					t.Fatalf("%d days are lost", len(lost))
				}
			}
			got := decimal.Zero
			for _, row := range d.Bills() {
				got = got.Add(decimal.RequireFromString(row[strings.LastIndexByte(row, ',')+1:]))
			}
			if !got.Equal(want) {
				t.Errorf("the bills add up to %s, not to %s", got, want)
			}
		})
	}
}

// A refusal has the class of its code, whatever the HTTP status; what may pass is tried again, and a wrong key
// is not.
func TestCodesOfRefusals(t *testing.T) {
	for class, codes := range map[exchange.Class][]int{
		exchange.ClassAuth:       {50101, 50103, 50104, 50105, 50106, 50107, 50111, 50113},
		exchange.ClassPermission: {50100, 50110, 50120, 51620, 59509, 18004},
		exchange.ClassClock:      {50102, 50112},
		exchange.ClassValidation: {50014, 51000},
		exchange.ClassRateLimit:  {50011, 50061},
	} {
		for _, code := range codes {
			for _, status := range []int{200, 429} {
				sim := &refusing{code: strconv.Itoa(code), status: status}
				d := collectortest.New(t, collectortest.NewClock(start), sim, okx.New)
				err := d.Client.TestKey(t.Context())
				if got := exchange.ClassOf(err); got != class {
					t.Errorf("%d with status %d is %q, not %q: %v", code, status, got, class, err)
				}
				want := map[exchange.Class]int{exchange.ClassRateLimit: 5, exchange.ClassClock: 2}[class]
				if want = max(want, 1); sim.calls != want {
					t.Errorf("%d with status %d is tried %d times, not %d", code, status, sim.calls, want)
				}
			}
		}
	}
}

// refusing refuses every signed call.
type refusing struct {
	code   string
	status int
	calls  int
}

func (r *refusing) Credentials() (key, secret, passphrase string) { return "key", "secret", "phrase" }

func (r *refusing) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if q.URL.Path == "/api/v5/public/time" {
			_, _ = w.Write([]byte(`{"code":"0","msg":"","data":[{"ts":"` + strconv.FormatInt(start.UnixMilli(), 10) + `"}]}`)) // a client that is gone
			return
		}
		r.calls++
		w.WriteHeader(r.status)
		_, _ = w.Write([]byte(`{"code":"` + r.code + `","msg":"refused","data":[]}`)) // a client that is gone
	})
}
