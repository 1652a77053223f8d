package api_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/reports/query"
	"rebatedesk/store/audit"
	"rebatedesk/store/storetest"
	"rebatedesk/web"
	"rebatedesk/web/route"
)

// pointerTo returns the JSON pointer to the schema of an answer.
func pointerTo(address, status, media string) string {
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	return "/paths/" + url.PathEscape(escape.Replace(address)) + "/get/responses/" + status + "/content/" + url.PathEscape(escape.Replace(media)) + "/schema"
}

var inPath = regexp.MustCompile(`:(\w+)`)

// Every file that programs may read by a token is described, and nothing else is.
func TestDescriptionHasEveryRoute(t *testing.T) {
	t.Parallel()
	o := site.OpenSite(t, site.Everything())
	text, err := o.Server.Description()
	if err != nil {
		t.Fatal(err)
	}
	described := map[string]bool{}
	for address, methods := range site.DescribedBy(t, string(text)).Paths {
		for method := range methods {
			described[strings.ToUpper(method)+" "+address] = true
		}
	}
	known := map[string]bool{}
	for _, r := range o.Server.Routes() {
		address := inPath.ReplaceAllString(r.Path, "{$1}")
		if r.Method != http.MethodGet || !r.Tokens && r.Need != route.Everybody {
			continue
		}
		known["GET "+address] = true
		file := slices.Contains([]string{".json", ".csv", ".xlsx", ".zip", ".pdf", ".eml"}, path.Ext(r.Path))
		if file && !described["GET "+address] {
			t.Errorf("%s can be read by a token and is not described: describe it where the route is", r.Path)
		}
	}
	proxied := 0
	for line := range described {
		if strings.Contains(line, "/console/proxy/{account}/") {
			proxied++
			continue
		}
		if !known[line] {
			t.Errorf("%s is described, and no token reads it", line)
		}
	}
	if want := 14; proxied != want {
		t.Errorf("%d endpoints of the exchange are described, want the %d that only read", proxied, want)
	}
}

// What an address needs is described as required: without parameters every other one has an answer,
// or one of the statuses that are described.
func TestRequiredParametersAreDescribed(t *testing.T) {
	t.Parallel()
	c := site.OpenConsole(t, simulator.Options{})
	shared := site.OpenSharedSite(t)
	program := c.Program(access.ScopeExport, access.ScopeRead, access.ScopeConsole)
	d := site.DescribedBy(t, program.Get("/openapi.json").Body)
	required := map[string]bool{}
	for address, methods := range d.Paths {
		o, ok := methods["get"]
		if !ok || strings.Contains(address, "/proxy/") || strings.Contains(address, "{") && address != "/months/{month}.zip" {
			continue
		}
		needs := false
		for _, p := range o.Parameters {
			needs = needs || p.In == "query" && p.Required
		}
		required[address] = needs
		at := strings.ReplaceAll(address, "{month}", "2026-10")
		ask := program.Get // a token allows some requests a second
		if !strings.HasPrefix(address, "/console/") {
			ask = func(path string, _ ...string) site.Answer { return site.Get(t, shared.Address+path) }
		}
		a := ask(at)
		if refused := a.StatusCode == 400 || a.StatusCode == 404; refused != needs && !strings.Contains(address, "{") && address != "/console/fills.csv" { // which needs a pair while none is marked
			t.Errorf("%s: status %d without parameters, described as required: %v", address, a.StatusCode, needs)
		}
		if _, told := o.Responses[fmt.Sprint(a.StatusCode)]; !told {
			t.Errorf("%s: status %d is not described", address, a.StatusCode)
		}
	}
	for _, address := range []string{"/console/orders.csv", "/payments/line.zip", "/rates/finding.zip"} {
		if !required[address] {
			t.Errorf("%s requires nothing", address)
		}
	}
	if len(required) < 50 {
		t.Errorf("%d addresses were asked", len(required))
	}
}

