package access_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"html"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/reports/annotated"
	"rebatedesk/store/annotations"
	"rebatedesk/store/audit"
	"rebatedesk/store/storetest"
	"rebatedesk/web/route"
)

// addressesOf returns addresses of a route that show as much as it can.
func addressesOf(path string, before affiliate.Millis) []string {
	path = strings.NewReplacer(":uid", "49317700", ":month", "2026-07", ":id", "1", ":number", "1", "*", "app.css").Replace(path)
	const days = "?from=2026-05-25&to=2026-08-02"
	asOf := "&as_of=" + before.Time().UTC().Format("2006-01-02T15:04:05Z")
	switch {
	case strings.HasPrefix(path, "/pivot"):
		return []string{path + days + "&by=code&across=month", path + days + "&by=invitee&across=symbol", path + days + "&by=tag", path + days + "&by=account&across=product" + asOf}
	case strings.HasPrefix(path, "/changes"):
		return []string{path + "?since=" + before.Time().UTC().Format("2006-01-02T15:04:05Z"), path}
	case strings.HasPrefix(path, "/worklist"):
		return []string{path, path + "?show=all", path + "?show=all&q=name", path + "?show=all&owner=owner-49317700"}
	case strings.HasPrefix(path, "/drivers"):
		return []string{path + "?from=2026-07-01&to=2026-07-31&by=invitee", path + "?from=2026-07-01&to=2026-07-31&by=code", path + "?from=2026-07-01&to=2026-07-31&by=symbol"}
	case strings.HasPrefix(path, "/forecast"), strings.HasPrefix(path, "/attention"), strings.HasPrefix(path, "/views"):
		return []string{path}
	case strings.HasPrefix(path, "/returns"):
		return []string{path, path + "?code=ALPHA", path + "?tag=harbour", path + "?sort=cost"}
	case strings.HasPrefix(path, "/cohorts"):
		return []string{path + days}
	case strings.HasPrefix(path, "/codes"):
		return []string{path + days, path + days + "&q=a"}
	case path == "/invitees" || strings.HasPrefix(path, "/invitees."):
		return []string{path + days, path + days + "&q=4931770", path + days + "&tag=harbour", path + days + "&code=ALPHA", path + days + asOf}
	case strings.HasPrefix(path, "/invitees/"):
		return []string{path + days + "&account=main", path + days + "&account=main" + asOf}
	case strings.HasPrefix(path, "/programmes"):
		return []string{path + days, path + days + "&code=ALPHA", path + days + asOf}
	case path == "/" || strings.HasPrefix(path, "/overview.") || strings.HasPrefix(path, "/commissions"):
		return []string{path + days, path + days + "&coin=USDT&compare=previous", path + days + "&symbol=S1", path + days + "&code=ALPHA,beta", path + days + asOf}
	}
	return []string{path}
}

var (
	tabsOf    = regexp.MustCompile(`(?s)<div id="tabs".*?</div>`)
	tagsOf    = regexp.MustCompile(`(?s)<script.*?</script>|<[^>]*>`)
	linksOf   = regexp.MustCompile(`(?:href|hx-get)="(/[^"#]*)`)
	digits    = regexp.MustCompile(`[0-9]+`)
	readTimes = regexp.MustCompile(`[0-9,]+ records? (read|so far)`)
)

// saidBy returns what an answer says: the text of a page, the parts of a workbook, or the body.
func saidBy(t testing.TB, a site.Answer) string {
	if strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
		_, text, _ := strings.Cut(a.Body, "<main")
		text, _, _ = strings.Cut("<main"+text, "</main>")
		text = tabsOf.ReplaceAllString(text, "") // lead to the pages that the caller may open
		text = strings.Join(strings.Fields(tagsOf.ReplaceAllString(text, " ")), " ") + " "
		if strings.Contains(text, " records read") || strings.Contains(text, " record read") || strings.Contains(text, " so far") {
			text = readTimes.ReplaceAllString(text, "")
		}
		return text
	}
	return unpacked(t, a.Body)
}

