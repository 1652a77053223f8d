package mail

import (
	"bytes"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"rebatedesk/affiliate"
	"rebatedesk/dispatch"
	"rebatedesk/mail/mailer"
	"rebatedesk/mail/picture"
	"rebatedesk/reports/coverage"
	"rebatedesk/reports/figures"
	"rebatedesk/store/outbox"
)

// Of 100, 50 and -120 in a week only the positive ones have shares, of 150; their sum of 30 after -50
// the week before is 80 more. The bar of -120 goes to the left of where the others begin. Who was
// back after months is reactivated, and only the first commission ever is new.
func TestSummaryOfBothSigns(t *testing.T) {
	d := newFixture(t, mailer.Server{})
	if err := d.store.WantFrom(t.Context(), "main", monday-100); err != nil {
		t.Fatal(err)
	}
	by := func(n int, day affiliate.Day, commission affiliate.Number) affiliate.Commission {
		c := brings(day, commission, "USDT")
		c.UID = uid(n)
		return c
	}
	d.now = (monday + 8).Start(d.now.Location())
	d.collect(affiliate.Days{First: monday - 100, Last: monday + 8},
		by(1, monday+1, "100"), by(2, monday+2, "50"), by(3, monday+3, "-120"), by(3, monday-2, "-50"), by(2, monday-80, "1"))
	content, err := d.Preview(t.Context(), d.schedule(func(s *outbox.Subscription) { s.Every, s.Sections = "weekly", Sections() }), dispatch.Weekly.Of(monday), "boss@example.com")
	if err != nil {
		t.Fatal(err)
	}
	_, parts := parse(t, content)
	words := strings.Join(strings.Fields(text(parts, "text/plain")), " ")
	for _, want := range []string{"Top invitees, USDT; shares of the positive amounts", "4667776801 100.00 66.7 % new", "4667776802 50.00 33.3 % traded again", "4667776803 -120.00 — ▼ 70.00 USDT", "30.00 USDT ▲ 80.00 USDT"} {
		if !strings.Contains(words, want) {
			t.Errorf("the summary lacks %q:\n%s", want, words)
		}
	}
	page := text(parts, "text/html")
	for _, want := range []string{"margin-left:55%;width:45%;height:3px;border-radius:2px;background:#4658dd;", "margin-left:55%;width:22%;", `"width:55%;height:3px;border-radius:2px;background:#b42323;"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the HTML lacks %s", want)
		}
	}
	for _, wrong := range []string{"333.3", "166.7", "400.0", "new from zero", "nothing before"} {
		if strings.Contains(words+page, wrong) {
			t.Errorf("the summary says %q", wrong)
		}
	}
}

// The columns of the picture show what was earned above zero and what was taken back below it: neither
// hides the other.
func TestPictureOfBothSigns(t *testing.T) {
	day := monday
	series := figures.DailySeries{Coin: "USDT", Days: []affiliate.Day{day}, State: []coverage.DayState{coverage.DayCollected}, Total: []decimal.Decimal{decimal.NewFromInt(-20)},
		Parts: []figures.SeriesPart{{Name: "Futures", Values: []decimal.Decimal{decimal.NewFromInt(100)}}, {Name: "Spot", Values: []decimal.Decimal{decimal.NewFromInt(-120)}}}}
	content, err := picture.Draw(series)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := png.Decode(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[color.Color]int{}
	var order []color.Color
	x := shown.Bounds().Dx() * 6 / 10 // within the only column
	for y := range shown.Bounds().Dy() {
		c := shown.At(x, y)
		if _, _, _, a := c.RGBA(); a != 0xffff {
			continue
		}
		if rows[c]++; rows[c] == 1 {
			order = append(order, c)
		}
	}
	var high []int
	for _, c := range order {
		if rows[c] > 20 {
			high = append(high, rows[c])
		}
	}
	if len(high) != 2 || high[0] >= high[1] {
		t.Errorf("the column has parts of %v rows, want one of 100 over one of 120", high)
	}
}
