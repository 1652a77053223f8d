package main

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/store"
	"rebatedesk/store/records"
)

// outcomeJSON is the output of collect --json, with the names that scripts use.
type outcomeJSON struct {
	Complete   bool  `json:"complete"`
	Requests   int64 `json:"requests"`
	Weight     int64 `json:"weight"`
	Records    int64 `json:"records"`
	Opened     int64 `json:"opened"`
	Closed     int64 `json:"closed"`
	Slices     int64 `json:"slices"`
	Incomplete []struct {
		Account string `json:"account"`
		Stream  string `json:"stream"`
		Product string `json:"product"`
		From    string `json:"from"`
		To      string `json:"to"`
		Error   string `json:"error"`
	} `json:"incomplete"`
}

// outcomeOf reads the output and rejects other names.
func (d *harness) outcomeOf(stdout string) outcomeJSON {
	d.Helper()
	var o outcomeJSON
	decoder := json.NewDecoder(strings.NewReader(stdout))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&o); err != nil {
		d.Fatalf("%v in %s", err, stdout)
	}
	if _, err := decoder.Token(); err != io.EOF {
		d.Fatalf("more than one object: %s", stdout)
	}
	var names map[string]json.RawMessage
	if err := json.Unmarshal([]byte(stdout), &names); err != nil {
		d.Fatal(err)
	}
	want := []string{"closed", "complete", "incomplete", "opened", "records", "requests", "slices", "weight"}
	if got := slices.Sorted(maps.Keys(names)); !slices.Equal(got, want) || names["incomplete"][0] != '[' {
		d.Fatalf("the outcome has %v: %s", got, stdout)
	}
	return o
}

func TestCollectJSON(t *testing.T) {
	t.Parallel()
	d := newHarness(t, nil)
	first := d.outcomeOf(d.done(nil, "collect", "--json"))
	commissions := int64(len(d.sim.Ledger().Commissions))
	if !first.Complete || first.Records < commissions || first.Opened != first.Records || first.Closed != 0 || first.Slices == 0 || len(first.Incomplete) != 0 {
		t.Errorf("the first run: %+v", first)
	}
	if first.Requests < first.Slices || first.Weight < first.Requests {
		t.Errorf("what the first run cost: %+v", first)
	}
	again := d.outcomeOf(d.done(nil, "collect", "--json"))
	if !again.Complete || again.Opened+again.Closed != 0 || again.Records >= first.Records {
		t.Errorf("the second run: %+v", again)
	}
	since := (d.today() - 19).String()
	whole := d.outcomeOf(d.done(nil, "collect", "--json", "--since", since))
	if !whole.Complete || whole.Opened+whole.Closed != 0 || whole.Records < commissions {
		t.Errorf("everything again: %+v", whole)
	}
	if line := d.done(nil, "collect"); !strings.HasPrefix(line, "complete: ") || strings.Count(line, "\n") != 1 {
		t.Errorf("in words: %q", line)
	}
}

// The collector reads an exchange to the end even if its empty pages have no list or null
// in its place, in each of its envelopes.
func TestCollectEmptyPagesWithoutAList(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		version string
		rules   []simulator.FaultRule
	}{
		{"v2", []simulator.FaultRule{{Fault: simulator.NoList, Every: 2}, {Fault: simulator.NullList, Every: 1}}},
		{"v2", []simulator.FaultRule{{Fault: simulator.OldEnvelope, Every: 1}, {Fault: simulator.NoList, Every: 2}, {Fault: simulator.NullList, Every: 1}}},
		{"v3", []simulator.FaultRule{{Fault: simulator.NoList, Every: 2}, {Fault: simulator.NullList, Every: 1}}},
	} {
		d := newHarness(t, func(o *simulator.Options) { o.Records, o.Rules = 500, test.rules })
		env := []string{"REBATEDESK_HISTORY=400d", "REBATEDESK_API_VERSION=" + test.version}
		if status, stdout, stderr := d.run(t.Context(), env, "collect", "--json"); status != statusDone || !d.outcomeOf(stdout).Complete {
			t.Fatalf("%s: status %d, %s", test.version, status, stderr)
		}
		if n := d.sim.Stats().Faults; n[simulator.NoList] < 5 || n[simulator.NullList] < 5 {
			t.Errorf("%s: %v", test.version, n)
		}
		for kind, known := range map[string]int{"commissions": 14, "sub-affiliates": 7} {
			_, got := table(t, d.done(nil, "export", kind))
			_, want := table(t, fetch(t, d.sim.BaseURL+"/ledger/"+kind+".csv"))
			if kind == "commissions" { // codes are known as far back as invitees are
				got, want = blank(got, 4), blank(want, 4)
			}
			compare(t, test.version+" "+kind, counted(got, known), counted(want, known))
		}
	}
}

