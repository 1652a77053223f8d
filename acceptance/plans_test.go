package acceptance_test

import (
	"fmt"
	"html"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/store/outbox"
)

// A form reports all errors at once, each at its field, and keeps the typed values.
func TestPlanFormsReportAllErrors(t *testing.T) {
	t.Parallel()
	m := openMailSite(t)
	m.plan()
	for _, c := range []struct {
		at    string
		typed []string
		says  []string
	}{
		{"/summaries", retyped(scheduled(), "name", "morning", "zone", "Mars/Base", "at", "25:00", "month_day", "x", "deadline", "21", "recipients", "no-address\nnor-this",
			"skip_below", "much", "coin", "no\x01coin", "account", "nobody", "code", "nobody-has-this"),
			[]string{"There is a schedule called “morning” already", "There is no time zone “Mars/Base”", "Give a time of the day", "Give a day from 1 to 31", "from 1 to 20 hours",
				`"no-address" is no mail address`, `"nor-this" is no mail address`, "give a number and its coin", "or has control characters", "there is no such account", "No invitee has the invite code “nobody-has-this”"}},
		{"/summaries/alerts", []string{"name", "", "watches", "restatement", "account", "nobody", "amount", "-1", "coin", "USDT", "zone", "Mars/Base", "apart", "999", "quiet", "never", "recipients", "no address"},
			[]string{"The name is empty", "“nobody”: there is no such account", "Give the amount with its coin", "There is no time zone “Mars/Base”", "from 0 to 168", "two different times of day", "is no mail address"}},
	} {
		m.mia.get(c.at + "/new?watches=restatement")
		a := m.mia.post(c.at, c.typed...)
		page := html.UnescapeString(a.body)
		if a.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: status %d", c.at, a.StatusCode)
		}
		for _, text := range c.says {
			if !strings.Contains(page, text) {
				t.Errorf("%s does not say %q", c.at, text)
			}
		}
		for i := 1; i < len(c.typed); i += 2 {
			if value := c.typed[i]; !strings.Contains(page, value) {
				t.Errorf("%s: the form does not keep %q", c.at, value)
			}
		}
	}
	if n := len(m.alerts()); n != 0 || m.only().Name != "Morning" {
		t.Errorf("%d alerts are stored", n)
	}
}

func (m *mailSite) alerts() []outbox.Subscription {
	m.Helper()
	list, err := m.mail.Subscriptions(m.Context(), outbox.KindAlert)
	if err != nil {
		m.Fatal(err)
	}
	return list
}

// retyped returns the fields of a form, changed by pairs of names and values.
func retyped(fields []string, values ...string) []string {
	fields = slices.Clone(fields)
	for i := 0; i+1 < len(values); i += 2 {
		at := -1
		for j := 0; j < len(fields); j += 2 {
			if fields[j] == values[i] {
				at = j
			}
		}
		if at < 0 {
			fields = append(fields, values[i], values[i+1])
		} else {
			fields[at+1] = values[i+1]
		}
	}
	return fields
}

// If two users edit the same object, the second sees what the first has saved, keeps the
// typed values, and may then save them.
func TestConcurrentChangesOfPlans(t *testing.T) {
	t.Parallel()
	m := openMailSite(t)
	schedule := m.plan()
	m.mia.get("/summaries/alerts/new?watches=restatement")
	if a := m.mia.post("/summaries/alerts", "name", "Restated", "watches", "restatement", "account", "", "amount", "5", "coin", "USDT", "zone", "UTC", "apart", "0", "quiet", "", "recipients", "boss@example.com"); a.StatusCode != http.StatusSeeOther {
		t.Fatalf("an alert: status %d", a.StatusCode)
	}
	for _, c := range []struct {
		at, field, first, second string
		stored                   func() string
	}{
		{schedule, "deadline", "3", "5", func() string { return strings.Repeat("I", m.only().Deadline) }},
		{fmt.Sprintf("/summaries/alerts/%d", m.alerts()[0].Number), "apart", "3", "5", func() string { return strings.Repeat("I", m.alerts()[0].Apart) }},
	} {
		both := formFields(m.mia.get(c.at).body)
		m.pass(time.Second)
		if a := m.mia.post(c.at, retyped(both, c.field, c.first, "name", "By the first")...); a.StatusCode != http.StatusSeeOther {
			t.Fatalf("%s, the first form: status %d", c.at, a.StatusCode)
		}
		a := m.mia.post(c.at, retyped(both, c.field, c.second)...)
		page := html.UnescapeString(a.body)
		if a.StatusCode != http.StatusConflict || c.stored() != "III" {
			t.Errorf("%s, the second form: status %d, stored %s", c.at, a.StatusCode, c.stored())
		}
		for _, text := range []string{"Somebody else changed this", "By the first", "<bdi>3</bdi>", "<bdi>5</bdi>", `name="` + c.field + `" value="5"`} {
			if !strings.Contains(page, text) {
				t.Errorf("%s does not show %q", c.at, text)
			}
		}
		if a := m.mia.post(c.at, formFields(a.body)...); a.StatusCode != http.StatusSeeOther || c.stored() != "IIIII" {
			t.Errorf("%s, saved again: status %d, stored %s", c.at, a.StatusCode, c.stored())
		}
	}
}