// unpacked returns the texts in a ZIP file, or the text itself.
func unpacked(t testing.TB, body string) string {
	if !strings.HasPrefix(body, "PK") {
		return body
	}
	file, err := zip.NewReader(strings.NewReader(body), int64(len(body)))
	storetest.Done(t, err)
	var all bytes.Buffer
	for _, member := range file.File {
		r, err := member.Open()
		storetest.Done(t, err)
		_, err = io.Copy(&all, r)
		storetest.Done(t, err)
		all.WriteByte('\n')
	}
	return all.String()
}

var formTokens = regexp.MustCompile(`name="token" value="[^"]*"`)

// A bound manager gets, at every address, what a manager gets whose store holds nothing else; and
// no answer has a word of what belongs to others.
func TestBoundManagers(t *testing.T) {
	t.Parallel()
	everybody := func(affiliate.Account, affiliate.UID) bool { return true }
	for _, c := range []struct {
		name  string
		bound []affiliate.Binding
		keeps func(affiliate.Account, affiliate.UID) bool
		never []string // words that belong to others
	}{
		{"account", []affiliate.Binding{{By: affiliate.BoundByAccount, Name: "main"}},
			func(account affiliate.Account, _ affiliate.UID) bool { return account == "main" }, []string{"second"}},
		{"code", []affiliate.Binding{{By: affiliate.BoundByCode, Name: "ALPHA"}},
			func(account affiliate.Account, uid affiliate.UID) bool { // as the codes are now
				return slices.Contains(map[affiliate.Account][]affiliate.UID{"main": {"49317700", "49317703", "49317706", "49317709"}, "second": {"49317702", "49317705", "49317708", "49317711"}}[account], uid)
			}, []string{"beta"}},
		{"tag", []affiliate.Binding{{By: affiliate.BoundByTag, Name: "Harbour"}},
			func(_ affiliate.Account, uid affiliate.UID) bool {
				return slices.Contains([]affiliate.UID{"49317700", "49317703", "49317713"}, uid)
			}, []string{"lighthouse"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			bound, alone := site.OpenSharedDesk(t, everybody, c.bound...), site.OpenSharedDesk(t, c.keeps)
			for n := range 14 {
				uid := affiliate.UID(fmt.Sprint(49317700 + n))
				if !c.keeps("main", uid) && !c.keeps("second", uid) {
					c.never = append(c.never, string(uid), "COIN"+string(uid[6:]))
				}
			}
			leads := map[string]string{} // addresses without their numbers, with one that a page leads to
			for _, r := range bound.Server.Routes() {
				if r.Method != http.MethodGet || strings.HasPrefix(r.Path, "/static") {
					continue
				}
				for _, address := range addressesOf(r.Path, bound.Before) {
					got := bound.Get(address)
					if got.StatusCode >= http.StatusInternalServerError {
						t.Errorf("%s: status %d: %s", address, got.StatusCode, saidBy(t, got))
						continue
					}
					for _, to := range linksOf.FindAllStringSubmatch(got.Body, -1) {
						path, _, _ := strings.Cut(html.UnescapeString(to[1]), "?")
						leads[digits.ReplaceAllString(path, "0")] = html.UnescapeString(to[1])
					}
					all := formTokens.ReplaceAllString(unpacked(t, got.Body), "") // random letters may make any word
					if address == "/openapi.json" || address == "/docs/api" {     // plain English about the program
						continue
					}
					for _, word := range c.never {
						if strings.Contains(all, word) && !strings.Contains(address, word) {
							t.Errorf("%s has %q, which belongs to others", address, word)
						}
					}
					if r.Bound == route.Divided {
						compareShown(t, address, got, alone.Get(address))
					}
				}
			}
			for _, to := range leads {
				if a := bound.Get(to); a.StatusCode == http.StatusNotFound {
					t.Errorf("a page leads to %s, which does not exist for the user", to)
				}
			}
			byToken(t, bound, c.never)
			asNobody(t, bound, c.keeps, c.never)
			annotatesAndDivides(t, bound, c.never)
		})
	}
}

