package money_test

import (
	"context"
	"encoding/json"
	"html"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/secret"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/web"
)

// openRows opens a site whose commission is completely collected from a day up to today.
func openRows(t *testing.T, from affiliate.Day, rows ...affiliate.Commission) *site.Site {
	t.Helper()
	return openSpans(t, from, []affiliate.Days{{First: from, Last: affiliate.DayOf(site.Now, time.UTC)}}, rows)
}

// openSpans opens a site of which some days are completely collected, with their records.
func openSpans(t *testing.T, from affiliate.Day, spans []affiliate.Days, rows []affiliate.Commission) *site.Site {
	t.Helper()
	o := &site.Site{TB: t, Clock: &site.Clock{At: site.Now}, Path: filepath.Join(t.TempDir(), "rows.db")}
	key := secret.NewKey()
	var err error
	if o.Store, err = store.Open(context.Background(), o.Path, store.Options{AuditKey: key.Derive("audit"), Zone: time.UTC, Now: o.Now}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := o.Store.Close(); err != nil {
			t.Error(err)
		}
	})
	o.Access = access.NewForTests(access.Options{Store: o.Store, Box: key.Box(), Now: o.Now})
	if err := o.Store.WantFrom(t.Context(), "main", from); err != nil {
		t.Fatal(err)
	}
	for _, span := range spans {
		for _, product := range affiliate.Products() {
			var list []affiliate.Commission
			for _, row := range rows {
				if row.Product == product && span.Contains(affiliate.DayOf(row.DealTime.Time(), time.UTC)) {
					list = append(list, row)
				}
			}
			slice := records.Slice{Account: "main", Stream: affiliate.Stream{Kind: affiliate.Commissions, Product: product}, Days: span, Started: site.Now, Through: affiliate.MillisOf(site.Now)}
			if _, err := records.ReplaceCommissions(t.Context(), o.Store, slice, list); err != nil {
				t.Fatal(err)
			}
		}
	}
	service := reports.New(o.Store, o.Now)
	o.Address, o.Server = site.Serve(t, web.Options{Reports: service, Desk: service, Access: o.Access, Collect: site.Nothing})
	return o
}

// earnedOn is a record of a day that brought an amount of USDT.
func earnedOn(day affiliate.Day, amount affiliate.Number) affiliate.Commission {
	return affiliate.Commission{
		DealTime: affiliate.MillisOf(day.Start(time.UTC)), UID: "4667776801", Product: affiliate.Spot, Symbol: "BTCUSDT", Source: affiliate.Direct,
		Coin: "USDT", TakerAmount: "100", MakerAmount: "0", Fee: "20", Rate: "0.5", Commission: amount,
	}
}

// openSteady opens a site with 150 complete days of which each brought 10 USDT, and one more
// day before yesterday if it is not the day without a reading.
func openSteady(t *testing.T, without affiliate.Day) *site.Site {
	t.Helper()
	today := affiliate.DayOf(site.Now, time.UTC)
	var rows []affiliate.Commission
	for day := today - 150; day <= today; day++ {
		rows = append(rows, earnedOn(day, "10"))
	}
	return openSpans(t, today-150, []affiliate.Days{{First: today - 150, Last: without - 1}, {First: without + 1, Last: today}}, rows)
}

// The page says in words where the month will end, its JSON has the same figures, and a day
// that is not collected refuses both.
func TestForecastPage(t *testing.T) {
	t.Parallel()
	o := openSteady(t, affiliate.DayOf(site.Now, time.UTC)+1)
	v := o.As("vera", access.Viewer)
	month := site.Now.Format("2006-01")
	var got map[string]any
	a := v.Get("/forecast.json")
	if err := json.Unmarshal([]byte(a.Body), &got); err != nil || a.StatusCode != 200 {
		t.Fatalf("status %d: %s, %v", a.StatusCode, a.Body, err)
	}
	for name, want := range map[string]any{"coin": "USDT", "month": month, "level": "0.8", "state": "open", "converted": nil, "as_of": ""} {
		if got[name] != want {
			t.Errorf("%s is %v, not %v", name, got[name], want)
		}
	}
	if hits, tested := got["hits"].(float64), got["tested_months"].(float64); tested < 1 || hits != tested {
		t.Errorf("held in %v of %v months of a programme that never changes", hits, tested)
	}
	if !strings.HasPrefix(a.Body, `{"coin":"USDT","month":"`+month+`","earned":"`) {
		t.Errorf("the fields are in another order: %s", a.Body)
	}
	page := v.Get("/forecast")
	if words := site.Said(page.Body, "answer"); page.StatusCode != 200 || !strings.Contains(words, site.Now.Format("January 2006")+" will end at about") || !strings.Contains(words, "Ranges like this held in") {
		t.Errorf("status %d: %q", page.StatusCode, words)
	}
	for _, part := range []string{`id="forecast-chart"`, `id="trials"`, "estimate"} {
		if !strings.Contains(page.Body, part) {
			t.Errorf("the page lacks %s", part)
		}
	}
	last := site.Now.AddDate(0, -1, 0).Format("2006-01")
	if err := json.Unmarshal([]byte(v.Get("/forecast.json?coin=USDT&month="+last).Body), &got); err != nil || got["state"] != "over" || got["earned"] != got["high"] || got["tested_months"] != 0.0 {
		t.Errorf("the month before: %v, %v", got, err)
	}
	if card := v.Get("/"); !strings.Contains(site.Said(card.Body, "forecast-card"), "about") {
		t.Errorf("the card is %q", site.Said(card.Body, "forecast-card"))
	}
	for query, says := range map[string]string{"month=2026-13": "is not a month", "month=2026-11&from=2026-11-01": "cannot stand together", "range=30d": "cannot be used here", "coin=USDT,BTC": "several coins", "moon=1": "no such parameter"} {
		if a := v.Get("/forecast.json?" + query); a.StatusCode != 400 || !strings.Contains(a.Body, says) {
			t.Errorf("%s: status %d: %s", query, a.StatusCode, a.Body)
		}
	}
	for _, query := range []string{"month=2027-12", "coin=BTC", "month=2020-01"} {
		if a := v.Get("/forecast.json?" + query); a.StatusCode != 409 {
			t.Errorf("%s: status %d: %s", query, a.StatusCode, a.Body)
		}
	}
}