// A form points out an invite code that no invitee has. The user can confirm it, and it
// is not pointed out again.
func TestScheduleOfUnknownCode(t *testing.T) {
	t.Parallel()
	m := openMailSite(t)
	m.mia.get("/summaries/new")
	typed := scheduled("code", "NEXT-YEAR")
	a := m.mia.post("/summaries", typed...)
	if a.StatusCode != http.StatusBadRequest || !strings.Contains(a.body, "No invitee has the invite code “NEXT-YEAR”") || !strings.Contains(a.body, `name="keep_code"`) {
		t.Fatalf("status %d", a.StatusCode)
	}
	if a := m.mia.post("/summaries", append(typed, "keep_code", "yes")...); a.StatusCode != http.StatusSeeOther || m.only().Code != "NEXT-YEAR" {
		t.Fatalf("kept: status %d", a.StatusCode)
	}
	at := fmt.Sprintf("/summaries/%d", m.only().Number)
	if a := m.mia.post(at, formFields(m.mia.get(at).body)...); a.StatusCode != http.StatusSeeOther {
		t.Errorf("saved unchanged: status %d", a.StatusCode)
	}
}

// A mail may contain only its cards.
func TestScheduleWithoutSections(t *testing.T) {
	t.Parallel()
	m := openMailSite(t)
	var typed []string
	for i, all := 0, scheduled(); i < len(all); i += 2 {
		if !strings.HasPrefix(all[i], "section-") {
			typed = append(typed, all[i], all[i+1])
		}
	}
	m.mia.get("/summaries/new")
	if a := m.mia.post("/summaries", typed...); a.StatusCode != http.StatusSeeOther {
		t.Fatalf("status %d", a.StatusCode)
	}
	at := fmt.Sprintf("/summaries/%d", m.only().Number)
	if page := m.mia.get(at).body; strings.Contains(page, `name="section-chart" value="yes" checked`) {
		t.Error("a section is selected")
	}
	letter := m.mia.get(at + "/preview/message").body
	if !strings.Contains(letter, "Commission") || strings.Contains(letter, "Top invitees") || strings.Contains(letter, "data:image/png") {
		t.Error("the mail contains more than its cards")
	}
}

// A user pauses or removes a schedule or an alert in the displayed version. The second of
// two users sees the first change; repeating the same action succeeds.
func TestConcurrentPausesOfPlans(t *testing.T) {
	t.Parallel()
	m := openMailSite(t)
	schedule := m.plan()
	m.mia.get("/summaries/alerts/new?watches=gap")
	if a := m.mia.post("/summaries/alerts", "name", "Gaps", "watches", "gap", "hours", "24", "account", "", "zone", "UTC", "apart", "0", "quiet", "", "recipients", "boss@example.com"); a.StatusCode != http.StatusSeeOther {
		t.Fatalf("an alert: status %d", a.StatusCode)
	}
	for _, c := range []struct{ list, at string }{{"/summaries", schedule}, {"/summaries/alerts", fmt.Sprintf("/summaries/alerts/%d", m.alerts()[0].Number)}} {
		rename := func(name string) {
			if a := m.mia.post(c.at, retyped(formFields(m.mia.get(c.at).body), "name", name)...); a.StatusCode != http.StatusSeeOther {
				t.Fatalf("%s renamed: status %d", c.at, a.StatusCode)
			}
		}
		pause := c.at + "/pause"
		version := versionOf(m.mia.get(c.list).body, pause)
		rename("By the first")
		conflicts(t, m.mia.post, pause, pause, m.mia.post(pause, "version", version), []string{"active, called “By the first”", "<bdi>paused</bdi>"})
		paused := m.mia.get(c.list).body
		if a := m.mia.post(pause, "version", version); a.StatusCode != http.StatusSeeOther || !strings.Contains(paused, `action="`+c.at+`/resume"`) {
			t.Errorf("%s, a second click: status %d", pause, a.StatusCode)
		}
		version = versionOf(paused, c.at+"/remove")
		rename("By the second")
		conflicts(t, m.mia.post, "remove", c.at+"/remove", m.mia.post(c.at+"/remove", "version", version), []string{"paused, called “By the second”", "<bdi>removed</bdi>", "Press the button once more"})
		if a := m.mia.get(c.at); a.StatusCode != http.StatusNotFound {
			t.Errorf("%s after the removal: status %d", c.at, a.StatusCode)
		}
		if a := m.mia.post(pause); a.StatusCode != http.StatusNotFound {
			t.Errorf("%s after the removal: status %d", pause, a.StatusCode)
		}
	}
}

// A form accepts a coin without commission and points it out until the coin has some,
// because its name may be misspelt.
func TestPlansOfUnknownCoins(t *testing.T) {
	t.Parallel()
	m := openMailSite(t)
	for _, c := range []struct {
		list  string
		typed []string
	}{
		{"/summaries", scheduled("coin", "usdt,USDTT", "skip_below", "1", "skip_coin", "BTTC")},
		{"/summaries/alerts", []string{"name", "Restated", "watches", "restatement", "account", "", "amount", "5", "coin", "USDTT", "zone", "UTC", "apart", "0", "quiet", "", "recipients", "boss@example.com"}},
	} {
		m.mia.get(c.list + "/new?watches=restatement")
		if a := m.mia.post(c.list, c.typed...); a.StatusCode != http.StatusSeeOther {
			t.Fatalf("%s: status %d", c.list, a.StatusCode)
		}
		says := map[string]string{"/summaries": "No commission in “USDTT” and “BTTC” so far; check the spelling."}[c.list]
		if says == "" {
			says = "No commission in “USDTT” so far; check the spelling."
		}
		if page := html.UnescapeString(m.mia.get(c.list + "?done=added").body); !strings.Contains(page, says) {
			t.Errorf("%s does not say %q", c.list, says)
		}
	}
}
