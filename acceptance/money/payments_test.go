package money_test

import (
	"encoding/csv"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
)

var lineLink = regexp.MustCompile(`href="(/payments/line\?[^"]+)"`)

// lineOf returns the address of the first line of a state.
func lineOf(t *testing.T, v *site.Visitor, state string) string {
	t.Helper()
	_, rows, _ := strings.Cut(v.Get("/payments?state="+state).Body, `id="rows"`)
	found := lineLink.FindStringSubmatch(rows)
	if found == nil {
		t.Fatalf("no line is %s", state)
	}
	return html.UnescapeString(found[1])
}

// The page answers in words what is missing. Its files have the same lines, and its links
// lead to what is behind them.
func TestPaymentsAnswerWhatIsMissing(t *testing.T) {
	t.Parallel()
	p := site.OpenPaid(t)
	v := p.As("mia", access.Manager)
	page := v.Get("/payments?range=30d").Body
	if answer := site.Said(page, "answer"); !strings.Contains(answer, "Not paid of what was earned in the last 30 days:") || !strings.Contains(answer, "in 2 open lines") {
		t.Errorf("the page says %q", answer)
	}
	for _, text := range []string{"Earned and paid: complete up to", "Paid daily, about 8 hours after the day ends, direct commissions and those of sub-agents apart.",
		"How long it has been due", `id="running-chart"`, "Other bills of these days"} {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks %q", text)
		}
	}
	rows, err := csv.NewReader(strings.NewReader(v.Get("/payments.csv").Body)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]int{}
	for _, row := range rows[1:] {
		states[row[slices.Index(rows[0], "state")]]++
	}
	if states["missing"] != 1 || states["short"] != 1 || states["late"] != 1 {
		t.Errorf("the file has %v", states)
	}
	line := v.Get(lineOf(t, v, "missing")).Body
	if answer := site.Said(line, "answer"); !strings.Contains(answer, "was earned, nothing was paid, and it is due since") {
		t.Errorf("the line says %q", answer)
	}
	records := regexp.MustCompile(`href="(/commissions\?[^"]+)"`).FindStringSubmatch(line)
	if records == nil {
		t.Fatal("no link leads to the records")
	}
	if a := v.Get(html.UnescapeString(records[1])); a.StatusCode != 200 || !strings.Contains(a.Body, `id="rows"`) {
		t.Errorf("the records: status %d", a.StatusCode)
	}
}

// A manager's note and verdict change what is outstanding. A refused note stays in its form,
// and a viewer reads notes and bills of payments only.
func TestPaymentNotes(t *testing.T) {
	t.Parallel()
	p := site.OpenPaid(t)
	manager, viewer := p.As("mia", access.Manager), p.As("vera", access.Viewer)
	address := lineOf(t, manager, "missing")
	_, query, _ := strings.Cut(address, "?")
	key, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	fields := func(more ...string) (list []string) {
		for name := range key {
			list = append(list, name, key.Get(name))
		}
		return append(list, more...)
	}
	manager.Get(address)
	if a := manager.Post("/payments/notes", fields("text", "", "verdict", "")...); a.StatusCode != 400 || !strings.Contains(a.Body, "The note is empty") {
		t.Errorf("an empty note: status %d", a.StatusCode)
	}
	long := strings.Repeat("<b>x</b>", 300)
	if a := manager.Post("/payments/notes", fields("text", long, "verdict", "disputed")...); a.StatusCode != 400 || !strings.Contains(a.Body, html.EscapeString(long)) ||
		!strings.Contains(a.Body, `value="disputed" selected`) {
		t.Errorf("a note that is too long: status %d", a.StatusCode)
	}
	if a := manager.Post("/payments/notes", fields("text", "Asked support, ticket 4711", "verdict", "disputed")...); a.StatusCode != 303 || a.Header.Get("Location") != address+"#notes" {
		t.Fatalf("status %d, to %s", a.StatusCode, a.Header.Get("Location"))
	}
	if page := manager.Get("/payments?per=100").Body; !strings.Contains(site.Said(page, "answer"), "in 2 open lines") || !strings.Contains(page, "Disputed") {
		t.Error("a disputed line is not outstanding, or not marked")
	}
	manager.Post("/payments/notes", fields("text", "", "verdict", "accepted")...)
	if answer := site.Said(manager.Get("/payments").Body, "answer"); !strings.Contains(answer, "in 1 open line.") {
		t.Errorf("with one line accepted the page says %q", answer)
	}
	if a := manager.Post("/payments/notes", fields("text", "x", "end", "2001-01-01T00:00:00Z")...); a.StatusCode != 404 {
		t.Errorf("a note about no line: status %d", a.StatusCode)
	}
	page := viewer.Get(address).Body
	if !strings.Contains(page, "ticket 4711") || strings.Contains(page, `action="/payments/notes"`) || strings.Contains(viewer.Get("/payments").Body, "Other bills") {
		t.Error("a viewer does not read the note, may write one, or sees other bills")
	}
	if a := viewer.Get("/payments/bills.csv"); a.StatusCode != 403 {
		t.Errorf("all bills for a viewer: status %d", a.StatusCode)
	}
	if a := manager.Get("/payments/bills.csv"); a.StatusCode != 200 || !strings.Contains(a.Body, "rr_agent_reward") {
		t.Errorf("all bills for a manager: status %d", a.StatusCode)
	}
}

