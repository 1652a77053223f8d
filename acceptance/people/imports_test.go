package people_test

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/storetest"
	"rebatedesk/workbook"
)

// hostileBooks are small workbooks that ask for much memory or time.
func hostileBooks(t *testing.T) map[string]string {
	t.Helper()
	return map[string]string{
		"more than 64 columns":     storedBook(t, strings.Repeat(`<row><c r="A1"><v>4667776811123456</v></c><c r="XFD1"><v>1</v></c></row>`, 300), ""),
		"more than 255 characters": storedBook(t, strings.Repeat(`<row><c r="A1" s="1"><v>1</v></c></row>`, 60), `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="`+strings.Repeat("0;", 90_000)+`"/></numFmts><cellXfs><xf/><xf numFmtId="164"/></cellXfs></styleSheet>`),
		"more than 32 KiB":         storedBook(t, `<row><c t="inlineStr"><is><t>`+strings.Repeat("x", 100<<20)+`</t></is></c></row>`, ""),
		"unpacks to more than":     storedBook(t, strings.Repeat(`<row><c/></row>`, 18<<20), ""),
	}
}

// One small file costs a server little, and each is refused with its reason, on both pages.
func TestHostileWorkbooks(t *testing.T) {
	t.Parallel()
	o := site.OpenPaid(t)
	manager := o.As("mia", access.Manager)
	manager.Get("/people/import")
	for fault, file := range hostileBooks(t) {
		for _, path := range []string{"/people/import/preview", "/rates/terms/preview"} {
			if path == "/rates/terms/preview" && fault != "more than 64 columns" {
				continue // one reader serves both
			}
			begun := time.Now()
			a := upload(manager, path, "file.xlsx", file)
			if words := site.WordsOf(a.Body); a.StatusCode != 400 || !strings.Contains(words, fault) || time.Since(begun) > site.Patience {
				t.Errorf("%s: status %d after %v, without %q", path, a.StatusCode, time.Since(begun), fault)
			}
		}
	}
}

// A file is not read on when the client has left, and one user reads one file at a time.
func TestPreviewEndsWithItsRequest(t *testing.T) {
	t.Parallel()
	o := site.OpenPaid(t)
	manager := o.As("mia", access.Manager)
	manager.Get("/people/import")
	long := storedBook(t, `<row><c t="inlineStr"><is><t>uid</t></is></c></row>`+strings.Repeat(`<row><c/></row>`, 1<<24), "")
	ctx, cancel := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, o.Address+"/people/import/preview", strings.NewReader(uploadBody(manager.Token, "long.xlsx", long)))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	request.Header.Set("Cookie", manager.Cookie())
	left := make(chan error, 1)
	go func() {
		answer, err := site.Client.Do(request)
		if err == nil {
			answer.Body.Close()
		}
		left <- err
	}()
	time.Sleep(200 * time.Millisecond)
	cancel()
	if err := <-left; !errors.Is(err, context.Canceled) {
		t.Fatalf("the first preview was answered before the client left: %v", err)
	}
	// The place is free as soon as the reading has ended, which alone takes seconds.
	begun := time.Now()
	for {
		a := upload(manager, "/people/import/preview", "people.csv", "uid,name\r\n77,Ann\r\n")
		if a.StatusCode == 200 {
			break
		}
		if a.StatusCode != 429 || a.Header.Get("Retry-After") == "" || time.Since(begun) > site.Patience {
			t.Fatalf("a preview after the client left: status %d, Retry-After %q, %v", a.StatusCode, a.Header.Get("Retry-After"), time.Since(begun))
		}
	}
}

// upload sends a file to a preview.
func upload(v *site.Visitor, path, name, file string) site.Answer {
	v.Helper()
	return v.Send(http.MethodPost, path, uploadBody(v.Token, name, file), "Content-Type", "multipart/form-data; boundary=x")
}

func uploadBody(token, name, file string) string {
	return "--x\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n" + token + "\r\n" +
		"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + name + "\"\r\n\r\n" + file + "\r\n--x--\r\n"
}

