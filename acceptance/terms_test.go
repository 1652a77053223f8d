package acceptance_test

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"rebatedesk/access"
)

const (
	termsHead  = "scope,value,product_type,rate,from,to,note,account,source,tier_by,tier_from,reference\r\n"
	termsLines = "all,,,0.30,2026-01-01,,\"general, by mail\",,,,,https://example.com/a.pdf\r\n" +
		"all,,,0.35,2026-01-01,,,,,volume,1000000,\r\nuid,4711,SPOT,0.125,2026-01-01,2026-06-30,'=note,,,,,<b>\r\n"
)

var hiddenField = regexp.MustCompile(`type="hidden" name="(\w+)" value="([^"]*)"`)

// confirmed sends the form with which a preview ends.
func confirmed(v *visitor, preview string) answer {
	v.Helper()
	_, form, _ := strings.Cut(preview, `action="/rates/terms" `)
	form, _, _ = strings.Cut(form, "</form>")
	var fields []string
	for _, field := range hiddenField.FindAllStringSubmatch(form, -1) {
		fields = append(fields, field[1], html.UnescapeString(field[2]))
	}
	return v.post("/rates/terms", fields...)
}

func wordsOf(page string) string {
	return strings.Join(strings.Fields(html.UnescapeString(tags.ReplaceAllString(page, " "))), " ")
}