// An administrator fixes a rule after a proof, and goes back to the rule of the data. A refused
// form keeps what was typed.
func TestPayoutRuleIsFixed(t *testing.T) {
	t.Parallel()
	p := site.OpenPaid(t)
	ada := p.As("ada", access.Admin)
	p.Enrol(ada)
	if page := ada.Get("/payments/rule").Body; !strings.Contains(page, "day+8h apart") || !strings.Contains(page, "Found in the data") {
		t.Error("the page lacks the rule that is found")
	}
	for _, wrong := range [][2]string{{"from", "soon"}, {"from", "1900-01-01"}, {"from", "9999-12-31"}, {"delay", "8 bananas"}, {"delay", "1d2562047h"},
		{"within", "-1h"}, {"period", "year"}, {"account", "nobody"}, {"account", "\x00"}} {
		field, bad := wrong[0], wrong[1]
		form := map[string]string{"from": "2026-11-01", "how": "set", "period": "week", "delay": "1d", "kinds": "together", "direct": "rr_agent_reward", "sub": "kept_types"}
		form[field] = bad
		var typed []string
		for name, value := range form {
			typed = append(typed, name, value)
		}
		if a := ada.Post("/payments/rule", typed...); a.StatusCode != 400 || !strings.Contains(a.Body, `aria-invalid="true"`) || !strings.Contains(a.Body, "kept_types") {
			t.Errorf("%s %q: status %d", field, bad, a.StatusCode)
		}
	}
	if a := ada.Post("/payments/rule", "from", "2026-11-01", "how", "set", "period", "week", "delay", "1d", "kinds", "together"); a.StatusCode != 303 {
		t.Fatalf("status %d", a.StatusCode)
	}
	page := ada.Get("/payments/rule?done=fixed").Body
	remove := regexp.MustCompile(`action="(/payments/rule/\d+/remove)"`).FindStringSubmatch(page)
	if !strings.Contains(page, "week&#43;1d together") && !strings.Contains(page, "week+1d together") || !strings.Contains(page, "set by ada") || remove == nil {
		t.Fatal("the page lacks the fixed rule")
	}
	if a := ada.Post(remove[1]); a.StatusCode != 303 {
		t.Errorf("removing: status %d", a.StatusCode)
	}
	if page := ada.Get("/payments/rule").Body; strings.Contains(page, "set by ada") {
		t.Error("the fixed rule is still in use")
	}
	p.Pass(6 * time.Minute)
	ada.Get("/payments/rule")
	if a := ada.Post("/payments/rule", "from", "2026-11-01", "how", "auto"); a.StatusCode != 403 || !strings.Contains(a.Body, "Confirm it is you") {
		t.Errorf("without a fresh proof: status %d", a.StatusCode)
	}
}

// An address that names no line, or anything else, is answered with an error.
func TestPaymentLineAnswersAnyAddress(t *testing.T) {
	t.Parallel()
	h := site.OpenSharedSite(t)
	whole := "account=main&coin=USDT&kind=direct&start=2026-11-01T00:00:00Z&end=2026-11-02T00:00:00Z"
	for query, want := range map[string]int{
		"": 404, "account=main": 404, strings.Replace(whole, "main", "nobody", 1): 404, strings.Replace(whole, "direct", "%3Cscript%3E", 1): 404,
		strings.Replace(whole, "2026-11-02T00:00:00Z", "tomorrow", 1): 404, whole + "&as_of=soon": 400, whole + "&colour=red": 400, whole + "&coin=BTC": 400, whole + "&bill=%00": 400,
	} {
		a := site.Get(t, h.Address+"/payments/line?"+query)
		if a.StatusCode != want {
			t.Errorf("%s: status %d, want %d", query, a.StatusCode, want)
		}
		site.CheckText(t, a, "<script>")
	}
}
