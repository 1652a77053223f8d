package collector

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebatedesk/affiliate"
	"rebatedesk/store/records"
)

var (
	commissionDays = affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Spot}
	inviteeDays    = affiliate.Stream{Kind: affiliate.Invitees}
	subDays        = affiliate.Stream{Kind: affiliate.SubAffiliates, Product: affiliate.Futures}
	billDays       = affiliate.Stream{Kind: affiliate.SpotBills}
)

const oneDay = 24 * time.Hour

func TestNeedOfADay(t *testing.T) {
	day := affiliate.NewDay(2026, time.September, 1)
	end := (day + 1).Start(time.UTC)
	read := func(age time.Duration) records.CoverageDay { // age of the day, counted from its end
		at := affiliate.MillisOf(end.Add(age))
		return records.CoverageDay{Day: day, LastRead: at, Through: min(at, affiliate.MillisOf(end)), Agreed: 2}
	}
	once := func(c records.CoverageDay) records.CoverageDay {
		c.Agreed = 1
		return c
	}
	failed := func(c records.CoverageDay) records.CoverageDay {
		c.Failed = c.LastRead + 1
		return c
	}
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		known  records.CoverageDay
		stream affiliate.Stream
		age    time.Duration // of the day now
		want   need          // of a command
		hourly need          // of a scheduled run
	}{
		"never tried":                    {records.CoverageDay{}, commissionDays, 400 * oneDay, wanted, wanted},
		"tried and failed":               {records.CoverageDay{Failed: 1}, commissionDays, 400 * oneDay, wanted, wanted},
		"not over":                       {read(-12 * time.Hour), commissionDays, -11 * time.Hour, wanted, wanted},
		"read in its middle and left so": {read(-12 * time.Hour), commissionDays, 400 * oneDay, wanted, wanted},
		"recent":                         {read(0), commissionDays, time.Hour, wanted, wanted},
		"recent to the last":             {read(72*time.Hour - 2*ms), commissionDays, 72*time.Hour - ms, wanted, wanted},

		"3 days old":               {read(72*time.Hour - ms), commissionDays, 72 * time.Hour, recheck, recheck},
		"3 days old, read so":      {read(72 * time.Hour), commissionDays, 73 * time.Hour, settled, settled},
		"35 days old to be":        {read(72 * time.Hour), commissionDays, 35*oneDay - ms, settled, settled},
		"35 days old":              {read(35*oneDay - ms), commissionDays, 35 * oneDay, recheck, recheck},
		"35 days old, read so":     {read(35 * oneDay), commissionDays, 80*oneDay - ms, settled, settled},
		"80 days old":              {read(35 * oneDay), commissionDays, 80 * oneDay, recheck, recheck},
		"80 days old, missed 35":   {read(4 * oneDay), commissionDays, 90 * oneDay, recheck, recheck},
		"first read when very old": {once(read(200 * oneDay)), commissionDays, 201*oneDay - ms, settled, settled},
		"a day later":              {once(read(200 * oneDay)), commissionDays, 201 * oneDay, recheck, recheck},
		"years later":              {once(read(200 * oneDay)), commissionDays, 900 * oneDay, recheck, recheck},
		"read again when very old": {read(201 * oneDay), commissionDays, 900 * oneDay, settled, settled},
		"changed at 3 days":        {once(read(72 * time.Hour)), commissionDays, 4*oneDay - ms, settled, settled},
		"changed at 3 days, later": {once(read(72 * time.Hour)), commissionDays, 4 * oneDay, recheck, recheck},
		"verified, then failed":    {failed(read(80 * oneDay)), commissionDays, 81 * oneDay, recheck, recheck},
		"recent, then failed":      {failed(read(time.Hour)), commissionDays, 2 * time.Hour, wanted, wanted},
		"invitees, 35 days":        {read(35*oneDay - ms), inviteeDays, 35 * oneDay, recheck, recheck},
		"invitees read this day":   {read(200 * oneDay), inviteeDays, 201*oneDay - ms, settled, settled},
		"invitees read yesterday":  {read(201*oneDay - ms), inviteeDays, 201 * oneDay, recheck, recheck},

		"sub-affiliates of this hour":          {read(5 * time.Hour), subDays, 6*time.Hour - ms, wanted, settled},
		"sub-affiliates of the hour before":    {read(6*time.Hour - ms), subDays, 6 * time.Hour, wanted, wanted},
		"sub-affiliates of this hour, failed":  {failed(read(5 * time.Hour)), subDays, 5*time.Hour + 20*time.Minute, wanted, wanted},
		"sub-affiliates of today":              {read(-90 * time.Minute), subDays, -61 * time.Minute, wanted, settled},
		"sub-affiliates, 3 days old":           {read(71 * time.Hour), subDays, 72 * time.Hour, recheck, recheck},
		"sub-affiliates, 3 days old, read so":  {read(72 * time.Hour), subDays, 30 * oneDay, settled, settled},
		"bills of today":                       {read(-90 * time.Minute), billDays, -61 * time.Minute, wanted, wanted},
		"bills of the hour before":             {read(6*time.Hour - ms), billDays, 6 * time.Hour, wanted, wanted},
		"bills of this hour":                   {read(5 * time.Hour), billDays, 6*time.Hour - ms, wanted, settled},
		"bills, 3 days old, read so":           {read(72 * time.Hour), billDays, 30 * oneDay, settled, settled},
		"read an hour from now by a bad clock": {read(100*oneDay + time.Hour), commissionDays, 100 * oneDay, recheck, recheck},
		"read a second from now":               {read(100*oneDay + time.Second), commissionDays, 100 * oneDay, settled, settled},
	} {
		now := end.Add(c.age)
		if got := needOf(c.known, planSheet.Of(c.stream), planSheet.Settling, day, now, false); got != c.want {
			t.Errorf("%s: a command's need is %d, want %d", name, got, c.want)
		}
		if got := needOf(c.known, planSheet.Of(c.stream), planSheet.Settling, day, now, true); got != c.hourly {
			t.Errorf("%s: a scheduled run's need is %d, want %d", name, got, c.hourly)
		}
	}
}

