package mails_test

import (
	"fmt"
	"html"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
)

// A form reports all errors at once, each at its field, and keeps the typed values.
func TestPlanFormsReportAllErrors(t *testing.T) {
	t.Parallel()
	m := site.OpenMailSite(t)
	m.Plan()
	for _, c := range []struct {
		at    string
		typed []string
		says  []string
	}{
		{"/summaries", retyped(site.Scheduled(), "name", "morning", "zone", "Mars/Base", "at", "25:00", "month_day", "x", "deadline", "21", "recipients", "no-address\nnor-this",
			"skip_below", "much", "coin", "no\x01coin", "account", "nobody", "code", "nobody-has-this"),
			[]string{"There is a schedule called “morning” already", "There is no time zone “Mars/Base”", "Give a time of the day", "Give a day from 1 to 31", "from 1 to 20 hours",
				`"no-address" is no mail address`, `"nor-this" is no mail address`, "give a number and its coin", "or has control characters", "there is no such account", "No invitee has the invite code “nobody-has-this”"}},
		{"/summaries/alerts", []string{"name", "", "watches", "restatement", "account", "nobody", "amount", "-1", "coin", "USDT", "zone", "Mars/Base", "apart", "999", "quiet", "never", "recipients", "no address"},
			[]string{"The name is empty", "“nobody”: there is no such account", "Give the amount with its coin", "There is no time zone “Mars/Base”", "from 0 to 168", "two different times of day", "is no mail address"}},
	} {
		m.Mia.Get(c.at + "/new?watches=restatement")
		a := m.Mia.Post(c.at, c.typed...)
		page := html.UnescapeString(a.Body)
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
	if n := len(m.Alerts()); n != 0 || m.Only().Name != "Morning" {
		t.Errorf("%d alerts are stored", n)
	}
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
	m := site.OpenMailSite(t)
	schedule := m.Plan()
	m.Mia.Get("/summaries/alerts/new?watches=restatement")
	if a := m.Mia.Post("/summaries/alerts", "name", "Restated", "watches", "restatement", "account", "", "amount", "5", "coin", "USDT", "zone", "UTC", "apart", "0", "quiet", "", "recipients", "boss@example.com"); a.StatusCode != http.StatusSeeOther {
		t.Fatalf("an alert: status %d", a.StatusCode)
	}
	for _, c := range []struct {
		at, field, first, second string
		stored                   func() string
	}{
		{schedule, "deadline", "3", "5", func() string { return strings.Repeat("I", m.Only().Deadline) }},
		{fmt.Sprintf("/summaries/alerts/%d", m.Alerts()[0].Number), "apart", "3", "5", func() string { return strings.Repeat("I", m.Alerts()[0].Apart) }},
	} {
		both := formFields(m.Mia.Get(c.at).Body)
		m.Pass(time.Second)
		if a := m.Mia.Post(c.at, retyped(both, c.field, c.first, "name", "By the first")...); a.StatusCode != http.StatusSeeOther {
			t.Fatalf("%s, the first form: status %d", c.at, a.StatusCode)
		}
		a := m.Mia.Post(c.at, retyped(both, c.field, c.second)...)
		page := html.UnescapeString(a.Body)
		if a.StatusCode != http.StatusConflict || c.stored() != "III" {
			t.Errorf("%s, the second form: status %d, stored %s", c.at, a.StatusCode, c.stored())
		}
		for _, text := range []string{"Somebody else changed this", "By the first", "<bdi>3</bdi>", "<bdi>5</bdi>", `name="` + c.field + `" value="5"`} {
			if !strings.Contains(page, text) {
				t.Errorf("%s does not show %q", c.at, text)
			}
		}
		if a := m.Mia.Post(c.at, formFields(a.Body)...); a.StatusCode != http.StatusSeeOther || c.stored() != "IIIII" {
			t.Errorf("%s, saved again: status %d, stored %s", c.at, a.StatusCode, c.stored())
		}
	}
}

// A form points out an invite code that no invitee has. The user can confirm it, and it
// is not pointed out again.
func TestScheduleOfUnknownCode(t *testing.T) {
	t.Parallel()
	m := site.OpenMailSite(t)
	m.Mia.Get("/summaries/new")
	typed := site.Scheduled("code", "NEXT-YEAR")
	a := m.Mia.Post("/summaries", typed...)
	if a.StatusCode != http.StatusBadRequest || !strings.Contains(a.Body, "No invitee has the invite code “NEXT-YEAR”") || !strings.Contains(a.Body, `name="keep_code"`) {
		t.Fatalf("status %d", a.StatusCode)
	}
	if a := m.Mia.Post("/summaries", append(typed, "keep_code", "yes")...); a.StatusCode != http.StatusSeeOther || m.Only().Code != "NEXT-YEAR" {
		t.Fatalf("kept: status %d", a.StatusCode)
	}
	at := fmt.Sprintf("/summaries/%d", m.Only().Number)
	if a := m.Mia.Post(at, formFields(m.Mia.Get(at).Body)...); a.StatusCode != http.StatusSeeOther {
		t.Errorf("saved unchanged: status %d", a.StatusCode)
	}
}

// A mail may contain only its cards.
func TestScheduleWithoutSections(t *testing.T) {
	t.Parallel()
	m := site.OpenMailSite(t)
	var typed []string
	for i, all := 0, site.Scheduled(); i < len(all); i += 2 {
		if !strings.HasPrefix(all[i], "section-") {
			typed = append(typed, all[i], all[i+1])
		}
	}
	m.Mia.Get("/summaries/new")
	if a := m.Mia.Post("/summaries", typed...); a.StatusCode != http.StatusSeeOther {
		t.Fatalf("status %d", a.StatusCode)
	}
	at := fmt.Sprintf("/summaries/%d", m.Only().Number)
	if page := m.Mia.Get(at).Body; strings.Contains(page, `name="section-chart" value="yes" checked`) {
		t.Error("a section is selected")
	}
	letter := m.Mia.Get(at + "/preview/message").Body
	if !strings.Contains(letter, "Commission") || strings.Contains(letter, "Top invitees") || strings.Contains(letter, "data:image/png") {
		t.Error("the mail contains more than its cards")
	}
}

// A user pauses or removes a schedule or an alert in the displayed version. The second of
// two users sees the first change; repeating the same action succeeds.
func TestConcurrentPausesOfPlans(t *testing.T) {
	t.Parallel()
	m := site.OpenMailSite(t)
	schedule := m.Plan()
	m.Mia.Get("/summaries/alerts/new?watches=gap")
	if a := m.Mia.Post("/summaries/alerts", "name", "Gaps", "watches", "gap", "hours", "24", "account", "", "zone", "UTC", "apart", "0", "quiet", "", "recipients", "boss@example.com"); a.StatusCode != http.StatusSeeOther {
		t.Fatalf("an alert: status %d", a.StatusCode)
	}
	for _, c := range []struct{ list, at string }{{"/summaries", schedule}, {"/summaries/alerts", fmt.Sprintf("/summaries/alerts/%d", m.Alerts()[0].Number)}} {
		rename := func(name string) {
			if a := m.Mia.Post(c.at, retyped(formFields(m.Mia.Get(c.at).Body), "name", name)...); a.StatusCode != http.StatusSeeOther {
				t.Fatalf("%s renamed: status %d", c.at, a.StatusCode)
			}
		}
		pause := c.at + "/pause"
		version := site.VersionOf(m.Mia.Get(c.list).Body, pause)
		rename("By the first")
		site.Conflicts(t, m.Mia.Post, pause, pause, m.Mia.Post(pause, "version", version), []string{"active, called “By the first”", "<bdi>paused</bdi>"})
		paused := m.Mia.Get(c.list).Body
		if a := m.Mia.Post(pause, "version", version); a.StatusCode != http.StatusSeeOther || !strings.Contains(paused, `action="`+c.at+`/resume"`) {
			t.Errorf("%s, a second click: status %d", pause, a.StatusCode)
		}
		version = site.VersionOf(paused, c.at+"/remove")
		rename("By the second")
		site.Conflicts(t, m.Mia.Post, "remove", c.at+"/remove", m.Mia.Post(c.at+"/remove", "version", version), []string{"paused, called “By the second”", "<bdi>removed</bdi>", "Press the button once more"})
		if a := m.Mia.Get(c.at); a.StatusCode != http.StatusNotFound {
			t.Errorf("%s after the removal: status %d", c.at, a.StatusCode)
		}
		if a := m.Mia.Post(pause); a.StatusCode != http.StatusNotFound {
			t.Errorf("%s after the removal: status %d", pause, a.StatusCode)
		}
	}
}

// A form accepts a coin without commission and points it out until the coin has some,
// because its name may be misspelt.
func TestPlansOfUnknownCoins(t *testing.T) {
	t.Parallel()
	m := site.OpenMailSite(t)
	for _, c := range []struct {
		list  string
		typed []string
	}{
		{"/summaries", site.Scheduled("coin", "usdt,USDTT", "skip_below", "1", "skip_coin", "BTTC")},
		{"/summaries/alerts", []string{"name", "Restated", "watches", "restatement", "account", "", "amount", "5", "coin", "USDTT", "zone", "UTC", "apart", "0", "quiet", "", "recipients", "boss@example.com"}},
	} {
		m.Mia.Get(c.list + "/new?watches=restatement")
		if a := m.Mia.Post(c.list, c.typed...); a.StatusCode != http.StatusSeeOther {
			t.Fatalf("%s: status %d", c.list, a.StatusCode)
		}
		says := map[string]string{"/summaries": "No commission in “USDTT” and “BTTC” so far; check the spelling."}[c.list]
		if says == "" {
			says = "No commission in “USDTT” so far; check the spelling."
		}
		if page := html.UnescapeString(m.Mia.Get(c.list + "?done=added").Body); !strings.Contains(page, says) {
			t.Errorf("%s does not say %q", c.list, says)
		}
	}
}