// byToken checks that a token of a bound manager gets what the manager gets.
func byToken(t *testing.T, bound *site.SharedDesk, never []string) {
	t.Helper()
	token, _, err := bound.Access.CreateToken(t.Context(), site.Command, access.NewToken{User: "mara", Name: "script", Scopes: []access.Scope{access.ScopeExport}})
	storetest.Done(t, err)
	program := site.Visit(t, bound.Address, "Authorization", "Bearer "+token)
	for _, address := range []string{"/overview.json?from=2026-05-25&to=2026-08-02", "/commissions.csv?from=2026-05-25&to=2026-08-02", "/invitees.json?from=2026-05-25&to=2026-08-02",
		"/worklist.csv", "/codes.json?from=2026-05-25&to=2026-08-02", "/payments.json", "/invitees/49317702.json"} {
		got, want := program.Get(address), bound.Get(address)
		if got.StatusCode != want.StatusCode || got.Body != want.Body && got.StatusCode == http.StatusOK {
			t.Errorf("%s by a token: status %d, by the session %d; or another content", address, got.StatusCode, want.StatusCode)
		}
		for _, word := range never {
			if strings.Contains(got.Body, word) && !strings.Contains(address, word) {
				t.Errorf("%s by a token has %q, which belongs to others", address, word)
			}
		}
	}
}

// wholeOnly are the parts of pages that only a reader of everything gets.
var wholeOnly = []*regexp.Regexp{regexp.MustCompile(`What is paid Bills of the exchange .*?Earned against paid `),
	regexp.MustCompile(`Paid Payments ?: earned against paid — (No bills? |The bills )[^.]*\. `), regexp.MustCompile(`Evidence pack |Import a people file |See the collection `),
	regexp.MustCompile(`See the restatements `), regexp.MustCompile(`Goals for August 2026 .*?Add the goal `), regexp.MustCompile(`Empty: about all invite codes\. `), regexp.MustCompile(`Add a cost .*?Add the cost `),
	regexp.MustCompile(`Change a cost `), regexp.MustCompile(`End (the|people) .*?End the cost `), regexp.MustCompile(`Remove Remove the cost .*? Remove the cost `)}

// boundOnly are the parts of pages that only a bound reader gets.
var boundOnly = []*regexp.Regexp{regexp.MustCompile(`You see some invitees only: name a code or an account of theirs\. `), regexp.MustCompile(`See what changed `),
	regexp.MustCompile(` “\(mara\)” is added, since others may have given the same name\.`)}

func compareShown(t *testing.T, address string, got, want site.Answer) {
	t.Helper()
	if got.StatusCode != want.StatusCode {
		t.Errorf("%s: status %d, alone %d", address, got.StatusCode, want.StatusCode)
		return
	}
	if address == "/search" { // lists the pages that the caller may open
		return
	}
	instances := regexp.MustCompile(`"instance":"[^"]*"`) // the number of the request
	a, b := instances.ReplaceAllString(saidBy(t, got), ""), instances.ReplaceAllString(saidBy(t, want), "")
	for _, words := range wholeOnly {
		b = words.ReplaceAllString(b, "")
	}
	for _, words := range boundOnly {
		a = words.ReplaceAllString(a, "")
	}
	if a == b {
		return
	}
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	from := max(0, at-80)
	t.Errorf("%s differs: …%s…, alone …%s…", address, a[from:min(len(a), at+160)], b[from:min(len(b), at+160)])
}

// foreignTo returns the definition of a segment of what belongs to others.
func foreignTo(never []string) string {
	if i := slices.IndexFunc(never, func(word string) bool { return strings.HasPrefix(word, "49317") }); i >= 0 {
		return "uid=" + never[i]
	}
	return "account=" + never[0]
}