func TestForecastOfIncompleteDays(t *testing.T) {
	t.Parallel()
	gap := affiliate.DayOf(site.Now, time.UTC) - 3
	v := openSteady(t, gap).As("vera", access.Viewer)
	a := v.Get("/forecast.json")
	if day := gap.Format("2 Jan 2006"); a.StatusCode != 409 || !strings.Contains(a.Body, day+" is not completely collected") || !strings.Contains(a.Body, "webapp collect") {
		t.Errorf("status %d: %s", a.StatusCode, a.Body)
	}
	if words := site.Said(v.Get("/forecast").Body, "answer"); !strings.Contains(words, "is not completely collected") || strings.Contains(words, "likely between") {
		t.Errorf("the page says %q", words)
	}
}

// After ten days without commission the forecast no longer promises what the month before brought: it
// says since when, expects nothing more, and gives no range, on the page, for programs, on the
// overview and for goals.
func TestForecastAfterASilence(t *testing.T) {
	t.Parallel()
	today := affiliate.DayOf(site.Now, time.UTC) // 20 November
	var rows []affiliate.Commission
	earned := 0
	for back := 200; back > 10; back-- {
		amount := 9 + back*7%5 // 9 to 13
		if rows = append(rows, earnedOn(today-affiliate.Day(back), affiliate.Number(strconv.Itoa(amount)))); today-affiliate.Day(back) >= affiliate.NewDay(2026, time.November, 1) {
			earned += amount
		}
	}
	o := openRows(t, today-200, rows...)
	v := o.As("mia", access.Manager)
	for _, month := range []string{"2026-11", "2026-12"} {
		var got struct {
			Earned, Expected, Reason string
			Low, High                *string
			Break                    *struct{ Since, Before, After string }
		}
		a := v.Get("/forecast.json?month=" + month)
		if err := json.Unmarshal([]byte(a.Body), &got); err != nil || a.StatusCode != 200 {
			t.Fatalf("%s: status %d: %s, %v", month, a.StatusCode, a.Body, err)
		}
		want := "0"
		if month == "2026-11" {
			want = strconv.Itoa(earned)
		}
		if got.Earned != want || got.Expected != want || got.Low != nil || got.High != nil || got.Reason == "" || got.Break == nil {
			t.Fatalf("%s: %s", month, a.Body)
		}
		if got.Break.Since != (today-10).String() || got.Break.After != "0" || !strings.HasPrefix(got.Break.Before, "11") {
			t.Errorf("%s: the break is %+v", month, got.Break)
		}
		page := v.Get("/forecast?month=" + month)
		if words := site.Said(page.Body, "answer"); !strings.Contains(words, "The level changed on 10 Nov 2026: a day brought 11.02 USDT before, and 0.00 USDT since.") || strings.Contains(words, "likely between") || strings.Contains(words, "80\u00a0%") {
			t.Errorf("%s: the page says %q", month, words)
		}
	}
	_, card, _ := strings.Cut(v.Get("/").Body, `id="forecast-card"`)
	card, _, _ = strings.Cut(card, "</section>")
	if card = strings.Join(strings.Fields(site.Tags.ReplaceAllString(card, " ")), " "); !strings.Contains(card, "The level changed on 10 Nov 2026") || strings.Contains(card, "likely") {
		t.Errorf("the overview says %q", card)
	}
	if a := v.Post("/forecast/goals", "month", "2026-11", "coin", "USDT", "amount", "500"); a.StatusCode != 303 {
		t.Fatalf("a goal: status %d: %.300s", a.StatusCode, a.Body)
	}
	if page := html.UnescapeString(site.Tags.ReplaceAllString(v.Get("/forecast?month=2026-11").Body, " ")); !strings.Contains(page, "the level changed on 10 Nov 2026, and there is no range yet") {
		t.Error("the goal does not say that the level changed")
	}
}
