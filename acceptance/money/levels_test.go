package money_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/agreements"
	"rebatedesk/store/audit"
	"rebatedesk/terms"
)

// section returns the words of an element with an id, up to the end of its section.
func section(body, id string) string {
	_, rest, _ := strings.Cut(body, `id="`+id+`"`)
	rest, _, _ = strings.Cut(rest, "</section>")
	return site.WordsOf(rest)
}

// An invitee who brings less than before is told alike on all pages: the forecast, its own page, what needs
// attention, and the worklist with its files.
func TestChangedLevelOnPages(t *testing.T) {
	t.Parallel()
	today := affiliate.DayOf(site.Now, time.UTC) // 20 November
	var rows []affiliate.Commission
	var before, after int64 // of the 84 days before the tenth, and of the ten days since that are over
	for back := 200; back >= 0; back-- {
		for uid := range 4 {
			amount := 9 + (back*7+uid)%5 // 9 to 13
			if uid == 3 {
				if amount *= 4; back < 11 {
					amount = amount * 3 / 10
				}
				switch {
				case back > 0 && back < 11:
					after += int64(amount)
				case back >= 11 && back < 11+84:
					before += int64(amount)
				}
			}
			c := earnedOn(today-affiliate.Day(back), affiliate.Number(strconv.Itoa(amount)))
			c.UID, c.Fee = affiliate.UID("466777680"+strconv.Itoa(uid)), affiliate.Number(strconv.Itoa(2*amount))
			rows = append(rows, c)
		}
	}
	o := openRows(t, today-200, rows...)
	v := o.As("mia", access.Manager)
	mean := func(sum, days int64) decimal.Decimal {
		return decimal.NewFromInt(sum).DivRound(decimal.NewFromInt(days), 4)
	}
	was, is := mean(before, 84), mean(after, 10)
	month := was.Sub(is).Mul(decimal.NewFromInt(21)).StringFixed(2) // from the tenth to the thirtieth
	risk := was.Sub(is).Mul(decimal.NewFromInt(30))
	exact := "rings " + is.StringFixed(2) + " USDT a day since 10 Nov 2026, " + was.StringFixed(2) + " before"
	brief := "brings " + is.StringFixed(0) + " USDT a day since 10 Nov, " + was.StringFixed(0) + " before"
	levels := section(v.Get("/forecast").Body, "levels")
	for _, want := range []string{"Is this still normal? 1 of 5 levels", "Invitee 4667776803 10 Nov 2026 " + was.StringFixed(2) + " " + is.StringFixed(2) + " -" + month} {
		if !strings.Contains(levels, want) {
			t.Errorf("the forecast says %q, not %q", levels, want)
		}
	}
	for _, part := range []string{"?coin=USDT", "?product=SPOT", "?source=direct"} {
		if strings.Contains(v.Get("/forecast"+part).Body, `id="levels"`) {
			t.Errorf("%s: a part of the commission is told the level of all", part)
		}
	}
	if said := section(v.Get("/invitees/4667776803").Body, "head"); !strings.Contains(said, "B"+exact+"; about "+month+" USDT less in November 2026, all coins, converted.") || !strings.Contains(said, risk.StringFixed(2)+" USDT it brings less a day") {
		t.Errorf("the invitee says %q", said)
	}
	if said := section(v.Get("/invitees/4667776801").Body, "head"); strings.Contains(said, "a day since") {
		t.Errorf("another invitee says %q", said)
	}
	if said := section(v.Get("/attention").Body, "attention"); !strings.Contains(said, "Invitee 4667776803 "+brief) || !strings.Contains(said, "about "+month+" USDT less in November 2026") {
		t.Errorf("needs attention: %q", said)
	}
	for _, path := range []string{"/worklist", "/worklist?reason=level"} {
		if said := site.WordsOf(v.Get(path).Body); !strings.Contains(said, "Brings less "+brief) || !strings.Contains(said, "(bring less "+risk.StringFixed(2)+")") {
			t.Errorf("%s lacks the reason: %s", path, said)
		}
	}
	if file := v.Get("/worklist.csv").Body; !strings.Contains(file, ",level,") || !strings.Contains(file, ","+risk.String()+",USDT,"+risk.String()+",") {
		t.Errorf("the file of the worklist is\n%s", file)
	}
}

// While a tier is within reach, Home names it with what it lacks. A tier that is not reached at the present pace
// is not named.
func TestTierWithinReachOnHome(t *testing.T) {
	t.Parallel()
	o := openSteady(t, affiliate.DayOf(site.Now, time.UTC)+1) // 100 USDT of volume a day
	v := o.As("mia", access.Manager)
	agree := func(line string) {
		t.Helper()
		file, err := terms.Parse(t.Context(), []byte("scope,value,product_type,rate,from,to,tier_by,tier_from\n"+line+"\n"))
		if err == nil {
			_, err = agreements.ImportTerms(t.Context(), o.Store, file, "terms.csv", store.AnyVersion, audit.Line{Actor: "ann"})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	agree("all,,,0.5,2026-01-01,,,")
	agree("all,,,0.6,2026-01-01,,volume,5000")
	if said := section(v.Get("/").Body, "forecast-card"); strings.Contains(said, "the rate becomes") {
		t.Errorf("out of reach, Home says %q", said)
	}
	agree("all,,,0.55,2026-01-01,,volume,2500")
	if said := section(v.Get("/").Body, "tiers-within"); !strings.Contains(said, "Everyone the rate becomes 55 % with 500.00 USDT more of volume, at the present pace on 25 November") {
		t.Errorf("within reach, Home says %q", said)
	}
}