// annotatesAndDivides checks that a bound manager does not learn of the annotations and segments
// of others, changes none of them, and uses and writes their own.
func annotatesAndDivides(t *testing.T, bound *site.SharedDesk, never []string) {
	t.Helper()
	service := reports.New(bound.Store, func() time.Time { return storetest.SharedNow })
	notes, divided := reports.NewAnnotationDesk(service, annotated.Writer{Name: "ann"}), service
	by := audit.Line{Actor: "ann"}
	days := affiliate.Days{First: affiliate.NewDay(2026, time.July, 1), Last: affiliate.NewDay(2026, time.July, 1)}
	foreign := annotations.Annotation{Days: days, Words: "foreign", Code: "gone"} // a code that nobody has
	note, err := notes.AddAnnotation(t.Context(), foreign, by)
	storetest.Done(t, err)
	segment, err := divided.AddSegment(t.Context(), "Foreign", foreignTo(never), by)
	storetest.Done(t, err)
	for _, path := range []string{"/annotations", "/segments", "/?from=2026-05-25&to=2026-08-02", "/overview.json?from=2026-05-25&to=2026-08-02"} {
		if a := bound.Get(path); a.StatusCode != http.StatusOK || strings.Contains(strings.ToLower(unpacked(t, a.Body)), "foreign") {
			t.Errorf("%s: status %d, or it tells of what is foreign", path, a.StatusCode)
		}
	}
	for _, form := range [][]string{
		{fmt.Sprintf("/annotations/%d", note), "from", "2026-07-01", "words", "mine"}, {fmt.Sprintf("/annotations/%d/remove", note)},
		{fmt.Sprintf("/segments/%d", segment), "name", "Mine", "state", "active", "version", "1"}, {fmt.Sprintf("/segments/%d/freeze", segment), "version", "1"},
		{fmt.Sprintf("/segments/%d/thaw", segment), "version", "1"}, {fmt.Sprintf("/segments/%d/remove", segment), "version", "1"},
	} {
		if a := bound.Post(form[0], form[1:]...); a.StatusCode != http.StatusNotFound {
			t.Errorf("%s, which is foreign: status %d", form[0], a.StatusCode)
		}
	}
	for _, path := range []string{fmt.Sprintf("/annotations/%d", note), fmt.Sprintf("/segments/%d", segment)} {
		if a := bound.Get(path); a.StatusCode != http.StatusNotFound {
			t.Errorf("%s, which is foreign: status %d", path, a.StatusCode)
		}
	}
	// Nobody's is as what is foreign, and the numbers of one's own tell nothing of how many there are.
	for _, form := range [][]string{
		{"/annotations/WHO", "from", "2026-07-01", "words", "mine"}, {"/annotations/WHO/remove"}, {"/segments/WHO", "name", "Mine", "state", "active", "version", "1"},
		{"/segments/WHO/freeze", "version", "1"}, {"/segments/WHO/thaw", "version", "1"}, {"/segments/WHO/remove", "version", "1"},
	} {
		of := map[bool]int64{true: note, false: segment}[strings.HasPrefix(form[0], "/annotations")]
		theirs := bound.Post(strings.ReplaceAll(form[0], "WHO", fmt.Sprint(of)), form[1:]...)
		none := bound.Post(strings.ReplaceAll(form[0], "WHO", "99"), form[1:]...)
		if theirs.StatusCode != http.StatusNotFound || none.StatusCode != http.StatusNotFound || saidBy(t, theirs) != saidBy(t, none) {
			t.Errorf("%s: status %d of others and %d of nobody", form[0], theirs.StatusCode, none.StatusCode)
		}
	}
	// A name that a foreign segment has is as free as any other, since one's own end with one's name; and
	// nobody else can take names of that form.
	for _, name := range []string{"fOREIGN", "Unheard"} {
		if a := bound.Post("/segments", "name", name, "first_trade", "yes"); a.StatusCode != http.StatusSeeOther {
			t.Errorf("the name %s: status %d, %s", name, a.StatusCode, saidBy(t, a))
		}
		if a := bound.Post("/segments", "name", name, "first_trade", "yes"); a.StatusCode != http.StatusBadRequest || !strings.Contains(a.Body, "There is a segment called “"+name+" (mara)” already") {
			t.Errorf("the name %s twice: status %d, %s", name, a.StatusCode, saidBy(t, a))
		}
	}
	list := bound.Get("/segments")
	address := regexp.MustCompile(`/segments/(\d+)" aria-label="Change Unheard \(mara\)"`).FindStringSubmatch(list.Body)
	version := regexp.MustCompile(`name="version" value="(\d+)"`)
	if address == nil {
		t.Fatalf("no Unheard (mara) on the page: %s", list.Body)
	}
	form := bound.Get("/segments/" + address[1])
	if !strings.Contains(form.Body, `value="Unheard (mara)"`) || !strings.Contains(form.Body, "“(mara)” is added") {
		t.Errorf("the form: %s", form.Body)
	}
	if a := bound.Post("/segments/"+address[1], "name", "Renamed (mara)", "first_trade", "yes", "version", version.FindStringSubmatch(form.Body)[1]); a.StatusCode != http.StatusSeeOther {
		t.Errorf("a new name: status %d, %s", a.StatusCode, saidBy(t, a))
	}
	if list := bound.Get("/segments"); !strings.Contains(list.Body, ">Renamed (mara)<") || strings.Contains(list.Body, "(mara) (mara)") {
		t.Errorf("after a new name: %s", list.Body)
	}
	if _, err := divided.AddSegment(t.Context(), "Foreign (mara)", foreignTo(never), by); err == nil || !strings.Contains(err.Error(), "while bound: choose another name") {
		t.Errorf("somebody else takes such a name: %v", err)
	}
	own, err := reports.NewAnnotationDesk(service, annotated.Writer{Name: "mara"}).AddAnnotation(t.Context(), foreign, audit.Line{Actor: "mara"})
	storetest.Done(t, err)
	for _, number := range []int64{note, segment, own} {
		if number < 1<<52 || number == note+1 || number == segment+1 {
			t.Errorf("a row has the number %d after %d and %d", number, note, segment)
		}
	}
	theirs, none := bound.Get("/commissions?segment=Foreign"), bound.Get("/commissions?segment=Nothing")
	if theirs.StatusCode != http.StatusBadRequest || strings.ReplaceAll(saidBy(t, theirs), "Foreign", "Nothing") != saidBy(t, none) {
		t.Errorf("a foreign segment: status %d, %s", theirs.StatusCode, saidBy(t, theirs))
	}
	if a := bound.Post("/segments", "name", "Mine", "first_trade", "yes"); a.StatusCode != http.StatusSeeOther {
		t.Errorf("a segment of one's own: status %d, %s", a.StatusCode, saidBy(t, a))
	}
	page := bound.Get("/invitees?segment=Mine+%28mara%29&from=2026-05-25&to=2026-08-02")
	for _, word := range never {
		if page.StatusCode != http.StatusOK || strings.Contains(page.Body, word) {
			t.Errorf("the members of one's own segment: status %d, or there is %q", page.StatusCode, word)
		}
	}
}