// rows returns the number of stored rows of a kind.
func (d *harness) rows(kind string) int {
	d.Helper()
	status, stdout, stderr := d.run(d.Context(), nil, "export", kind)
	if status != statusDone {
		d.Fatalf("export %s: %d, %s", kind, status, stderr)
	}
	return len(d.cells(stdout))
}

func TestCollectStreams(t *testing.T) {
	t.Parallel()
	d := newHarness(t, nil)
	d.done(nil, "collect", "--stream", "invitees")
	if c, i, s := d.rows("commissions"), d.rows("invitees"), d.rows("sub-affiliates"); c != 0 || i == 0 || s != 0 {
		t.Errorf("invitees alone: %d commissions, %d invitees, %d sub-affiliate days", c, i, s)
	}
	d.done(nil, "collect", "--stream", "commissions", "--stream", "sub-affiliates")
	if c, s := d.rows("commissions"), d.rows("sub-affiliates"); c != len(d.sim.Ledger().Commissions) || s == 0 {
		t.Errorf("the other two: %d commissions, %d sub-affiliate days", c, s)
	}
}

func TestCollectAccounts(t *testing.T) {
	t.Parallel()
	d := newHarness(t, nil)
	file := filepath.Join(t.TempDir(), "settings.toml")
	key := filepath.Join(filepath.Dir(file), "key")
	text := ""
	for _, name := range []string{"one", "two"} {
		text += "[[account]]\nname = \"" + name + "\"\nbase_url = \"" + d.sim.BaseURL + "\"\napi_key_file = \"" + key +
			"\"\napi_secret = \"" + d.sim.APISecret + "\"\napi_passphrase = \"" + d.sim.APIPassphrase + "\"\n"
	}
	for path, content := range map[string]string{file: text, key: d.sim.APIKey + "\n"} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d.env = []string{"REBATEDESK_DB=" + d.db, "REBATEDESK_HISTORY=20d", "REBATEDESK_RATE_BUDGET=1000000", "REBATEDESK_LOG_LEVEL=error"}
	d.done(nil, "collect", "--config", file, "--account", "two", "--stream", "commissions")
	all := len(d.sim.Ledger().Commissions)
	for _, row := range d.cells(d.done(nil, "export", "commissions")) {
		if row["account"] != "two" {
			t.Fatalf("a row of %s", row["account"])
		}
	}
	d.done(nil, "collect", "--config", file)
	if n := d.rows("commissions"); n != 2*all {
		t.Errorf("both accounts have %d rows, want %d", n, 2*all)
	}
	if status, _, stderr := d.run(t.Context(), nil, "collect", "--config", file, "--account", "three"); status != statusUsage || !strings.Contains(stderr, `--account "three"`) {
		t.Errorf("an unknown account: status %d, stderr %s", status, stderr)
	}
}

// A fault that no later call can repair fails the run. The run says what to do, writes
// nothing and shows no secret.
func TestCollectRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*simulator.Options)
		env    string
		says   string
	}{
		"key":           {nil, "REBATEDESK_API_KEY=mistyped-key", "REBATEDESK_API_KEY"},
		"secret":        {nil, "REBATEDESK_API_SECRET=mistyped-secret", "REBATEDESK_API_SECRET"},
		"passphrase":    {nil, "REBATEDESK_API_PASSPHRASE=mistyped-phrase", "REBATEDESK_API_PASSPHRASE"},
		"not affiliate": {func(o *simulator.Options) { o.NotAffiliate = true }, "REBATEDESK_ACCOUNT=main", "not an affiliate account"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newHarness(t, c.change)
			status, stdout, stderr := d.run(t.Context(), []string{c.env}, "collect", "--json")
			if status != statusFailed || !strings.Contains(stderr, c.says) || strings.Contains(stderr, "mistyped") || strings.Contains(stderr, d.sim.APISecret) {
				t.Errorf("status %d, stderr %s", status, stderr)
			}
			if o := d.outcomeOf(stdout); o.Complete || o.Records != 0 || o.Slices != 0 {
				t.Errorf("%+v", o)
			}
			for _, kind := range []string{"commissions", "invitees", "sub-affiliates", "daily"} {
				if n := d.rows(kind); n != 0 {
					t.Errorf("%d rows of %s", n, kind)
				}
			}
			st, err := store.Open(t.Context(), d.db, store.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer st.Close()
			reader, err := st.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer reader.Close()
			covered, err := records.Coverage(t.Context(), reader, "", affiliate.Days{Last: d.today()})
			if err != nil || slices.ContainsFunc(covered, func(c records.CoverageDay) bool { return c.Through.Known() }) {
				t.Errorf("days count as collected: %v, %v", covered, err)
			}
		})
	}
}