// The answer to each described question is as described, and what is not described is refused.
func TestAnswersAreAsDescribed(t *testing.T) {
	t.Parallel()
	h := site.OpenSharedSite(t)
	d := site.DescribedBy(t, site.Get(t, h.Address+"/openapi.json").Body)
	compiler := d.Compiler(t)
	const media = "application/json"
	asked := 0
	for address, methods := range d.Paths {
		o := methods["get"]
		if _, isJSON := o.Responses["200"].Content[media]; !isJSON || address == "/openapi.json" {
			continue
		}
		at := h.At(strings.NewReplacer("{uid}", ":uid", "{month}", "2026-10").Replace(address))
		ask := func(values url.Values) {
			asked++
			a := site.Get(t, at+"?"+values.Encode())
			switch a.StatusCode {
			case http.StatusOK:
				d.Check(t, compiler, pointerTo(address, "200", media), a)
			case http.StatusConflict, http.StatusBadRequest:
				// Some values go together only with others, and some figures are not known.
				axis := address == "/pivot.json" && (values.Has("by") || values.Has("across")) // rows and columns must differ
				if a.StatusCode == http.StatusBadRequest && len(values) == 1 && !axis {
					t.Errorf("%s is refused: %s", a.Request.URL, a.Body)
				}
				if a.Header.Get("Content-Type") != "application/problem+json" || o.Responses[fmt.Sprint(a.StatusCode)].Ref == "" {
					t.Errorf("%s: status %d of the type %s is not described", a.Request.URL, a.StatusCode, a.Header.Get("Content-Type"))
				}
				d.Check(t, compiler, site.ProblemPointer, a)
			default:
				t.Errorf("%s: status %d", a.Request.URL, a.StatusCode)
			}
		}
		ask(nil)
		names := []string{}
		for _, p := range o.Parameters {
			if p.In != "query" {
				continue
			}
			names = append(names, p.Name)
			for _, value := range validValues(p.Name, p.Schema.Enum, p.Schema.Items.Enum) {
				ask(url.Values{p.Name: {value}})
			}
		}
		if len(o.Parameters) == 0 {
			continue
		}
		for _, name := range append(slices.Clone(query.Params), "limit", "colour") {
			if slices.Contains(names, name) {
				continue
			}
			a := site.Get(t, at+"?"+url.Values{name: {append(validValues(name, nil, nil), "x")[0]}}.Encode())
			if a.StatusCode != http.StatusBadRequest {
				t.Errorf("%s: %s is not described and answered with %d", address, name, a.StatusCode)
				continue
			}
			d.Check(t, compiler, site.ProblemPointer, a)
		}
		for _, name := range names {
			if slices.Contains(site.OpenForms, name) {
				continue
			}
			a := site.Get(t, at+"?"+url.Values{name: {"a\x00b"}}.Encode())
			if a.StatusCode != http.StatusBadRequest {
				t.Errorf("%s: %s of control characters: status %d", address, name, a.StatusCode)
			}
			d.Check(t, compiler, site.ProblemPointer, a)
		}
	}
	if asked < 200 {
		t.Errorf("only %d questions were asked", asked)
	}
}

// validValues returns values that a parameter accepts on the shared site.
func validValues(name string, choices, some []string) []string {
	if len(choices) > 0 {
		return choices
	}
	if len(some) > 0 {
		return []string{some[0], strings.Join(some, ",")}
	}
	values := map[string]string{
		"from": "2026-11-01", "to": "2026-11-10", "month": "2026-11", "account": "main", "coin": "USDT", "uid": string(site.Known), "symbol": "BTCUSDT", "code": "x", "q": "7",
		"tag": "VIP", "owner": "ann", "page": "1", "per": "20", "as_of": "2026-11-15", "since": "2026-11-01", "until": "2026-11-20T12:00:00Z", "limit": "3",
		"product": "SPOT", "source": "sub", "range": "7d", "compare": "previous", "segment": "none", "colour": "red",
	}
	if value, ok := values[name]; ok && name != "segment" {
		return []string{value}
	}
	if name == "segment" || name == "cursor" {
		return nil // needs a saved one
	}
	return []string{"x"}
}

// listed is a list of a report, or a part of it.
type listed struct {
	AsOf  string            `json:"as_of"`
	Rows  []json.RawMessage `json:"rows"`
	Count int               `json:"row_count"`
	Next  *string           `json:"next"`
}

func listOf(t testing.TB, address string) (list listed) {
	t.Helper()
	a := site.Get(t, address)
	if a.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d: %s", address, a.StatusCode, a.Body)
	}
	if err := json.Unmarshal([]byte(a.Body), &list); err != nil {
		t.Fatal(err)
	}
	if list.Count != len(list.Rows) {
		t.Errorf("%s: %d rows, and row_count is %d", address, len(list.Rows), list.Count)
	}
	link := a.Header.Get("Link")
	if list.Next != nil && link != "<"+*list.Next+`>; rel="next"` || list.Next == nil && link != "" {
		t.Errorf("%s: next is %v, and Link is %q", address, list.Next, link)
	}
	return list
}

