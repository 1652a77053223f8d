package acceptance_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"rebatedesk/access"
)

// Wherever a UID is entered, it is up to 19 digits. A file with another one is refused as a whole, with
// the place and the mend; a form keeps nothing of it.
func TestUIDsAreDigits(t *testing.T) {
	t.Parallel()
	p := openPaid(t)
	manager := p.as("mia", access.Manager)
	manager.get("/people/import")
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
		for name, a := range map[string]answer{
			"people as CSV":      upload(manager, "/people/import/preview", "people.csv", "uid,name\r\n"+uid+",Ann\r\n"),
			"people as a text":   upload(manager, "/people/import/preview", "people.xlsx", workbook(uid)),
			"terms of a UID":     upload(manager, "/rates/terms/preview", "terms.csv", termsHead+"uid,"+uid+",,0.1,2026-01-01,,,,,,,\r\n"),
			"terms of a partner": upload(manager, "/rates/terms/preview", "terms.csv", termsHead+"sub-affiliate,"+uid+",,0.1,2026-01-01,,,,,,,\r\n"),
		} {
			if words := wordsOf(a.body); a.StatusCode != 400 || !strings.Contains(words, "\""+uid+"\" "+mend) || !strings.Contains(words, " 2 ") {
				t.Errorf("%s of %s: status %d, %.900s", name, uid, a.StatusCode, words)
			}
		}
		for _, path := range []string{"/invitees/" + uid + "/person", "/statements/payees/" + uid} {
			if a := manager.post(path, "name", "Ann", "version", "0"); a.StatusCode != 404 && (a.StatusCode != 400 || !strings.Contains(wordsOf(a.body), mend)) {
				t.Errorf("%s: status %d, %.900s", path, a.StatusCode, wordsOf(a.body))
			}
		}
	}
	for _, number := range []any{-5, 0} {
		if a := upload(manager, "/people/import/preview", "people.xlsx", workbook(number)); a.StatusCode != 400 || !strings.Contains(wordsOf(a.body), mend) {
			t.Errorf("the number %v as a UID: status %d, %.900s", number, a.StatusCode, wordsOf(a.body))
		}
	}
	if a := upload(manager, "/people/import/preview", "people.csv", "uid,name\r\n4667776811,Ann\r\n"); a.StatusCode != 200 {
		t.Errorf("a UID is refused: %s", wordsOf(a.body))
	}
	if a := manager.get("/invitees?uid=-5"); a.StatusCode != 200 {
		t.Errorf("a filter that finds nothing: status %d", a.StatusCode)
	}
}
