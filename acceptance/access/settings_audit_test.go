package access_test

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/affiliate"
	"rebatedesk/store/audit"
)

var (
	lineTitle  = regexp.MustCompile(`title="Line ([0-9,]+)"`)
	olderLines = regexp.MustCompile(`id="page-forward"[^>]* href="([^"]+)"`)
)

// linesOn returns the numbers of the lines on a page.
func linesOn(page string) (numbers []string) {
	for _, found := range lineTitle.FindAllStringSubmatch(page, -1) {
		numbers = append(numbers, found[1])
	}
	return numbers
}

// The pages together show each line once, newest first, and the files have the same
// lines.
func TestSettingsAuditPages(t *testing.T) {
	t.Parallel()
	b := site.OpenAdminSite(t)
	b.History(250)
	all := b.Audit()[0].ID
	for _, question := range []string{"", "?actor=person1", "?action=export", "?q=object+1", "?actor=person1&action=export&q=object",
		"?from=" + affiliate.DayOf(site.Now, time.UTC).String() + "&to=" + (affiliate.DayOf(site.Now, time.UTC) + 1).String()} {
		var seen []string
		for path := "/settings/audit" + question; path != ""; {
			a := b.Ada.Get(path)
			if a.StatusCode != 200 {
				t.Fatalf("%s: status %d", path, a.StatusCode)
			}
			if strings.Contains(a.Body, "<script>alert") {
				t.Fatalf("%s shows a text of the log without escaping", path)
			}
			seen, path = append(seen, linesOn(a.Body)...), ""
			if older := olderLines.FindStringSubmatch(a.Body); older != nil {
				path = strings.ReplaceAll(older[1], "&amp;", "&")
			}
		}
		a := b.Ada.Get("/settings/audit.csv" + question)
		records, err := csv.NewReader(strings.NewReader(a.Body)).ReadAll()
		if err != nil || len(records)-1 != len(seen) || len(seen) == 0 {
			t.Fatalf("%q: %d lines on the pages, %d in the file (%v)", question, len(seen), len(records)-1, err)
		}
		for i, record := range records[1:] {
			if on := strings.ReplaceAll(seen[len(seen)-1-i], ",", ""); record[0] != on {
				t.Fatalf("%q: line %s of the file is line %s of the page", question, record[0], on)
			}
		}
		if question == "" && int64(len(seen)) != all {
			t.Errorf("the page shows %d of %d lines", len(seen), all)
		}
	}
}

func TestSettingsAuditFiles(t *testing.T) {
	t.Parallel()
	b := site.OpenAdminSite(t)
	b.History(10)
	a := b.Ada.Get("/settings/audit.csv?actor=person1")
	if name := a.Header.Get("Content-Disposition"); name != `attachment; filename="audit_UTC.csv"` {
		t.Errorf("the file is named %s", name)
	}
	head, rest, _ := strings.Cut(a.Body, "\r\n")
	if head != "line,time_utc,actor,via,address,action,object,detail,outcome" || !strings.Contains(rest, `"'=HYPERLINK(""http://evil.example"")"`) {
		t.Errorf("the file has the columns %s, and the formula as %.200s", head, rest)
	}
	if got := a.Trailer.Get("X-Export-Rows"); got != "3" {
		t.Errorf("the trailer states %q rows", got)
	}
	if !b.Recorded("export", "audit as csv") {
		t.Error("the export is not in the log")
	}
	var file struct {
		Kind string
		Rows []map[string]any
	}
	a = b.Ada.Get("/settings/audit.json?from=2026-11-20&to=2026-11-20")
	if err := json.Unmarshal([]byte(a.Body), &file); err != nil || file.Kind != "audit" || len(file.Rows) == 0 {
		t.Errorf("the JSON has %d rows of %q (%v)", len(file.Rows), file.Kind, err)
	}
	if name := a.Header.Get("Content-Disposition"); !strings.Contains(name, `"audit_2026-11-20_2026-11-20_UTC.json"`) {
		t.Errorf("the file is named %s", name)
	}
}