// All parts of a list together are the whole list of the state in which it was begun, whatever
// is collected in between.
func TestPartsAreTheWholeList(t *testing.T) {
	t.Parallel()
	f := site.OpenKnown(t)
	address, _ := site.Serve(t, web.Options{Reports: f.Service, Desk: f.Service, Collect: site.Nothing})
	for _, list := range []string{"/commissions.json?range=14d", "/commissions.json?range=14d&sort=time", "/commissions.json?range=7d&sort=-commission",
		"/commissions.json?range=30d&uid=" + string(site.Known), "/overview.json?range=30d", "/invitees.json", "/codes.json", "/sub-affiliates.json", "/payments.json",
		"/changes.json?since=2026-11-01", "/worklist.json", "/cohorts.json?range=90d"} {
		whole := listOf(t, address+list)
		limit := max(1, len(whole.Rows)/4)
		mark := "?"
		if strings.Contains(list, "?") {
			mark = "&"
		}
		at, parts, rows := list+mark+"limit="+fmt.Sprint(limit), 0, []json.RawMessage{}
		for at != "" {
			part := listOf(t, address+at)
			if len(part.Rows) > limit {
				t.Fatalf("%s: %d rows", at, len(part.Rows))
			}
			rows = append(rows, part.Rows...)
			parts++
			at = ""
			if part.Next != nil {
				at = *part.Next
			}
			if parts == 1 {
				f.Sim.Insert(affiliate.Commission{UID: site.Known, DealTime: affiliate.MillisOf(site.Now.Add(-time.Hour)), Product: affiliate.Spot, Symbol: "BTCUSDT",
					Coin: "USDT", TakerAmount: "10", MakerAmount: "0", Fee: "1", Rate: "0.4", Commission: "0.4", Source: affiliate.Direct})
				f.Collect()
			}
		}
		if !slices.EqualFunc(rows, whole.Rows, func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
			t.Errorf("%s: %d parts have %d rows, and the whole list has %d", list, parts, len(rows), len(whole.Rows))
		}
		if parts < 2 && len(whole.Rows) > 1 {
			t.Errorf("%s came in one part", list)
		}
	}
	for _, broken := range []string{"x", "eyJxIjoiIn0", strings.Repeat("A", 999)} {
		if a := site.Get(t, address+"/commissions.json?limit=1&cursor="+broken); a.StatusCode != http.StatusBadRequest || !strings.Contains(a.Body, `"parameter":"cursor"`) {
			t.Errorf("the cursor %q: status %d: %s", broken, a.StatusCode, a.Body)
		}
	}
	first := listOf(t, address+"/commissions.json?range=14d&limit=1")
	if a := site.Get(t, address+strings.Replace(*first.Next, "range=14d", "range=7d", 1)); a.StatusCode != http.StatusBadRequest {
		t.Errorf("a cursor of another list: status %d", a.StatusCode)
	}
}

