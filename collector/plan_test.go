package collector

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex"
	"rebatedesk/internal/race"
	"rebatedesk/store/records"
)

var planSheet = new(weex.Client).Sheet()

var planNow = time.Date(2026, 9, 15, 10, 30, 0, 0, time.UTC)

// anyCoverage draws what is known of some of the days of every stream.
func anyCoverage(t *rapid.T, first, today affiliate.Day) []records.CoverageDay {
	var covered []records.CoverageDay
	for _, stream := range affiliate.Streams() {
		for range rapid.IntRange(0, 3).Draw(t, "stretches") {
			from := affiliate.Day(rapid.IntRange(int(first), int(today)).Draw(t, "from"))
			to := min(today, from+affiliate.Day(rapid.IntRange(0, 200).Draw(t, "days")))
			read := planNow.Add(-time.Duration(rapid.IntRange(0, 200).Draw(t, "read hours ago")) * time.Hour)
			for day := from; day <= to; day++ {
				covered = append(covered, records.CoverageDay{Stream: stream, Day: day,
					Through:  min(affiliate.MillisOf((day + 1).Start(time.UTC)), affiliate.MillisOf(read)),
					LastRead: affiliate.MillisOf(read)})
			}
		}
	}
	return covered
}

type streamDay struct {
	stream affiliate.Stream
	day    affiliate.Day
}

// However windows are measured and split, every due day is read once and no other day is
// read, each window has adjacent days and is short enough, and newer days come first.
func TestPlanReadsEveryDueDayOnce(t *testing.T) {
	race.Skip(t, "plans of random years, drawn by one goroutine")
	rapid.Check(t, func(t *rapid.T) {
		today := affiliate.DayOf(planNow, time.UTC)
		first := today - affiliate.Day(rapid.IntRange(0, 500).Draw(t, "history"))
		since := never
		if rapid.Bool().Draw(t, "since") {
			since = first + affiliate.Day(rapid.IntRange(0, int(today-first)).Draw(t, "since day"))
		}
		covered := anyCoverage(t, first, today)
		scheduled := rapid.Bool().Draw(t, "scheduled")
		due := dueDays(covered, first, since, scheduled)
		p := newPlan(scope{sheet: planSheet, streams: affiliate.Streams(), first: first, since: since, now: planNow, scheduled: scheduled}, covered)
		p.turn = rapid.IntRange(0, recheckTurn).Draw(t, "turn")
		money := 0
		for at := range due {
			if at.stream.Kind.Money() {
				money++
			}
		}
		uncounted := 2*money <= len(due)
		counted := func() (n int) {
			for at := range due {
				if !uncounted || !at.stream.Kind.Money() {
					n++
				}
			}
			return n
		}
		if p.total != counted() || p.left() != counted() {
			t.Fatalf("%d stream-days wanted, %d left, want %d", p.total, p.left(), counted())
		}
		type lane struct {
			stream  affiliate.Stream
			recheck bool
		}
		newest := map[lane]affiliate.Day{} // not yet taken
		for w, ok := p.next(); ok; w, ok = p.next() {
			if n := w.days.Len(); n < 1 || n > planSheet.Window {
				t.Fatalf("window %v has %d days", w, n)
			}
			if before, taken := newest[lane{w.stream, w.recheck}]; taken && w.days.Last >= before {
				t.Fatalf("window %v after day %s", w, before)
			}
			same, others := p.wanted, p.recheck
			if w.recheck {
				same, others = others, same
			}
			for _, other := range same {
				if day, waiting := other.newest(); waiting && day > w.days.Last {
					t.Fatalf("window %v before %s %s", w, other.stream, day)
				}
			}
			if turn := p.turn%recheckTurn == 0; w.recheck != turn && newestOf(others) != nil {
				t.Fatalf("window %v in turn %d, with others waiting", w, p.turn)
			}
			if newer, older, ok := w.halves(); ok && rapid.IntRange(0, 3).Draw(t, "split") == 0 {
				if newer.days.First != older.days.Last+1 || newer.days.Last != w.days.Last || older.days.First != w.days.First {
					t.Fatalf("%v was split into %v and %v", w, newer, older)
				}
				p.split(newer, older)
				continue
			}
			for day := w.days.First; day <= w.days.Last; day++ {
				if need := due[streamDay{w.stream, day}]; need == settled || (need == recheck) != w.recheck {
					t.Fatalf("%s %s is read twice or is not due so", w.stream, day)
				}
				delete(due, streamDay{w.stream, day})
			}
			newest[lane{w.stream, w.recheck}] = w.days.First
			if p.left() != counted() {
				t.Fatalf("%d stream-days left, want %d", p.left(), counted())
			}
			p.measured(w, rapid.SampledFrom([]int{0, 1, 100, 4000, 100_000, 10_000_000}).Draw(t, "records"))
		}
		if len(due) != 0 {
			t.Fatalf("%d stream-days were not read", len(due))
		}
	})
}

// dueDays is the expected plan by an independent definition: the newest line of a day
// decides, and invitees reach back no further than the exchange lists them.
func dueDays(covered []records.CoverageDay, first, since affiliate.Day, scheduled bool) map[streamDay]need {
	due := map[streamDay]need{}
	for _, stream := range affiliate.Streams() {
		for day := first; day <= affiliate.DayOf(planNow, time.UTC); day++ {
			if stream.Kind == affiliate.Invitees && (day + 1).Start(time.UTC).Before(planNow.Add(-365*24*time.Hour+15*time.Minute)) {
				continue
			}
			var known records.CoverageDay
			for _, c := range slices.Backward(covered) {
				if c.Stream == stream && c.Day == day {
					known = c
					break
				}
			}
			need := needOf(known, planSheet.Of(stream), planSheet.Settling, day, planNow, scheduled)
			if day >= since {
				need = wanted
			}
			if need != settled {
				due[streamDay{stream, day}] = need
			}
		}
	}
	return due
}

func TestStreamsOfARequest(t *testing.T) {
	if got := (RunRequest{}).streams(planSheet); !slices.Equal(got, affiliate.Streams()) {
		t.Errorf("all streams are %v", got)
	}
	want := []affiliate.Stream{{Kind: affiliate.SubAffiliates, Product: affiliate.Spot}, {Kind: affiliate.SubAffiliates, Product: affiliate.Futures}}
	if got := (RunRequest{Kinds: []affiliate.StreamKind{affiliate.SubAffiliates}}).streams(planSheet); !slices.Equal(got, want) {
		t.Errorf("streams of sub-affiliates are %v", got)
	}
}