// A day that is read whenever it is due is read again once at each age and no more often,
// except for a missing second read; this holds for any earlier coverage, including that of
// a wrong clock.
func TestDaysSettleAndAreVerified(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		day := affiliate.NewDay(2026, time.September, 1)
		end := (day + 1).Start(time.UTC)
		known := records.CoverageDay{
			Day:      day,
			Agreed:   rapid.IntRange(1, 2).Draw(t, "agreed"),
			Through:  affiliate.MillisOf(end),
			LastRead: affiliate.MillisOf(end.Add(time.Duration(rapid.IntRange(-100, 10_000).Draw(t, "read at hour")) * time.Hour)),
		}
		step := time.Duration(rapid.IntRange(1, 48).Draw(t, "hours between runs")) * time.Hour
		now := end.Add(72 * time.Hour)
		confirms := 2 - known.Agreed
		var reads []time.Duration
		for ; now.Before(end.Add(150 * oneDay)); now = now.Add(step) {
			if needOf(known, planSheet.Of(commissionDays), planSheet.Settling, day, now, rapid.Bool().Draw(t, "scheduled")) == settled {
				continue
			}
			if confirms > 0 && now.Sub(known.LastRead.Time()) >= confirmAfter {
				confirms = 0 // this read is the second
			} else {
				reads = append(reads, now.Sub(end))
			}
			known.LastRead, known.Agreed = affiliate.MillisOf(now), known.Agreed+1
			if again := needOf(known, planSheet.Of(commissionDays), planSheet.Settling, day, now, false); again != settled {
				t.Fatalf("read at an age of %s it is due again at once", now.Sub(end))
			}
		}
		if len(reads) > len(verifyAges) || len(reads) == 0 && known.LastRead.Time().Before(end.Add(80*oneDay)) {
			t.Fatalf("read at %v", reads)
		}
		for _, age := range reads {
			late := step
			for _, due := range verifyAges {
				if age >= due {
					late = min(late, age-due)
				}
			}
			if late >= step {
				t.Fatalf("read at an age of %s, which no verification asks for", age)
			}
		}
	})
}

// Verification waits for what was never read, but not for ever.
func TestBackfillAndVerificationShare(t *testing.T) {
	today := affiliate.DayOf(planNow, time.UTC)
	first := today - 400
	var covered []records.CoverageDay
	for d := today - 300; d <= today; d += 2 { // every other day was read once, long ago
		covered = append(covered, records.CoverageDay{Stream: commissionDays, Day: d,
			Through: affiliate.MillisOf((d + 1).Start(time.UTC)), LastRead: affiliate.MillisOf((d + 1).Start(time.UTC))})
	}
	p := newPlan(scope{sheet: planSheet, streams: []affiliate.Stream{commissionDays}, first: first, since: never, now: planNow, scheduled: true}, covered)
	fresh, again, lastFresh, lastAgain := 0, 0, 0, 0
	for i := 1; ; i++ {
		w, ok := p.next()
		if !ok {
			break
		}
		if w.recheck {
			again, lastAgain = again+1, i
		} else {
			fresh, lastFresh = fresh+1, i
			if i-lastAgain > recheckTurn {
				t.Fatalf("no verification since turn %d in turn %d", lastAgain, i)
			}
		}
		if !w.recheck && i > 2*recheckTurn && again > i/recheckTurn {
			t.Fatalf("%d of %d windows went to verification while days were never read", again, i)
		}
	}
	if fresh < 140 || again < 140 || lastFresh > fresh*8/7+recheckTurn {
		t.Errorf("%d windows first, the last in turn %d, %d again", fresh, lastFresh, again)
	}
}