// A file that the client has is not sent again until something is written that it shows. Lines of
// the audit log, such as those of its own downloads, are nothing of the kind.
func TestUnchangedFiles(t *testing.T) {
	t.Parallel()
	f := site.OpenKnown(t)
	address, _ := site.Serve(t, web.Options{Reports: f.Service, Desk: f.Service, Collect: site.Nothing})
	files := []string{"/commissions.json?range=7d", "/commissions.json?range=7d&limit=5", "/commissions.csv?range=7d", "/daily.csv?range=7d", "/overview.xlsx", "/invitees.json", "/invitees.csv",
		"/changes.json?since=2026-11-01", "/changes.csv?since=2026-11-01&limit=3", "/drivers.json", "/drivers.csv", "/pivot.json", "/codes.json", "/codes.xlsx", "/codes.json?limit=1", "/cohorts.csv",
		"/worklist.json", "/payments.csv", "/months.json", "/returns.json", "/programmes.csv", "/rates.json", "/sub-affiliates.csv"}
	files = slices.DeleteFunc(files, func(file string) bool { return site.Get(t, address+file).StatusCode != http.StatusOK })
	if len(files) < 18 {
		t.Fatalf("only %v", files)
	}
	undated := regexp.MustCompile(`"written":"[^"]*"`)
	for _, file := range files {
		first := site.Get(t, address+file)
		tag := first.Header.Get("ETag")
		if !strings.HasPrefix(tag, `W/"`) {
			t.Errorf("%s has the tag %q", file, tag)
		}
		storetest.Done(t, audit.Write(t.Context(), f.Store, audit.Line{Actor: "pia", Via: "token", Action: "export"}))
		if a := site.Get(t, address+file, "If-None-Match", `"other", `+tag); a.StatusCode != http.StatusNotModified || a.Body != "" || a.Header.Get("ETag") != tag {
			t.Errorf("%s: status %d with %d bytes", file, a.StatusCode, len(a.Body))
		}
		again := site.Get(t, address+file, "If-None-Match", `W/"other"`)
		if again.StatusCode != http.StatusOK || again.Header.Get("ETag") != tag {
			t.Errorf("%s: another tag: status %d with the tag %q", file, again.StatusCode, again.Header.Get("ETag"))
		}
		if !strings.Contains(file, ".xlsx") && undated.ReplaceAllString(again.Body, "") != undated.ReplaceAllString(first.Body, "") {
			t.Errorf("%s: two answers of one tag differ", file)
		}
	}
	before := map[string]site.Answer{}
	for _, file := range files {
		before[file] = site.Get(t, address+file)
	}
	f.Sim.Insert(affiliate.Commission{UID: site.Known, DealTime: affiliate.MillisOf(site.Now.Add(-time.Hour)), Product: affiliate.Spot, Symbol: "BTCUSDT",
		Coin: "USDT", TakerAmount: "10", MakerAmount: "0", Fee: "1", Rate: "0.4", Commission: "0.4", Source: affiliate.Direct})
	f.Collect()
	for _, file := range files {
		after := site.Get(t, address+file)
		was := before[file]
		same := site.Get(t, address+file, "If-None-Match", was.Header.Get("ETag")).StatusCode == http.StatusNotModified
		differs := undated.ReplaceAllString(after.Body, "") != undated.ReplaceAllString(was.Body, "") && !strings.Contains(file, ".xlsx")
		if same && differs || same && strings.HasPrefix(file, "/commissions") {
			t.Errorf("%s changed, and the answer to its old tag is 304", file)
		}
	}
}

// Answers to a token tell its limit, and problems tell when to come again.
func TestLimitOfTokens(t *testing.T) {
	t.Parallel()
	o := site.OpenSite(t, site.Everything())
	o.AddUser("rita", access.Viewer)
	token, _, err := o.Access.CreateToken(t.Context(), site.Command, access.NewToken{User: "rita", Name: "script", Scopes: []access.Scope{access.ScopeRead}})
	if err != nil {
		t.Fatal(err)
	}
	ask := func() site.Answer { return site.Get(t, o.Address+"/openapi.json", "Authorization", "Bearer "+token) }
	a := ask()
	if a.StatusCode != http.StatusOK || a.Header.Get("RateLimit-Policy") != `"token";q=50;w=5` || a.Header.Get("RateLimit") != `"token";r=49;t=1` {
		t.Fatalf("status %d, limit %q and %q", a.StatusCode, a.Header.Get("RateLimit-Policy"), a.Header.Get("RateLimit"))
	}
	for range 60 {
		if a = ask(); a.StatusCode != http.StatusOK {
			break
		}
	}
	if a.StatusCode != http.StatusTooManyRequests || a.Header.Get("Retry-After") != "1" || !strings.HasPrefix(a.Header.Get("RateLimit"), `"token";r=0;`) || !strings.Contains(a.Body, `"retry_after":1`) {
		t.Errorf("status %d, %v: %s", a.StatusCode, a.Header, a.Body)
	}
	site.CommittedDescription(t).CheckProblem(t, a, http.StatusTooManyRequests)
}

// What is refused for who asks or for where it is asked is a problem as described.
func TestRefusalsAreAsDescribed(t *testing.T) {
	t.Parallel()
	shared := site.OpenSharedSite(t)
	o := site.OpenSite(t, web.Options{Reports: shared.Service})
	o.AddUser("rita", access.Viewer)
	token, _, err := o.Access.CreateToken(t.Context(), site.Command, access.NewToken{User: "rita", Name: "script", Scopes: []access.Scope{access.ScopeRead}})
	if err != nil {
		t.Fatal(err)
	}
	d := site.CommittedDescription(t)
	for _, test := range []struct {
		token, address string
		status         int
	}{
		{"rbd_wrong", "/overview.json", http.StatusUnauthorized},
		{token, "/payments/bills.json", http.StatusForbidden},
		{token, "/overview.csv", http.StatusForbidden},
		{token, "/nothing.json", http.StatusNotFound},
		{token, "/overview.json?range=soon", http.StatusBadRequest},
	} {
		d.CheckProblem(t, site.Get(t, o.Address+test.address, "Authorization", "Bearer "+test.token), test.status)
	}
}