// begin sends the head of a long form and returns the connection.
func begin(t *testing.T, v *site.Visitor, path string, fields ...string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(v.Address, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(site.Patience)); err != nil {
		t.Fatal(err)
	}
	head := append([]string{
		"POST " + path + " HTTP/1.1", "Host: " + strings.TrimPrefix(v.Address, "http://"), "Cookie: " + v.Cookie(),
		"Content-Type: multipart/form-data; boundary=x", "Content-Length: 15000000",
	}, fields...)
	if _, err := io.WriteString(conn, strings.Join(head, "\r\n")+"\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	return conn
}

// hold begins a long form, and returns once the server waits for the rest.
func hold(t *testing.T, v *site.Visitor, path string) net.Conn {
	t.Helper()
	conn := begin(t, v, path, "Expect: 100-continue")
	if said := status(t, conn); !strings.HasPrefix(said, "HTTP/1.1 100 ") {
		t.Fatalf("%s: a form that has a place is answered %.80q", path, said)
	}
	if _, err := io.WriteString(conn, strings.Repeat("x", 1<<20)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// status reads the status and the head of an answer.
func status(t *testing.T, conn net.Conn) string {
	t.Helper()
	b := make([]byte, 16<<10)
	n, err := io.ReadAtLeast(conn, b, len("HTTP/1.1 200"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b[:n])
}

// Whoever may not send a file gets no room for one, and nobody gets room for two. No other test runs
// beside it, whose memory would count.
func TestUploadsTakePlaces(t *testing.T) {
	o := site.OpenPaid(t)
	viewer := o.As("vera", access.Viewer)
	o.As("bo", access.Manager)
	storetest.Done(t, access.Bind(t.Context(), o.Access, access.Actor{Name: "operator", Via: access.ViaCommand}, "bo", store.AnyVersion, []affiliate.Binding{{By: affiliate.BoundByCode, Name: "VIP"}}))
	bound := o.SignedInAs("bo")
	managers := []*site.Visitor{o.As("mia", access.Manager), o.As("max", access.Manager), o.As("mo", access.Manager), o.As("mel", access.Manager), o.As("may", access.Manager)}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for _, path := range []string{"/people/import/preview", "/rates/terms", "/rates/terms/preview"} {
		for _, v := range []*site.Visitor{viewer, bound, site.Visit(t, o.Address)} {
			for range 7 { // 63 in all
				if said := status(t, begin(t, v, path)); !strings.HasPrefix(said, "HTTP/1.1 413 ") {
					t.Fatalf("%s: who may not send a file is answered %.80q", path, said)
				}
			}
		}
	}
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapInuse) - int64(before.HeapInuse); grown > 128<<20 {
		t.Errorf("63 forms that were refused take %d MiB", grown>>20)
	}

	first := hold(t, managers[0], "/people/import/preview")
	refused := func(v *site.Visitor, path, code string) {
		t.Helper()
		if said := status(t, begin(t, v, path)); !strings.HasPrefix(said, "HTTP/1.1 "+code) || !strings.Contains(said, "Retry-After: ") {
			t.Fatalf("%s: a form without a place is answered %q", path, said)
		}
	}
	refused(managers[0], "/rates/terms/preview", "429 ")
	for _, v := range managers[1:4] {
		hold(t, v, "/people/import/preview")
	}
	refused(managers[4], "/people/import/preview", "503 ")
	first.Close()
	managers[4].Get("/people/import")
	waitFor(t, func() bool {
		return upload(managers[4], "/people/import/preview", "people.csv", "uid,name\r\n77,"+strings.Repeat("A", 100)+"\r\n"+strings.Repeat("\r\n", 64<<10)).StatusCode == 200
	})
}

func waitFor(t *testing.T, done func() bool) {
	t.Helper()
	for begun := time.Now(); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Since(begun) > site.Patience {
			t.Fatal("it did not come to that")
		}
	}
}

// What a desk exports of its people, it imports again without a change, whatever the texts are, and
// in both forms.
func TestOwnExportChangesNothing(t *testing.T) {
	t.Parallel()
	o := site.OpenPaid(t)
	manager := o.As("mia", access.Manager)
	manager.Get("/people/import")
	texts := rapid.OneOf(rapid.String(), rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"_", "x", "_x0041", "_x0041_", "x0042_", "_xD83D_", "_xDE00_", "_x005F_", "_x000d_", "'", "=", "\"", ",", ";", "é", "😀", "1E5", "sep=;"}), 1, 8).Draw(t, "pieces"), "")
	}))
	kept := 0
	rapid.Check(t, func(r *rapid.T) {
		uid := fmt.Sprint(rapid.Int64Range(1, 1<<50).Draw(r, "uid"))
		fields := []string{"version", "0"}
		for _, name := range []string{"name", "invite_code", "owner", "note"} {
			text := texts.Draw(r, name)
			if name == "note" {
				text += "\r\n" + texts.Draw(r, "second line")
			}
			fields = append(fields, name, text)
		}
		if a := manager.Post("/invitees/"+uid+"/person", fields...); a.StatusCode == 303 {
			kept++
		} else if a.StatusCode != 400 { // a text that may not be kept
			r.Fatalf("status %d: %s", a.StatusCode, site.WordsOf(a.Body))
		}
		file := manager.Get("/people/import.csv").Body
		if strings.Count(file, "\n") < 2 {
			return // nobody is kept yet
		}
		for _, ext := range []string{".csv", ".xlsx"} {
			preview := upload(manager, "/people/import/preview", "people"+ext, manager.Get("/people/import"+ext).Body)
			words := site.WordsOf(preview.Body)
			if preview.StatusCode != 200 || !strings.Contains(words, "0 new, 0 changed") {
				_, found, _ := strings.Cut(words, "Preview of a people file")
				r.Fatalf("%s imported again: status %d, %.600s\n%s", ext, preview.StatusCode, found, file)
			}
		}
	})
	if kept < 5 {
		t.Errorf("only %d people were kept", kept)
	}
}

