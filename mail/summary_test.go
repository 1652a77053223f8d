package mail

import (
	"bytes"
	"image/png"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/mail/mailer"
	"rebatedesk/mail/picture"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/reports/phrase"
	"rebatedesk/store/outbox"
)

// A day is compared with the same weekday and with the day before, a week with
// the week before, a month with the calendar month before, whatever its length.
func TestWhatIsCompared(t *testing.T) {
	d := newFixture(t, mailer.Server{})
	days := affiliate.Days{First: first - 70, Last: first + 1}
	if err := d.store.WantFrom(t.Context(), "main", days.First); err != nil {
		t.Fatal(err)
	}
	d.collect(days, programme(affiliate.Days{First: days.First, Last: first})...)
	for _, c := range []struct {
		every   dispatch.Every
		day     affiliate.Day
		against []string
		before  []affiliate.Days
		note    string
	}{
		{dispatch.Daily, first - 1, []string{"Mon 24 Aug", "Sun 30 Aug"}, []affiliate.Days{daysOf(first-8, first-8), daysOf(first-2, first-2)}, "the same weekday a week before, 24 Aug 2026 (UTC); those marked Sun 30 Aug compare with that day."},
		{dispatch.Weekly, monday, []string{"week 34"}, []affiliate.Days{daysOf(monday-7, monday-1)}, "the week before, 17 Aug 2026 – 23 Aug 2026 (UTC)."},
		{dispatch.Monthly, first - 1, []string{"July 2026"}, []affiliate.Days{daysOf(first-62, first-32)}, "the month before, 1 Jul 2026 – 31 Jul 2026 (UTC)."},
	} {
		sum, err := d.summary(t.Context(), planned(t, func(s *outbox.Subscription) { s.Every = string(c.every) }), c.every.Of(c.day))
		if err != nil {
			t.Fatal(err)
		}
		now := earned(d, sum.Period.Days)
		for _, card := range sum.Cards[:1] {
			if len(card.Changes) != len(c.against) {
				t.Fatalf("%s: %s has the changes %+v", c.every, card.Label, card.Changes)
			}
			for i, delta := range card.Changes {
				percent := (now/earned(d, c.before[i]) - 1) * 100
				if want := phrase.Change(changeBy(percent)).String(); delta.Against != c.against[i] || delta.Words != want {
					t.Errorf("%s: %s is %+v, want %s against %s", c.every, card.Label, delta, want, c.against[i])
				}
			}
		}
		if !slices.ContainsFunc(sum.Notes, func(note string) bool { return strings.HasSuffix(note, c.note) }) {
			t.Errorf("%s: the notes are %q", c.every, sum.Notes)
		}
	}
}

// While a period is not known completely, no change counts as good or bad.
func TestChangesSoFar(t *testing.T) {
	d := newFixture(t, mailer.Server{})
	days := affiliate.Days{First: first - 70, Last: first + 1}
	if err := d.store.WantFrom(t.Context(), "main", days.First); err != nil {
		t.Fatal(err)
	}
	d.collect(days, programme(affiliate.Days{First: days.First, Last: first})...)
	sum, err := d.summary(t.Context(), planned(t, func(s *outbox.Subscription) { s.Every = "monthly" }), dispatch.Monthly.Of(first))
	if err != nil {
		t.Fatal(err)
	}
	delta := sum.Cards[0].Changes[0]
	if !strings.HasPrefix(delta.Words, "▼ ") || delta.Tone != "" || delta.Against != "August 2026, so far" {
		t.Errorf("%+v", delta)
	}
}

// earned is the commission of the tests' programme in USDT.
func earned(d *fixture, days affiliate.Days) (sum float64) {
	for _, r := range programme(affiliate.Days{First: first - 70, Last: first}) {
		if day := affiliate.DayOf(r.DealTime.Time(), d.store.Zone()); r.Coin == "USDT" && day >= days.First && day <= days.Last {
			sum += r.Commission.Decimal().InexactFloat64()
		}
	}
	return sum
}

func changeBy(percent float64) figures.Change {
	c := figures.Change{Kind: figures.ChangeUp, Percent: affiliate.Number(strconv.FormatFloat(math.Abs(percent), 'f', 6, 64)).Decimal()}
	if percent < 0 {
		c.Kind = figures.ChangeDown
	}
	return c
}

// An uncollected day has a band in the chart, an entry in its legend, and a dash in the
// text: never a zero.
func TestDaysThatAreNotKnown(t *testing.T) {
	d := newFixture(t, mailer.Server{})
	if err := d.store.WantFrom(t.Context(), "main", monday); err != nil {
		t.Fatal(err)
	}
	d.collect(daysOf(monday, monday+3), programme(daysOf(monday, monday+3))...)
	sum, err := d.summary(t.Context(), planned(t, func(s *outbox.Subscription) { s.Every = "weekly" }), dispatch.Weekly.Of(monday))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, mark := range sum.Legend() {
		names = append(names, mark.Name)
	}
	if !slices.Equal(names, []string{"Spot", "Futures", "not collected completely"}) {
		t.Errorf("the legend is %q", names)
	}
	plain := strings.Join(strings.Fields(textPart(sum, "")), " ")
	if want := " Thu 27 Aug 2026 25.270370367037037034 all Fri 28 Aug 2026 — no Sat 29 Aug 2026 — no "; !strings.Contains(plain, want) {
		t.Errorf("without %q:\n%s", want, plain)
	}
	whole := *sum.Chart
	whole.State = slices.Repeat([]coverage.DayState{coverage.DayCollected}, len(whole.Days))
	drawn, err := picture.Draw(whole)
	if err != nil || bytes.Equal(drawn, sum.Picture) {
		t.Errorf("the chart shows unknown days as any other, %v", err)
	}
}

// The letters of the picture are readable on a phone of 390 pixels, where the mail
// leaves it 358.
func TestPictureLettersOnATelephone(t *testing.T) {
	const telephone, margins, least = 390, 2 * 16, 11
	for _, width := range []float64{telephone - margins, picture.Width * telephone / 600.0} {
		if size := picture.LetterSize * width / picture.Width; size < least {
			t.Errorf("shown %.0f pixels wide its letters are %.1f high", width, size)
		}
	}
}

// The picture has the background of the page around it.
func TestPictureHasNoGround(t *testing.T) {
	d := collected(t, mailer.Server{})
	sum, err := d.summary(t.Context(), planned(t, func(s *outbox.Subscription) { s.Every = "weekly" }), dispatch.Weekly.Of(monday))
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(sum.Picture))
	if err != nil {
		t.Fatal(err)
	}
	for x := range picture.Bounds().Dx() {
		if _, _, _, alpha := picture.At(x, 1).RGBA(); alpha == 0xffff {
			t.Fatalf("there is a ground at %d", x)
		}
	}
}
