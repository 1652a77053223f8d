package people_test

import (
	"archive/zip"
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/reports"
	"rebatedesk/reports/invitees"
	"rebatedesk/secret"
	"rebatedesk/web"
)

// uploadPeople sends a people file to its preview.
func uploadPeople(v *site.Visitor, text string) site.Answer {
	body := "--x\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n" + v.Token + "\r\n" +
		"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"people.csv\"\r\nContent-Type: text/csv\r\n\r\n" + text + "\r\n--x--\r\n"
	return v.Send("POST", "/people/import/preview", body, "Content-Type", "multipart/form-data; boundary=x")
}

// draftOf returns the token of the draft that a preview shows.
func draftOf(preview site.Answer) string {
	for _, field := range site.HiddenField.FindAllStringSubmatch(preview.Body, -1) {
		if field[1] == "draft" {
			return field[2]
		}
	}
	return ""
}

// importPeople imports a people file by its preview.
func importPeople(v *site.Visitor, text string) site.Answer {
	return v.Post("/people/import", "draft", draftOf(uploadPeople(v, text)))
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
	log := &site.LockedBuffer{}
	p := site.OpenPaid(t)
	service := reports.New(p.Store, p.Now)
	p.Address, p.Server = site.Serve(t, web.Options{Reports: service, Desk: service, Access: p.Access, Collect: site.Nothing,
		Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	manager, viewer := p.As("mia", access.Manager), p.As("vera", access.Viewer)
	f := &site.Pipeline{TB: t, PipelineParts: &site.PipelineParts{Service: service}}
	lines := f.Invitees(url.Values{"range": {"30d"}, "sort": {"-commission"}}).Lines
	uid := string(lines[0].UID)
	const name = "Zoë Quillfeather"

	manager.Get("/people/import")
	refused := uploadPeople(manager, "uid,name,cost\r\n"+uid+","+name+",12\r\n77,Ann,\r\n77,Bea,\r\n")
	if words := site.WordsOf(refused.Body); refused.StatusCode != 400 || !strings.Contains(words, "cost_coin") || !strings.Contains(words, "77") {
		t.Errorf("the preview of a faulty file: status %d, %s", refused.StatusCode, words)
	}
	if a := manager.Get("/invitees?q=quill"); strings.Contains(a.Body, uid) {
		t.Error("a refused file left a name")
	}
	if a := viewer.Get("/people/import"); a.StatusCode != 403 {
		t.Errorf("a viewer gets the page of imports: status %d", a.StatusCode)
	}
	if a := uploadPeople(viewer, "uid,name\r\n"+uid+",x\r\n"); a.StatusCode != 403 {
		t.Errorf("a viewer gets a preview: status %d", a.StatusCode)
	}

	preview := uploadPeople(manager, "name,uid,tags\r\n"+name+","+uid+",vip\r\n")
	if preview.StatusCode != 200 || strings.Contains(manager.Get("/invitees?q=quill").Body, uid) {
		t.Fatalf("preview: status %d, or it stored the file", preview.StatusCode)
	}
	draft := draftOf(preview)
	if a := viewer.Post("/people/import", "draft", draft); a.StatusCode != 403 {
		t.Errorf("a viewer confirms an import: status %d", a.StatusCode)
	}
	if a := manager.Post("/people/import", "draft", draft); a.StatusCode != 303 || a.Header.Get("Location") != "/people/import?done=imported" {
		t.Fatalf("import: status %d, %s", a.StatusCode, site.WordsOf(a.Body))
	}

	sought := "?range=30d&q=" + url.QueryEscape("ZOË QUILL")
	partner := string(f.List(url.Values{"range": {"30d"}, "sort": {"-paid"}}).Lines[0].UID)
	if a := importPeople(manager, "uid,name\r\n"+partner+",Zoë Quillpartner\r\n"); a.StatusCode != 303 {
		t.Fatalf("import of a sub-affiliate: status %d", a.StatusCode)
	}
	named := []string{"/sub-affiliates?range=30d&q=quillp", "/pivot?range=30d&by=invitee", "/pivot?range=30d&by=product&across=invitee", "/changes?since=2026-11-01&range=30d&by=invitee", "/", "/invitees" + sought, "/invitees.csv" + sought, "/invitees.json" + sought, "/invitees.xlsx" + sought, "/commissions" + sought,
		"/drivers?range=30d&by=invitee", "/invitees/" + uid}
	for _, path := range named {
		if a := manager.Get(path); a.StatusCode != 200 || !strings.Contains(unzipped(t, a.Body), "Zoë Quill") {
			t.Errorf("%s: status %d, without the name", path, a.StatusCode)
		}
	}
	header, _, _ := strings.Cut(strings.TrimPrefix(manager.Get("/invitees.csv"+sought).Body, "\ufeff"), "\r\n")
	if want := ",state,days_silent,usual_gap_days,lifetime_commission,coin,at_risk,name,tags"; !strings.HasSuffix(header, want) {
		t.Errorf("invitees.csv has the columns %s; want them to end with %s", header, want)
	}
	if a := manager.Get("/commissions.csv" + sought); strings.Count(a.Body, "\n") < 2 || strings.Count(a.Body, "\n")-1 != strings.Count(a.Body, ","+uid+",") {
		t.Errorf("the records found by name are not those of %s: %s", uid, a.Body)
	}

	if a := viewer.Get("/invitees" + sought); !strings.Contains(a.Body, "Zoë Quill") {
		t.Error("a viewer does not see names that are not hidden")
	}
	admin := p.As("ada", access.Admin)
	p.Enrol(admin)
	admin.Get("/settings/users")
	if a := viewer.Post("/settings/names", "hidden", "yes"); a.StatusCode != 403 {
		t.Errorf("a viewer hides names: status %d", a.StatusCode)
	}
	if a := admin.Post("/settings/names", "hidden", "yes"); a.StatusCode != 303 {
		t.Fatalf("hiding names: status %d, %s", a.StatusCode, site.WordsOf(a.Body))
	}
	token, _, err := p.Access.CreateToken(context.Background(), site.Command, access.NewToken{User: "vera", Name: "reads", Scopes: []access.Scope{access.ScopeRead}})
	if err != nil {
		t.Fatal(err)
	}
	program := p.Visitor("Authorization", "Bearer "+token)
	for _, route := range p.Server.Routes() {
		if route.Method != "GET" {
			continue
		}
		path := strings.NewReplacer(":uid", uid, ":id", "1", ":month", "2026-10", ":number", "1", "*", "app.css", ":token", "x").Replace(route.Path)
		for _, asked := range []string{"", "?q=" + url.QueryEscape("quillfeather"), "?by=invitee"} {
			if a := viewer.Get(path + asked); strings.Contains(strings.ToLower(unzipped(t, a.Body)), "zoë") {
				t.Errorf("%s shows a viewer a hidden name", path+asked)
			}
		}
		if route.Tokens {
			p.Pass(100 * time.Millisecond) // the highest rate that a token may use
			if a := program.Get(path); strings.Contains(strings.ToLower(unzipped(t, a.Body)), "zoë") {
				t.Errorf("%s gives a viewer's program a hidden name", path)
			}
		}
	}
	if a := viewer.Get("/invitees.csv?range=30d&q=quill"); strings.Contains(a.Body, uid) {
		t.Error("a viewer finds an invitee by a hidden name")
	}
	if a := manager.Get("/invitees" + sought); !strings.Contains(a.Body, "Zoë Quill") {
		t.Error("names are hidden from a manager")
	}

	imports, err := reports.NewPeopleDesk(p.Store).Imports(context.Background(), 1)
	if err != nil || len(imports) != 1 {
		t.Fatalf("%d imports, %v", len(imports), err)
	}
	if a := manager.Post("/people/import/1/undo"); a.StatusCode != 303 {
		t.Fatalf("undo: status %d, %s", a.StatusCode, site.WordsOf(a.Body))
	}
	coded := slices.IndexFunc(lines, func(l invitees.ListLine) bool { return l.InviteCode == "" })
	if coded < 0 {
		t.Fatal("the exchange tells the code of everybody")
	}
	if a := importPeople(manager, "uid,invite_code\r\n"+string(lines[coded].UID)+",QUILLCODE\r\n"); a.StatusCode != 303 {
		t.Fatalf("import of a code: status %d, %s", a.StatusCode, site.WordsOf(a.Body))
	}
	for _, path := range []string{"/?range=30d", "/codes?range=30d", "/commissions?range=30d&code=quillcode", "/pivot?range=30d&by=code", "/drivers?range=30d&by=code",
		"/changes?since=2026-11-01&range=30d&by=code", "/changes?since=2026-11-01&range=30d&code=quillcode"} {
		if a := manager.Get(path); !strings.Contains(a.Body, "QUILLCODE") || !strings.Contains(a.Body, ">ours</span>") {
			t.Errorf("%s does not mark the code of ours", path)
		}
	}
	for _, path := range []string{"/", "/invitees.csv?range=30d", "/invitees/" + uid} {
		if a := manager.Get(path); a.StatusCode != 200 || strings.Contains(a.Body, "Zoë") {
			t.Errorf("%s: status %d, or it has the name that an undo took back", path, a.StatusCode)
		}
	}
	log.Mutex.Lock()
	defer log.Mutex.Unlock()
	if strings.Contains(strings.ToLower(log.String()), "quillfeather") {
		t.Error("the log has a name")
	}
}

// Nothing that is kept of people reaches the exchange.
func TestNothingOfPeopleReachesTheExchange(t *testing.T) {
	t.Parallel()
	f := site.OpenProgramme(t, time.UTC, simulator.Options{Seed: 7, Days: 10, Invitees: 10, Records: 100})
	o := &site.Site{TB: t, Clock: &site.Clock{At: site.Now}, Store: f.Store}
	key := secret.NewKey()
	o.Access = access.NewForTests(access.Options{Store: o.Store, Box: key.Box(), Now: o.Now})
	o.Address, o.Server = site.Serve(t, web.Options{Reports: f.Service, Desk: f.Service, Access: o.Access, Collect: site.Nothing})
	heard := &site.LockedBuffer{}
	f.Exchange.Heard.Store(heard)
	manager := o.As("mia", access.Manager)
	manager.Get("/people/import")
	uid := string(f.Invitees(url.Values{"range": {"7d"}}).Lines[0].UID)
	if a := importPeople(manager, "uid,name,invite_code,tags,owner,cost,cost_coin,note\r\n"+uid+",Xyname,XYCODE,xytag,xyowner,987654.32,XYCOIN,xynote\r\n"); a.StatusCode != 303 {
		t.Fatalf("import: status %d, %s", a.StatusCode, site.WordsOf(a.Body))
	}
	for _, path := range []string{"/", "/invitees?q=xyname", "/invitees?tag=xytag", "/commissions?code=xycode", "/worklist?owner=xyowner", "/invitees/" + uid} {
		if a := manager.Get(path); a.StatusCode != 200 || !strings.Contains(a.Body, uid) && path != "/worklist?owner=xyowner" && path != "/" {
			t.Errorf("%s: status %d, or nothing is found", path, a.StatusCode)
		}
	}
	f.Collect()
	heard.Mutex.Lock()
	defer heard.Mutex.Unlock()
	sent := strings.ToLower(heard.String())
	if strings.Count(sent, "get /api/") < 3 {
		t.Fatalf("the exchange was not asked: %.300s", sent)
	}
	for _, kept := range []string{"xyname", "xycode", "xytag", "xyowner", "987654.32", "xycoin", "xynote"} {
		if strings.Contains(sent, kept) {
			t.Errorf("the exchange got %s", kept)
		}
	}
}

// No import changes what is earned: reports that are not divided by code are the same to the
// last byte, totals by code are the same in sum, and after the undo every report is.
func TestImportsChangeNoTotal(t *testing.T) {
	t.Parallel()
	p := site.OpenPaid(t)
	manager := p.As("mia", access.Manager)
	manager.Get("/people/import")
	f := &site.Pipeline{TB: t, PipelineParts: &site.PipelineParts{Service: reports.New(p.Store, p.Now)}}
	lines := f.Invitees(url.Values{"range": {"all"}}).Lines
	whole := []string{"/overview.json?range=30d", "/commissions.json?range=30d", "/payments.json?range=30d", "/cohorts.json?range=all&by=week", "/sub-affiliates.json?range=30d",
		"/drivers.json?range=7d&compare=previous&by=invitee", "/pivot.json?range=30d&by=product&across=month", "/months.json", "/programmes.json?range=30d"}
	byCode := []string{"/codes.json?range=30d", "/drivers.json?range=7d&compare=previous&by=code", "/invitees.json?range=all", "/pivot.json?range=30d&by=code"}
	asked := func(paths []string) map[string]string {
		texts := map[string]string{}
		for _, path := range paths {
			a := manager.Get(path)
			if a.StatusCode != 200 {
				t.Errorf("%s: status %d, %.200s", path, a.StatusCode, a.Body)
			}
			texts[path] = strings.Replace(a.Body, a.Header.Get("Date"), "", 1)
		}
		return texts
	}
	before, beforeByCode := asked(whole), asked(byCode)
	var file strings.Builder
	file.WriteString("uid,name,invite_code,tags,owner,cost,cost_coin,note\r\n")
	for n, line := range lines {
		fmt.Fprintf(&file, "%s,Person %d,own%d,vip,mia,%d.5,USDT,called\r\n", line.UID, n, n%3, n)
	}
	if a := importPeople(manager, file.String()); a.StatusCode != 303 {
		t.Fatalf("import: status %d, %s", a.StatusCode, site.WordsOf(a.Body))
	}
	for path, text := range asked(whole) {
		if withoutCodes(text) != withoutCodes(before[path]) {
			t.Errorf("%s: after the import\n%s\nbefore it\n%s", path, text, before[path])
		}
	}
	changed := 0
	for path, text := range asked(byCode) {
		if text != beforeByCode[path] {
			changed++
		}
	}
	if changed == 0 {
		t.Error("codes of ours changed no report by code")
	}
	if a := manager.Post("/people/import/1/undo"); a.StatusCode != 303 {
		t.Fatalf("undo: status %d, %s", a.StatusCode, site.WordsOf(a.Body))
	}
	for path, text := range asked(slices.Concat(whole, byCode)) {
		if was := cmp.Or(before[path], beforeByCode[path]); text != was {
			t.Errorf("%s: after the undo\n%s\nbefore the import\n%s", path, text, was)
		}
	}
}

var inviteCode = regexp.MustCompile(`"invite_code":("[^"]*"|null),?`)

// withoutCodes returns a JSON text without the invite codes of its records.
func withoutCodes(text string) string { return inviteCode.ReplaceAllString(text, "") }
