package money_test

import (
	"encoding/csv"
	"fmt"
	"html"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
)

// sendPrices sends a price file to its preview.
func sendPrices(v *site.Visitor, text string) site.Answer {
	v.Helper()
	body := "--x\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n" + v.Token + "\r\n" +
		"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"prices.csv\"\r\n\r\n" + text + "\r\n--x--\r\n"
	return v.Send(http.MethodPost, "/prices/import/preview", body, "Content-Type", "multipart/form-data; boundary=x")
}

// The file of the days without a price is filled in and imported in the browser: converted sums are then
// those of the records at these prices, and each page says that they are imported. The undoing takes all of
// it back, and so does a look at the instant before the import.
func TestPricesAreImportedInTheBrowser(t *testing.T) {
	t.Parallel()
	o := site.OpenPaid(t)
	v, viewer := o.As("mia", access.Manager), o.As("vera", access.Viewer)
	const month = "range=last-month"
	worth := func(query string) string {
		t.Helper()
		f, sum := tableOf(t, v, "/programmes.csv?"+query), new(big.Rat)
		for _, row := range f.rows { // a coin without any price has none
			if text := f.cell(row, "commission_usdt"); text != "" {
				sum.Add(sum, exactly(t, text))
			}
		}
		return sum.FloatString(20)
	}
	before := worth(month)
	then, err := o.Store.LastWrite(t.Context())
	if err != nil {
		t.Fatal(err)
	}

	page := v.Get("/prices/import")
	if words := site.WordsOf(page.Body); page.StatusCode != 200 || !strings.Contains(words, "are lacking") {
		t.Fatalf("the page of prices: status %d, %s", page.StatusCode, words)
	}
	if a := viewer.Get("/prices/import"); a.StatusCode != 403 {
		t.Errorf("a viewer gets the page of imports: status %d", a.StatusCode)
	}
	lacking := tableOf(t, v, "/prices/lacking.csv")
	var text strings.Builder
	out := csv.NewWriter(&text)
	if err := out.Write(lacking.head); err != nil {
		t.Fatal(err)
	}
	price := map[string]*big.Rat{}
	for i, row := range lacking.rows {
		row[2] = fmt.Sprintf("%d.25", 100+i)
		price[row[0]+row[1]] = exactly(t, row[2])
		if err := out.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	out.Flush()
	if len(price) < 10 {
		t.Fatalf("%d prices are lacking", len(price))
	}

	v.Get("/prices/import")
	for file, want := range map[string]string{
		"": "No file was chosen",
		"date,coin,price_usdt\r\n2026-10-01,BTC,\"1,0\"\r\n": "price_usdt",
		text.String() + "2999-01-01,BTC,1\r\n":               "is not over",
	} {
		if a := sendPrices(v, file); a.StatusCode != 400 || !strings.Contains(site.WordsOf(a.Body), want) {
			t.Errorf("a faulty file: status %d, without %q: %s", a.StatusCode, want, site.WordsOf(a.Body))
		}
	}
	preview := sendPrices(v, text.String())
	if words := site.WordsOf(preview.Body); preview.StatusCode != 200 || !strings.Contains(words, fmt.Sprintf("%d new, 0 replaced, 0 unchanged", len(price))) {
		t.Fatalf("the preview: status %d, %s", preview.StatusCode, words)
	}
	if got := worth(month); got != before {
		t.Errorf("the preview changed what the month is worth: %s, before %s", got, before)
	}
	draft := ""
	for _, field := range site.HiddenField.FindAllStringSubmatch(preview.Body, -1) {
		if field[1] == "draft" {
			draft = field[2]
		}
	}
	if a := viewer.Post("/prices/import", "draft", draft); a.StatusCode != 403 {
		t.Errorf("a viewer confirms an import: status %d", a.StatusCode)
	}
	o.Pass(time.Minute)
	if a := v.Post("/prices/import", "draft", draft); a.StatusCode != 303 || a.Header.Get("Location") != "/prices/import?done=imported" {
		t.Fatalf("the import: status %d, %s", a.StatusCode, site.WordsOf(a.Body))
	}
	if a := v.Post("/prices/import", "draft", draft); a.StatusCode != 409 {
		t.Errorf("the same preview imported twice: status %d", a.StatusCode)
	}

	want, records := new(big.Rat), tableOf(t, v, "/commissions.csv?"+month)
	for _, row := range records.rows {
		coin, amount := records.cell(row, "coin"), records.cell(row, "commission")
		if amount == "" {
			continue
		}
		rate := big.NewRat(1, 1)
		if coin != "USDT" {
			if rate = price[records.cell(row, "deal_time_utc")[:10]+coin]; rate == nil {
				t.Fatalf("no price was lacking for %s on %s", coin, records.cell(row, "deal_time_utc"))
			}
		}
		want.Add(want, new(big.Rat).Mul(exactly(t, amount), rate))
	}
	if got := worth(month); got != want.FloatString(20) {
		t.Errorf("the month is worth %s, want %s", got, want.FloatString(20))
	}
	for _, path := range []string{"/?" + month, "/commissions?" + month} {
		said := html.UnescapeString(v.Get(path).Body)
		for _, want := range []string{"at imported prices", "imported by mia on", "so the imported price is used"} {
			if !strings.Contains(said, want) {
				t.Errorf("%s does not say %q", path, want)
			}
		}
	}
	if got := worth(month + "&as_of=" + then.String()); got != before {
		t.Errorf("before the import the month was worth %s, and as of then it is %s", before, got)
	}
	written := tableOf(t, v, "/prices/import.csv")
	if len(written.rows) != len(price) {
		t.Errorf("the file of imported prices has %d rows, want %d", len(written.rows), len(price))
	}
	v.Get("/prices/import")
	if a := v.Post("/prices/import/1/undo"); a.StatusCode != 303 {
		t.Fatalf("the undoing: status %d, %s", a.StatusCode, site.WordsOf(a.Body))
	}
	if got := worth(month); got != before {
		t.Errorf("after the undoing the month is worth %s, before %s", got, before)
	}
	if a := v.Post("/prices/import/1/undo"); a.StatusCode != 409 {
		t.Errorf("undone twice: status %d", a.StatusCode)
	}
}
