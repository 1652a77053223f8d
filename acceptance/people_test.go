package acceptance_test

import (
	"archive/zip"
	"context"
	"io"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"testing"

	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/reports/invitees"
	"rebatedesk/store/audit"
	"rebatedesk/web"
)

// uploadPeople sends a people file to its preview.
func uploadPeople(v *visitor, text string) answer {
	body := "--x\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n" + v.token + "\r\n" +
		"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"people.csv\"\r\nContent-Type: text/csv\r\n\r\n" + text + "\r\n--x--\r\n"
	return v.send("POST", "/people/import/preview", body, "Content-Type", "multipart/form-data; boundary=x")
}

// draftOf returns the token of the draft that a preview shows.
func draftOf(preview answer) string {
	for _, field := range hiddenField.FindAllStringSubmatch(preview.body, -1) {
		if field[1] == "draft" {
			return field[2]
		}
	}
	return ""
}

// importPeople imports a people file by its preview.
func importPeople(v *visitor, text string) answer {
	return v.post("/people/import", "draft", draftOf(uploadPeople(v, text)))
}

// unzipped returns a file with the content of its parts if it is a ZIP file.
func unzipped(t *testing.T, body string) string {
	t.Helper()
	if !strings.HasPrefix(body, "PK") {
		return body
	}
	archive, err := zip.NewReader(strings.NewReader(body), int64(len(body)))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, part := range archive.File {
		content, err := part.Open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(&all, content); err != nil {
			t.Fatal(err)
		}
	}
	return all.String()
}

