package people_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
)

// Wherever a UID is entered, it is up to 19 digits. A file with another one is refused as a whole, with
// the place and the mend; a form keeps nothing of it.
func TestUIDsAreDigits(t *testing.T) {
	t.Parallel()
	p := site.OpenPaid(t)
	manager := p.As("mia", access.Manager)
	manager.Get("/people/import")
	workbook := func(uid any) string {
		book := excelize.NewFile()
		defer book.Close()
		for cell, value := range map[string]any{"A1": "uid", "B1": "name", "A2": uid, "B2": "Ann"} {
			if err := book.SetCellValue("Sheet1", cell, value); err != nil {
				t.Fatal(err)
			}
		}
		var file bytes.Buffer
		if err := book.Write(&file); err != nil {
			t.Fatal(err)
		}
		return file.String()
	}
	const mend = "is not a UID: write its digits alone, such as 4667776811, without a sign and without zeros before them"
	for _, uid := range []string{"-5", "0", "007", "+7", "12a", "12345678901234567890"} {
		for name, a := range map[string]site.Answer{
			"people as CSV":      upload(manager, "/people/import/preview", "people.csv", "uid,name\r\n"+uid+",Ann\r\n"),
			"people as a text":   upload(manager, "/people/import/preview", "people.xlsx", workbook(uid)),
			"terms of a UID":     upload(manager, "/rates/terms/preview", "terms.csv", site.TermsHead+"uid,"+uid+",,0.1,2026-01-01,,,,,,,\r\n"),
			"terms of a partner": upload(manager, "/rates/terms/preview", "terms.csv", site.TermsHead+"sub-affiliate,"+uid+",,0.1,2026-01-01,,,,,,,\r\n"),
		} {
			if words := site.WordsOf(a.Body); a.StatusCode != 400 || !strings.Contains(words, "\""+uid+"\" "+mend) || !strings.Contains(words, " 2 ") {
				t.Errorf("%s of %s: status %d, %.900s", name, uid, a.StatusCode, words)
			}
		}
		for _, path := range []string{"/invitees/" + uid + "/person", "/statements/payees/" + uid} {
			if a := manager.Post(path, "name", "Ann", "version", "0"); a.StatusCode != 404 && (a.StatusCode != 400 || !strings.Contains(site.WordsOf(a.Body), mend)) {
				t.Errorf("%s: status %d, %.900s", path, a.StatusCode, site.WordsOf(a.Body))
			}
		}
	}
	for _, number := range []any{-5, 0} {
		if a := upload(manager, "/people/import/preview", "people.xlsx", workbook(number)); a.StatusCode != 400 || !strings.Contains(site.WordsOf(a.Body), mend) {
			t.Errorf("the number %v as a UID: status %d, %.900s", number, a.StatusCode, site.WordsOf(a.Body))
		}
	}
	if a := upload(manager, "/people/import/preview", "people.csv", "uid,name\r\n4667776811,Ann\r\n"); a.StatusCode != 200 {
		t.Errorf("a UID is refused: %s", site.WordsOf(a.Body))
	}
	if a := manager.Get("/invitees?uid=-5"); a.StatusCode != 200 {
		t.Errorf("a filter that finds nothing: status %d", a.StatusCode)
	}
}