// If the exchange refuses one stream, the rest is collected. The run reports the stream with
// its days and the cause.
func TestCollectIncomplete(t *testing.T) {
	t.Parallel()
	d := newHarness(t, nil)
	target, err := url.Parse(d.sim.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	through := httputil.NewSingleHostReverseProxy(target)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/querySubChannelTransactions") {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"code":"40020","msg":"Parameter productType is invalid","data":null}`)
			return
		}
		through.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	env := []string{"REBATEDESK_BASE_URL=" + front.URL, "REBATEDESK_HISTORY=3d"}
	status, stdout, stderr := d.run(t.Context(), env, "collect", "--json")
	o := d.outcomeOf(stdout)
	if status != statusIncomplete || o.Complete || o.Slices == 0 || o.Records == 0 || len(o.Incomplete) == 0 {
		t.Fatalf("status %d, %+v, stderr %s", status, o, stderr)
	}
	if n := strings.Count(stderr, "\n"); n != len(o.Incomplete) {
		t.Errorf("%d lines for %d causes: %s", n, len(o.Incomplete), stderr)
	}
	days := map[string]int{}
	oldest := o.Incomplete[0].From // today may be complete just after midnight
	for _, i := range o.Incomplete {
		oldest = min(oldest, i.From)
		from, err := affiliate.ParseDay(i.From)
		if err != nil {
			t.Fatal(err)
		}
		to, err := affiliate.ParseDay(i.To)
		if err != nil {
			t.Fatal(err)
		}
		days[i.Product] += int(to-from) + 1
		if i.Account != "main" || i.Stream != "sub-affiliates" || !strings.Contains(i.Error, "40020") {
			t.Errorf("%+v", i)
		}
		if !strings.Contains(stderr, "sub-affiliates "+i.Product+" "+i.From+" to "+i.To+": ") {
			t.Errorf("not reported: %+v", i)
		}
	}
	if days["SPOT"] != 4 || days["FUTURES"] != 4 {
		t.Errorf("incomplete days: %v, want 4 of each product", days)
	}
	if status, _, stderr := d.run(t.Context(), env, "export", "sub-affiliates", "--from", oldest); status != statusDone || !strings.Contains(stderr, "40020") {
		t.Errorf("the export of it: status %d, stderr %s", status, stderr)
	}
}

// Only one process collects into a database. A second one reports this and changes nothing.
func TestSecondCollector(t *testing.T) {
	t.Parallel()
	d := newHarness(t, nil)
	st, err := store.Open(t.Context(), d.db, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	_, release, err := st.Lock(t.Context(), store.CollectorLease)
	if err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr := d.run(t.Context(), nil, "collect", "--json")
	if o := d.outcomeOf(stdout); status != statusFailed || o.Complete || o.Requests != 0 || !strings.Contains(stderr, "another process is collecting") {
		t.Errorf("status %d, %+v, stderr %s", status, o, stderr)
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	d.done(nil, "collect", "--stream", "invitees")
}

func TestCollectUsage(t *testing.T) {
	t.Parallel()
	d := newHarness(t, func(o *simulator.Options) { o.Days, o.Records, o.Invitees = 1, 0, 0 })
	for _, c := range []struct{ args, says string }{
		{"--since yesterday", `--since "yesterday"`},
		{"--since 1999-01-01", `--since "1999-01-01"`},
		{"--account nobody", `--account "nobody"`},
		{"--stream money", "--stream"},
		{"--history never", "HISTORY"},
		{"--rate-budget 0", "RATE_BUDGET"},
		{"now", "now"},
	} {
		status, stdout, stderr := d.run(t.Context(), nil, append([]string{"collect"}, strings.Fields(c.args)...)...)
		if status != statusUsage || stdout != "" || !strings.Contains(stderr, c.says) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, stdout %q, stderr %q", c.args, status, stdout, stderr)
		}
	}
	if _, err := os.Stat(d.db); err == nil {
		t.Error("a database was made")
	}
}
