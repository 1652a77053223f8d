package money_test

import (
	"bytes"
	"fmt"
	"html"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/phrase"
	"rebatedesk/store/storetest"
	"rebatedesk/web"
)

// A panic in one report of the overview leaves the others standing: the page says so where the
// report would be, and the panic is logged and counted. So it is with the sections of a mail, with
// the checks of Attention, and with what is made ready before anybody asks.
func TestAPartFailsAlone(t *testing.T) {
	t.Parallel()
	const fault = phrase.NotMade
	for _, c := range []struct {
		name, corrupt string
		failed        map[string]string // the text of elements
		stand         []string          // their ids, and words
	}{
		{"goals", `UPDATE goals SET amount = 'x'`, map[string]string{"forecast-card": "Goals: " + fault}, []string{`id="payments-card"`, `id="valued"`, `id="drivers-card"`}},
		{"payments", `UPDATE bills SET coin = 'ZZZ' WHERE id = (SELECT MIN(id) FROM bills WHERE amount NOT LIKE '-%'); ` + priced("ZZZ"),
			map[string]string{"payments-card": fault}, []string{`id="valued"`, `id="forecast-card"`, `id="drivers-card"`}},
		{"prices", priced("BTC"), map[string]string{"earned": fault}, []string{"front-filters", "front-attention"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := site.OpenPaid(t)
			var log bytes.Buffer
			service := reports.New(p.Store, p.Now)
			p.Address, p.Server = site.Serve(t, web.Options{Reports: service, Desk: service, Access: p.Access, Collect: site.Nothing, Log: slog.New(slog.NewTextHandler(&log, nil))})
			mia := p.As("mia", access.Manager)
			month := goalMonth.FindStringSubmatch(mia.Get("/forecast").Body)[1]
			if a := mia.Post("/forecast/goals", "month", month, "amount", "1000", "coin", "USDT"); a.StatusCode != http.StatusSeeOther {
				t.Fatalf("a goal: status %d", a.StatusCode)
			}
			if err := storetest.Corrupt(p.Store, c.corrupt); err != nil {
				t.Fatal(err)
			}
			a := mia.Get("/?coin=")
			if a.StatusCode != http.StatusOK {
				t.Fatalf("the overview: status %d", a.StatusCode)
			}
			for id, words := range c.failed {
				_, part, _ := strings.Cut(a.Body, `id="`+id+`"`)
				part, _, _ = strings.Cut(part, "</section>")
				if text := strings.Join(strings.Fields(html.UnescapeString(site.Tags.ReplaceAllString(part, " "))), " "); !strings.Contains(text, words) {
					t.Errorf("in place of %s stands %.300q", id, text)
				}
			}
			for _, words := range c.stand {
				if !strings.Contains(a.Body, words) {
					t.Errorf("the page lacks %s", words)
				}
			}
			if findings := mia.Get("/attention").Body; c.name == "payments" && (!strings.Contains(findings, "Nothing was found out about missing payments") || !strings.Contains(findings, "of the commission")) {
				t.Error("the findings lack the check that failed, or all others")
			}
			if n := strings.Count(a.Body, fault); n == 0 || p.Server.Panics() == 0 || !strings.Contains(log.String(), "panic caught") {
				t.Errorf("%d faults are told, %d panics counted; the log is %.500s", n, p.Server.Panics(), &log)
			}
		})
	}
}

// priced stores a price that no program wrote.
func priced(coin string) string {
	return fmt.Sprintf(`INSERT INTO rates (quote, coin, hour, at_ms, sampled_ms, price, source, symbol) VALUES ('USDT', '%s', 1, 3600000, 3600000, 'x', 'test', 'test')`, coin)
}