// A manager imports who is who, and finds people by their names, on pages and in files. A viewer
// from whom names are hidden gets none of them anywhere. An undo takes the names back, and no log
// has any.
func TestPeople(t *testing.T) {
	t.Parallel()
	log := &lockedBuffer{}
	p := openPaid(t)
	service := reports.New(p.store, p.now)
	p.address, p.server = serve(t, web.Options{Reports: service, Desk: service, Access: p.access, Collect: nothing,
		Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	manager, viewer := p.as("mia", access.Manager), p.as("vera", access.Viewer)
	f := &pipeline{TB: t, pipelineParts: &pipelineParts{service: service}}
	lines := f.invitees(url.Values{"range": {"30d"}, "sort": {"-commission"}}).Lines
	uid := string(lines[0].UID)
	const name = "Zoë Quillfeather"

	manager.get("/people/import")
	refused := uploadPeople(manager, "uid,name,cost\r\n"+uid+","+name+",12\r\n77,Ann,\r\n77,Bea,\r\n")
	if words := wordsOf(refused.body); refused.StatusCode != 400 || !strings.Contains(words, "cost_coin") || !strings.Contains(words, "77") {
		t.Errorf("the preview of a faulty file: status %d, %s", refused.StatusCode, words)
	}
	if a := manager.get("/invitees?q=quill"); strings.Contains(a.body, uid) {
		t.Error("a refused file left a name")
	}
	if a := viewer.get("/people/import"); a.StatusCode != 403 {
		t.Errorf("a viewer gets the page of imports: status %d", a.StatusCode)
	}
	if a := uploadPeople(viewer, "uid,name\r\n"+uid+",x\r\n"); a.StatusCode != 403 {
		t.Errorf("a viewer gets a preview: status %d", a.StatusCode)
	}

	preview := uploadPeople(manager, "name,uid,tags\r\n"+name+","+uid+",vip\r\n")
	if preview.StatusCode != 200 || strings.Contains(manager.get("/invitees?q=quill").body, uid) {
		t.Fatalf("preview: status %d, or it stored the file", preview.StatusCode)
	}
	draft := draftOf(preview)
	if a := viewer.post("/people/import", "draft", draft); a.StatusCode != 403 {
		t.Errorf("a viewer confirms an import: status %d", a.StatusCode)
	}
	if a := manager.post("/people/import", "draft", draft); a.StatusCode != 303 || a.Header.Get("Location") != "/people/import?done=imported" {
		t.Fatalf("import: status %d, %s", a.StatusCode, wordsOf(a.body))
	}

	sought := "?range=30d&q=" + url.QueryEscape("ZOË QUILL")
	named := []string{"/", "/invitees" + sought, "/invitees.csv" + sought, "/invitees.json" + sought, "/invitees.xlsx" + sought, "/commissions" + sought,
		"/drivers?range=30d&by=invitee", "/invitees/" + uid}
	for _, path := range named {
		if a := manager.get(path); a.StatusCode != 200 || !strings.Contains(unzipped(t, a.body), "Zoë Quill") {
			t.Errorf("%s: status %d, without the name", path, a.StatusCode)
		}
	}
	header, _, _ := strings.Cut(strings.TrimPrefix(manager.get("/invitees.csv"+sought).body, "\ufeff"), "\r\n")
	if want := ",state,days_silent,usual_gap_days,lifetime_commission,coin,at_risk,name,tags"; !strings.HasSuffix(header, want) {
		t.Errorf("invitees.csv has the columns %s; want them to end with %s", header, want)
	}
	if a := manager.get("/commissions.csv" + sought); strings.Count(a.body, "\n") < 2 || strings.Count(a.body, "\n")-1 != strings.Count(a.body, ","+uid+",") {
		t.Errorf("the records found by name are not those of %s: %s", uid, a.body)
	}

	if a := viewer.get("/invitees" + sought); !strings.Contains(a.body, "Zoë Quill") {
		t.Error("a viewer does not see names that are not hidden")
	}
	if err := reports.NewPeopleDesk(p.store).HideNames(context.Background(), true, audit.Line{Actor: "ann"}); err != nil {
		t.Fatal(err)
	}
	for _, page := range everyPage {
		for _, route := range page.routes() {
			for _, asked := range []string{"", "?q=" + url.QueryEscape("quillfeather")} {
				if asked != "" && !page.takesIt("q") {
					continue
				}
				path := strings.Replace(route, ":uid", uid, 1) + asked
				a := viewer.get(path)
				if body := strings.ToLower(unzipped(t, a.body)); strings.Contains(body, "zoë") {
					t.Errorf("%s shows a viewer a hidden name", path)
				}
			}
		}
	}
	if a := viewer.get("/invitees.csv?range=30d&q=quill"); strings.Contains(a.body, uid) {
		t.Error("a viewer finds an invitee by a hidden name")
	}
	if a := manager.get("/invitees" + sought); !strings.Contains(a.body, "Zoë Quill") {
		t.Error("names are hidden from a manager")
	}

	imports, err := reports.NewPeopleDesk(p.store).Imports(context.Background(), 1)
	if err != nil || len(imports) != 1 {
		t.Fatalf("%d imports, %v", len(imports), err)
	}
	if a := manager.post("/people/import/1/undo"); a.StatusCode != 303 {
		t.Fatalf("undo: status %d, %s", a.StatusCode, wordsOf(a.body))
	}
	coded := slices.IndexFunc(lines, func(l invitees.ListLine) bool { return l.InviteCode == "" })
	if coded < 0 {
		t.Fatal("the exchange tells the code of everybody")
	}
	if a := importPeople(manager, "uid,invite_code\r\n"+string(lines[coded].UID)+",QUILLCODE\r\n"); a.StatusCode != 303 {
		t.Fatalf("import of a code: status %d, %s", a.StatusCode, wordsOf(a.body))
	}
	for _, path := range []string{"/?range=30d", "/codes?range=30d", "/commissions?range=30d&code=quillcode"} {
		if a := manager.get(path); !strings.Contains(a.body, "QUILLCODE") || !strings.Contains(a.body, ">ours</span>") {
			t.Errorf("%s does not mark the code of ours", path)
		}
	}
	for _, path := range []string{"/", "/invitees.csv?range=30d", "/invitees/" + uid} {
		if a := manager.get(path); a.StatusCode != 200 || strings.Contains(a.body, "Zoë") {
			t.Errorf("%s: status %d, or it has the name that an undo took back", path, a.StatusCode)
		}
	}
	log.mutex.Lock()
	defer log.mutex.Unlock()
	if strings.Contains(strings.ToLower(log.String()), "quillfeather") {
		t.Error("the log has a name")
	}
}
