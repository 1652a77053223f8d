package money_test

import (
	"fmt"
	"html"
	"strings"
	"testing"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
)

const (
	termsLines = "all,,,0.30,2026-01-01,,\"general, by mail\",,,,,https://example.com/a.pdf\r\n" +
		"all,,,0.35,2026-01-01,,,,,volume,1000000,\r\nuid,4711,SPOT,0.125,2026-01-01,2026-06-30,'=note,,,,,<b>\r\n"
)

// confirmed sends the form with which a preview ends.
func confirmed(v *site.Visitor, preview string) site.Answer {
	v.Helper()
	_, form, _ := strings.Cut(preview, `action="/rates/terms" `)
	form, _, _ = strings.Cut(form, "</form>")
	var fields []string
	for _, field := range site.HiddenField.FindAllStringSubmatch(form, -1) {
		fields = append(fields, field[1], html.UnescapeString(field[2]))
	}
	// What is refused by its head is not read, so the body waits for the answer to the head.
	return v.PostWith([]string{"Expect", "100-continue"}, "/rates/terms", fields...)
}

// A manager uploads a file, sees what it changes or what is wrong with it, takes it, downloads
// it again unchanged, and removes a term. A viewer reads only.
func TestTermsPage(t *testing.T) {
	t.Parallel()
	p := site.OpenPaid(t)
	manager, viewer := p.As("mia", access.Manager), p.As("vera", access.Viewer)
	if page := manager.Get("/rates/terms").Body; !strings.Contains(site.WordsOf(page), "No agreed rates are stored.") {
		t.Errorf("the empty page says %s", site.WordsOf(page))
	}
	upload := func(v *site.Visitor, text string) site.Answer {
		body := "--x\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n" + v.Token + "\r\n" +
			"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"terms.csv\"\r\nContent-Type: text/csv\r\n\r\n" + text + "\r\n" +
			"--x\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\n\r\n--x--\r\n"
		return v.Send("POST", "/rates/terms/preview", body, "Content-Type", "multipart/form-data; boundary=x")
	}
	for text, want := range map[string]string{
		"": "No file was chosen",
		site.TermsHead + "all,,,30%,2026-01-01,,,,,,,\r\n": "The file has 1 fault: nothing was taken Line Column What is wrong 2 4 rate \"30%\" is a percentage",
		site.TermsHead + "all,,,0.\xff,2026-01-01,,,,,,,":  "is not UTF-8",
		"\x00\x01": "The file has",
		site.TermsHead + "all,,,0.1,2026-01-01,,a\x00b,,,,,\r\n":                    "2 the line has the character U+0000",
		site.TermsHead + "uid,=cmd|' /C calc'!A0,,0.1,2026-01-01,,,,,,,\r\n":        "2 2 value",
		site.TermsHead + "uid,<script>alert(1)</script>,,0.1,2026-01-01,,,,,,,\r\n": "2 2 value",
		site.TermsHead + "all,,,１,2026-01-01,,,,,,,\r\n":                            "2 4 rate",
		site.TermsHead + "all,,,0.1,2026-01-01,,\"open,,,,,\r\n":                    "the quotes are not balanced",
		"\xff\xfes\x00c\x00o\x00p\x00e\x00":                                         "the column value is missing",
		"PK\x03\x04\x14\x00\x06\x00\b\x00\x00\x00!\x00\x9e":                         "the workbook cannot be read",
		strings.Repeat("a,", 20_000):                                                "The file has",
	} {
		if a := upload(manager, text); a.StatusCode != 400 || !strings.Contains(site.WordsOf(a.Body), want) {
			t.Errorf("%q: status %d, %s", text, a.StatusCode, site.WordsOf(a.Body))
		}
	}
	a := upload(manager, site.TermsHead+termsLines)
	if a.StatusCode != 200 || !strings.Contains(site.WordsOf(a.Body), "The import would add 3 terms. Nothing is stored yet.") || !strings.Contains(site.WordsOf(a.Body), "Unknown invitee: 4711") {
		t.Fatalf("preview: status %d, %s", a.StatusCode, site.WordsOf(a.Body))
	}
	stale := a.Body
	if done := confirmed(manager, a.Body); done.StatusCode != 303 || done.Header.Get("Location") != "/rates/terms?done=imported" {
		t.Fatalf("import: status %d, %s", done.StatusCode, site.WordsOf(done.Body))
	}
	if again := confirmed(manager, stale); again.StatusCode != 303 || again.Header.Get("Location") != "/rates/terms?done=unchanged" {
		t.Errorf("import again: status %d to %s", again.StatusCode, again.Header.Get("Location"))
	}
	page := manager.Get("/rates/terms?done=imported")
	for _, want := range []string{"The terms of the file are stored.", "The general rate is 30 % of the fee. 2 agreed rates hold", "1 has ended", "Invitee 4711", "12.5 %", "from volume 1,000,000 a month", "=note", "<b>", "mia Added"} {
		if !strings.Contains(strings.ReplaceAll(site.WordsOf(page.Body), "\u00a0", " "), want) {
			t.Errorf("the page lacks %q: %s", want, site.WordsOf(page.Body))
		}
	}
	if !strings.Contains(page.Body, `href="https://example.com/a.pdf"`) || strings.Contains(page.Body, "<b>") {
		t.Error("the references are not what they should be")
	}
	// The file has the column of coins, which the uploaded one lacks.
	written := strings.Replace(strings.ReplaceAll(site.TermsHead+termsLines, "\r\n", ",\r\n"), "reference,", "reference,coin", 1)
	if file := viewer.Get("/rates/terms.csv"); file.StatusCode != 200 && file.StatusCode != 403 || file.StatusCode == 200 && file.Body != written {
		t.Errorf("the file: status %d, %q", file.StatusCode, file.Body)
	}
	if file := manager.Get("/rates/terms.csv"); file.Body != written {
		t.Errorf("the file: %q", file.Body)
	}
	large := &strings.Builder{}
	large.WriteString(site.TermsHead)
	for i := range 3000 {
		fmt.Fprintf(large, "uid,%d,,0.5,2026-01-01,,a line of a file that is larger than other forms may be,,,,,\r\n", 5_000_000_000+i)
	}
	if a := upload(manager, large.String()); a.StatusCode != 200 || !strings.Contains(site.WordsOf(a.Body), "The import would add 3,000 terms.") {
		t.Errorf("a file of %d bytes: status %d, %.2000s", large.Len(), a.StatusCode, site.WordsOf(a.Body))
	} else if done := confirmed(viewer, a.Body); done.StatusCode != 413 && done.StatusCode != 403 {
		t.Errorf("a viewer sends it: status %d", done.StatusCode)
	}
	if a := upload(manager, strings.Repeat("x", 6<<20)); a.StatusCode != 413 || !strings.Contains(site.WordsOf(a.Body), "Too large") || !strings.Contains(site.WordsOf(a.Body), "The file has 6.3 MB, and a page takes files of at most 5 MiB.") {
		t.Errorf("a file of 6 MiB: status %d, %.2000s", a.StatusCode, site.WordsOf(a.Body))
	}
	if earlier := manager.Get("/rates/terms?as_of=2026-01-01"); !strings.Contains(site.WordsOf(earlier.Body), "No agreed rates are stored.") {
		t.Errorf("earlier: %s", site.WordsOf(earlier.Body))
	}
	preview := upload(manager, site.TermsHead+"all,,,0.25,2026-06-01,,,,,,,\r\n")
	if words := site.WordsOf(preview.Body); !strings.Contains(words, "The import would add 1 term and end 1 term earlier than now. Nothing is stored yet.") || !strings.Contains(words, "last day now 31 May 2026") {
		t.Errorf("preview: %s", words)
	}
	if a := manager.Post("/rates/terms/1/remove"); a.StatusCode != 303 {
		t.Errorf("remove: status %d", a.StatusCode)
	}
	if a := manager.Post("/rates/terms/1/remove"); a.StatusCode != 409 {
		t.Errorf("remove again: status %d", a.StatusCode)
	}
	if a := confirmed(manager, preview.Body); a.StatusCode != 400 || !strings.Contains(site.WordsOf(a.Body), "Somebody else changed this list of terms meanwhile") {
		t.Errorf("an import after another change: status %d, %s", a.StatusCode, site.WordsOf(a.Body))
	}
	if page := site.WordsOf(manager.Get("/rates/terms").Body); !strings.Contains(page, "No single rate holds for everyone.") || !strings.Contains(page, "mia Removed 1") {
		t.Errorf("after the removal: %s", page)
	}
	if page := viewer.Get("/rates/terms").Body; strings.Contains(page, "/remove") || strings.Contains(page, "terms-file") {
		t.Error("a viewer sees forms")
	}
	viewer.Token = manager.Token
	for _, path := range []string{"/rates/terms", "/rates/terms/preview", "/rates/terms/2/remove"} {
		if a := viewer.Post(path, "text", site.TermsHead); a.StatusCode != 403 {
			t.Errorf("a viewer posts to %s: status %d", path, a.StatusCode)
		}
	}
	for _, bad := range []string{"?range=7d", "?as_of=soon", "?x=1"} {
		if a := manager.Get("/rates/terms" + bad); a.StatusCode != 400 {
			t.Errorf("%s: status %d", bad, a.StatusCode)
		}
	}
}