// A note keeps its lines from the cell of a spreadsheet to the page and back.
func TestNotesOfLines(t *testing.T) {
	t.Parallel()
	o := site.OpenPaid(t)
	manager := o.As("mia", access.Manager)
	manager.Get("/people/import")
	if a := importPeople(manager, "uid,name,note\r\n77,Ann,\"first\nsecond\r\nlast\"\r\n"); a.StatusCode != 303 {
		t.Fatalf("import: status %d", a.StatusCode)
	}
	for _, path := range []string{"/people/import.csv", "/people/import.xlsx"} {
		if body := strings.ReplaceAll(unzipped(t, manager.Get(path).Body), "\r\n", "\n"); !strings.Contains(body, "first\nsecond\nlast") {
			t.Errorf("%s lacks the note: %s", path, body)
		}
	}
	if a := upload(manager, "/rates/terms/preview", "terms.csv", site.TermsHead+"all,,,0.3,2026-01-01,,\"first\r\nsecond\",,,,,\r\n"); a.StatusCode != 200 || !strings.Contains(site.WordsOf(a.Body), "add 1 term") {
		t.Errorf("a note of terms: status %d, %s", a.StatusCode, site.WordsOf(a.Body))
	}
	if a := upload(manager, "/people/import/preview", "people.csv", "uid,name\r\n77,\"Ann\nBea\"\r\n"); a.StatusCode != 400 || !strings.Contains(site.WordsOf(a.Body), "or a line break") {
		t.Errorf("a name of two lines: status %d", a.StatusCode)
	}
}

// Terms are read from a workbook as from text, and stored as the preview says.
func TestTermsOfWorkbook(t *testing.T) {
	t.Parallel()
	o := site.OpenPaid(t)
	manager := o.As("mia", access.Manager)
	manager.Get("/rates/terms")
	var file bytes.Buffer
	err := workbook.Write(&file, workbook.Properties{}, func(w *workbook.Writer) error {
		day := workbook.Style{Format: "dd.mm.yyyy"}
		return errors.Join(w.Begin(workbook.Sheet{Name: "terms"}),
			w.Row([]workbook.Put{{Text: "scope"}, {Text: "value"}, {Text: "product_type"}, {Text: "rate"}, {Text: "from"}, {Text: "to"}}),
			w.Row([]workbook.Put{{Text: "uid"}, {Number: "4.667776811E9"}, {Text: "SPOT"}, {Number: "0.35"}, {Number: "46082", Style: day}, {Number: "46173", Style: day}}))
	})
	if err != nil {
		t.Fatal(err)
	}
	preview := upload(manager, "/rates/terms/preview", "terms.xlsx", file.String())
	var fields []string
	for _, field := range site.HiddenField.FindAllStringSubmatch(preview.Body, -1) {
		if slices.Contains([]string{"version", "name", "text"}, field[1]) {
			fields = append(fields, field[1], strings.NewReplacer("&#34;", `"`, "&#39;", "'", "&amp;", "&").Replace(field[2]))
		}
	}
	if a := manager.Post("/rates/terms", fields...); a.StatusCode != 303 {
		t.Fatalf("import: status %d, %s\n%s", a.StatusCode, site.WordsOf(a.Body), site.WordsOf(preview.Body))
	}
	if got := manager.Get("/rates/terms.csv").Body; !strings.Contains(got, "uid,4667776811,SPOT,0.35,2026-03-01,2026-05-31,") {
		t.Errorf("the terms are %s", got)
	}
}

// storedBook returns a workbook with the given rows and styles.
func storedBook(t *testing.T, rows, styles string) string {
	t.Helper()
	var file strings.Builder
	w := zip.NewWriter(&file)
	for name, text := range map[string]string{
		"_rels/.rels":                `<Relationships><Relationship Id="r1" Type="x/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml":            `<workbook xmlns:r="x"><sheets><sheet name="a" r:id="r1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="r1" Type="x/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="x/styles" Target="styles.xml"/></Relationships>`,
		"xl/worksheets/sheet1.xml":   `<worksheet><sheetData>` + rows + `</sheetData></worksheet>`,
		"xl/styles.xml":              cmp.Or(styles, "<styleSheet/>"),
	} {
		part, err := w.Create(name)
		if err == nil {
			_, err = io.WriteString(part, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.String()
}