// A manager uploads a file, sees what it changes or what is wrong with it, takes it, downloads
// it again unchanged, and removes a term. A viewer reads only.
func TestTermsPage(t *testing.T) {
	t.Parallel()
	p := openPaid(t)
	manager, viewer := p.as("mia", access.Manager), p.as("vera", access.Viewer)
	if page := manager.get("/rates/terms").body; !strings.Contains(wordsOf(page), "No agreed rates are stored.") {
		t.Errorf("the empty page says %s", wordsOf(page))
	}
	upload := func(v *visitor, text string) answer {
		body := "--x\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n" + v.token + "\r\n" +
			"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"terms.csv\"\r\nContent-Type: text/csv\r\n\r\n" + text + "\r\n" +
			"--x\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\n\r\n--x--\r\n"
		return v.send("POST", "/rates/terms/preview", body, "Content-Type", "multipart/form-data; boundary=x")
	}
	for text, want := range map[string]string{
		"": "No file was chosen",
		termsHead + "all,,,30%,2026-01-01,,,,,,,\r\n": "The file has 1 fault: nothing was taken Line Column What is wrong 2 4 rate \"30%\" is a percentage",
		termsHead + "all,,,0.\xff,2026-01-01,,,,,,,":  "is not UTF-8",
		"\x00\x01": "The file has",
		termsHead + "all,,,0.1,2026-01-01,,a\x00b,,,,,\r\n":                    "2 the line has the character U+0000",
		termsHead + "uid,=cmd|' /C calc'!A0,,0.1,2026-01-01,,,,,,,\r\n":        "2 2 value",
		termsHead + "uid,<script>alert(1)</script>,,0.1,2026-01-01,,,,,,,\r\n": "2 2 value",
		termsHead + "all,,,１,2026-01-01,,,,,,,\r\n":                            "2 4 rate",
		termsHead + "all,,,0.1,2026-01-01,,\"open,,,,,\r\n":                    "the quotes are not balanced",
		"\xff\xfes\x00c\x00o\x00p\x00e\x00":                                    "the column value is missing",
		"PK\x03\x04\x14\x00\x06\x00\b\x00\x00\x00!\x00\x9e":                    "the workbook cannot be read",
		strings.Repeat("a,", 20_000):                                           "The file has",
	} {
		if a := upload(manager, text); a.StatusCode != 400 || !strings.Contains(wordsOf(a.body), want) {
			t.Errorf("%q: status %d, %s", text, a.StatusCode, wordsOf(a.body))
		}
	}
	a := upload(manager, termsHead+termsLines)
	if a.StatusCode != 200 || !strings.Contains(wordsOf(a.body), "The import would add 3 terms. Nothing is stored yet.") || !strings.Contains(wordsOf(a.body), "Unknown invitee: 4711") {
		t.Fatalf("preview: status %d, %s", a.StatusCode, wordsOf(a.body))
	}
	stale := a.body
	if done := confirmed(manager, a.body); done.StatusCode != 303 || done.Header.Get("Location") != "/rates/terms?done=imported" {
		t.Fatalf("import: status %d, %s", done.StatusCode, wordsOf(done.body))
	}
	if again := confirmed(manager, stale); again.StatusCode != 303 || again.Header.Get("Location") != "/rates/terms?done=unchanged" {
		t.Errorf("import again: status %d to %s", again.StatusCode, again.Header.Get("Location"))
	}
	page := manager.get("/rates/terms?done=imported")
	for _, want := range []string{"The terms of the file are stored.", "The general rate is 30 % of the fee. 2 agreed rates hold", "1 has ended", "Invitee 4711", "12.5 %", "from volume 1,000,000 a month", "=note", "<b>", "mia Added"} {
		if !strings.Contains(strings.ReplaceAll(wordsOf(page.body), "\u00a0", " "), want) {
			t.Errorf("the page lacks %q: %s", want, wordsOf(page.body))
		}
	}
	if !strings.Contains(page.body, `href="https://example.com/a.pdf"`) || strings.Contains(page.body, "<b>") {
		t.Error("the references are not what they should be")
	}
	if file := viewer.get("/rates/terms.csv"); file.StatusCode != 200 && file.StatusCode != 403 || file.StatusCode == 200 && file.body != termsHead+termsLines {
		t.Errorf("the file: status %d, %q", file.StatusCode, file.body)
	}
	if file := manager.get("/rates/terms.csv"); file.body != termsHead+termsLines {
		t.Errorf("the file: %q", file.body)
	}
	large := &strings.Builder{}
	large.WriteString(termsHead)
	for i := range 3000 {
		fmt.Fprintf(large, "uid,%d,,0.5,2026-01-01,,a line of a file that is larger than other forms may be,,,,,\r\n", 5_000_000_000+i)
	}
	if a := upload(manager, large.String()); a.StatusCode != 200 || !strings.Contains(wordsOf(a.body), "The import would add 3,000 terms.") {
		t.Errorf("a file of %d bytes: status %d, %.2000s", large.Len(), a.StatusCode, wordsOf(a.body))
	} else if done := confirmed(viewer, a.body); done.StatusCode != 413 && done.StatusCode != 403 {
		t.Errorf("a viewer sends it: status %d", done.StatusCode)
	}
	if a := upload(manager, strings.Repeat("x", 6<<20)); a.StatusCode != 413 || !strings.Contains(wordsOf(a.body), "Too large") || !strings.Contains(wordsOf(a.body), "The file has 6.3 MB, and a page takes files of at most 5 MiB.") {
		t.Errorf("a file of 6 MiB: status %d, %.2000s", a.StatusCode, wordsOf(a.body))
	}
	if earlier := manager.get("/rates/terms?as_of=2026-01-01"); !strings.Contains(wordsOf(earlier.body), "No agreed rates are stored.") {
		t.Errorf("earlier: %s", wordsOf(earlier.body))
	}
	preview := upload(manager, termsHead+"all,,,0.25,2026-06-01,,,,,,,\r\n")
	if words := wordsOf(preview.body); !strings.Contains(words, "The import would add 1 term and end 1 term earlier than now. Nothing is stored yet.") || !strings.Contains(words, "last day now 31 May 2026") {
		t.Errorf("preview: %s", words)
	}
	if a := manager.post("/rates/terms/1/remove"); a.StatusCode != 303 {
		t.Errorf("remove: status %d", a.StatusCode)
	}
	if a := manager.post("/rates/terms/1/remove"); a.StatusCode != 409 {
		t.Errorf("remove again: status %d", a.StatusCode)
	}
	if a := confirmed(manager, preview.body); a.StatusCode != 400 || !strings.Contains(wordsOf(a.body), "Somebody else changed this list of terms meanwhile") {
		t.Errorf("an import after another change: status %d, %s", a.StatusCode, wordsOf(a.body))
	}
	if page := wordsOf(manager.get("/rates/terms").body); !strings.Contains(page, "No single rate holds for everyone.") || !strings.Contains(page, "mia Removed 1") {
		t.Errorf("after the removal: %s", page)
	}
	if page := viewer.get("/rates/terms").body; strings.Contains(page, "/remove") || strings.Contains(page, "terms-file") {
		t.Error("a viewer sees forms")
	}
	viewer.token = manager.token
	for _, path := range []string{"/rates/terms", "/rates/terms/preview", "/rates/terms/2/remove"} {
		if a := viewer.post(path, "text", termsHead); a.StatusCode != 403 {
			t.Errorf("a viewer posts to %s: status %d", path, a.StatusCode)
		}
	}
	for _, bad := range []string{"?range=7d", "?as_of=soon", "?x=1"} {
		if a := manager.get("/rates/terms" + bad); a.StatusCode != 400 {
			t.Errorf("%s: status %d", bad, a.StatusCode)
		}
	}
}