func TestSettingsAuditRefuses(t *testing.T) {
	t.Parallel()
	b := site.OpenAdminSite(t)
	for _, c := range []struct{ query, param string }{
		{"from=yesterday", "from"}, {"from=0001-01-01", "from"}, {"to=2026-13-01", "to"}, {"from=2026-11-02&to=2026-11-01", "to"},
		{"before=0", "before"}, {"before=x", "before"}, {"page=2", "page"}, {"actor=a&actor=b", "actor"}, {"q=%ff", "q"},
		{"q=" + strings.Repeat("x", 500), "q"},
	} {
		if a := b.Ada.Get("/settings/audit?" + c.query); a.StatusCode != 400 || !strings.Contains(a.Body, ">"+c.param+"<") {
			t.Errorf("%.40s: status %d, or the error does not name %s", c.query, a.StatusCode, c.param)
		}
	}
	if a := b.Ada.Get("/settings/audit.csv?before=5"); a.StatusCode != 400 {
		t.Errorf("a page as a file: status %d", a.StatusCode)
	}
	if a := b.Ada.Get("/settings/audit?from=&to=&actor=&action=&q="); a.StatusCode != 200 {
		t.Errorf("an empty form: status %d", a.StatusCode)
	}
	if a := b.Ada.Get("/settings/audit?actor=nobody+of+that+name"); !strings.Contains(a.Body, "No line matches") || !strings.Contains(a.Body, "Clear") {
		t.Error("the page does not say that no line matches")
	}
}

// The page compares the log with what is kept outside the database, as webapp verify does.
func TestSettingsAuditCheckComparesAnchors(t *testing.T) {
	t.Parallel()
	b := site.OpenAdminSiteWith(t, func() []audit.Anchor {
		return []audit.Anchor{{Lines: 1000, MAC: strings.Repeat("0", 64), Place: "site.db.audit"}}
	})
	b.Ada.Get("/settings/audit")
	b.Ada.Post("/settings/audit/check")
	if a := b.Ada.Get("/settings/audit"); !strings.Contains(a.Body, "was tampered with") || !strings.Contains(a.Body, "site.db.audit says that there were 1000") {
		t.Error("the page does not show that the log was put back")
	}
}

// An anchor that cannot be read is a fault on the page, and one that is missing a warning.
func TestSettingsAuditCheckWithoutAnchor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		unread      error
		state, want string
	}{
		{errors.New("it is a folder"), "was tampered with", "could not be compared with site.db.audit: it is a folder"},
		{fs.ErrNotExist, "as it was written:", "no anchor beside the database: there is no site.db.audit"},
	} {
		b := site.OpenAdminSiteWith(t, func() []audit.Anchor { return []audit.Anchor{{Place: "site.db.audit", Unread: c.unread}} })
		b.Ada.Get("/settings/audit")
		b.Ada.Post("/settings/audit/check")
		if a := b.Ada.Get("/settings/audit"); !strings.Contains(a.Body, c.state) || !strings.Contains(a.Body, c.want) {
			t.Errorf("%v: the page does not say %q and %q", c.unread, c.state, c.want)
		}
	}
}

func TestSettingsAuditCheck(t *testing.T) {
	t.Parallel()
	b := site.OpenAdminSite(t)
	if a := b.Ada.Get("/settings/audit"); !strings.Contains(a.Body, "was not checked yet") {
		t.Error("the page does not say that the log was not checked")
	}
	lines := b.Audit()[0].ID
	b.Ada.Post("/settings/audit/check")
	if a := b.Ada.Get("/settings/audit"); !strings.Contains(a.Body, "as it was written:") || !strings.Contains(a.Body, fmt.Sprintf("%d lines (no anchor outside the database to compare with) checked on", lines)) || !strings.Contains(a.Body, "by ada") {
		t.Error("the page does not show the result of the check")
	}
	if !b.Recorded("audit log checked", "") {
		t.Error("the check is not in the log")
	}
	b.Tamper(3)
	b.Ada.Get("/settings/audit")
	b.Ada.Post("/settings/audit/check")
	if a := b.Ada.Get("/settings/audit"); !strings.Contains(a.Body, "was tampered with") || !strings.Contains(a.Body, "Line 3 was changed") {
		t.Error("the page does not show the fault that was found")
	}
}