// asNobody checks that what belongs to others is as what does not exist.
func asNobody(t *testing.T, bound *site.SharedDesk, keeps func(affiliate.Account, affiliate.UID) bool, never []string) {
	t.Helper()
	same := func(address, of, nobody string) {
		t.Helper()
		theirs, none := bound.Get(strings.ReplaceAll(address, "WHO", of)), bound.Get(strings.ReplaceAll(address, "WHO", nobody))
		a, b := strings.ReplaceAll(saidBy(t, theirs), of, nobody), saidBy(t, none)
		if theirs.StatusCode != none.StatusCode || a != b {
			t.Errorf("%s of %s: status %d, of nobody %d: %s, of nobody %s", address, of, theirs.StatusCode, none.StatusCode, a, b)
		}
	}
	for _, uid := range []affiliate.UID{"49317702", "49317705", "49317713"} {
		if keeps("main", uid) || keeps("second", uid) {
			continue
		}
		same("/invitees/WHO?from=2026-05-25&to=2026-08-02", string(uid), "99999999")
		same("/commissions?from=2026-05-25&to=2026-08-02&uid=WHO", string(uid), "99999999")
		same("/invitees/WHO.json", string(uid), "99999999")
		same("/invitees?q=WHO", string(uid), "99999999")
	}
	if slices.Contains(never, "second") {
		same("/commissions?account=WHO", "second", "absent")
		same("/invitees/49317700?account=WHO", "second", "absent")
	}
	if slices.Contains(never, "beta") {
		same("/commissions?from=2026-05-25&to=2026-08-02&code=WHO", "beta", "none")
		same("/codes?from=2026-05-25&to=2026-08-02&code=WHO", "beta", "none")
		for _, form := range [][]string{
			{"/invitees/49317701/notes", "account", "main", "text", "hello"},
			{"/invitees/49317701/tags", "account", "main", "tag", "mine"},
			{"/invitees/49317701/tags/delete", "account", "main", "tag", "mine"},
			{"/invitees/49317701/person", "name", "Anna", "version", "1"},
			{"/worklist/49317701", "account", "main", "version", "1", "act", "noted", "note", "hello"},
			{"/worklist/49317701/undo/1", "account", "main"},
		} {
			if a := bound.Post(form[0], form[1:]...); a.StatusCode != http.StatusNotFound {
				t.Errorf("%s of a foreign invitee: status %d", form[0], a.StatusCode)
			}
		}
	}
}
