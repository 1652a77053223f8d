package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"rebatedesk/affiliate"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/reports"
	"rebatedesk/reports/export"
)

// harness is a simulated exchange in this process, with the settings of a program that
// collects from it.
type harness struct {
	testing.TB
	sim *simulator.Server
	env []string
	db  string
	now func() time.Time // of the exchange and of the program
}

// harnessStart is the instant at which the clock of a harness begins, a Wednesday. No figure
// of a test may depend on the hour or the date of its run.
var harnessStart = time.Date(2026, time.November, 18, 12, 0, 0, 0, time.UTC)

// clockFrom returns a clock that runs on from an instant.
func clockFrom(start time.Time) func() time.Time {
	began := time.Now()
	return func() time.Time { return start.Add(time.Since(began)) }
}

// atWallClock sets the simulator's clock for programs that run as separate processes.
func atWallClock(o *simulator.Options) { o.Now = time.Now }

// opensAt starts the simulator's clock at the given instant, for tests of a certain hour.
func opensAt(start time.Time) func(*simulator.Options) {
	return func(o *simulator.Options) { o.Now = clockFrom(start) }
}

// today returns the day of the harness, in UTC.
func (d *harness) today() affiliate.Day { return affiliate.DayOf(d.now(), time.UTC) }

// newHarness returns a harness with twenty days of a small programme.
func newHarness(t testing.TB, change func(*simulator.Options)) *harness {
	t.Helper()
	options := simulator.Options{Seed: 5, Days: 20, Invitees: 40, Records: 250, RateLimit: -1, Now: clockFrom(harnessStart)}
	if change != nil {
		change(&options)
	}
	sim, err := simulator.Listen("127.0.0.1:0", options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sim.Close(); err != nil {
			t.Error(err)
		}
	})
	db := filepath.Join(t.TempDir(), "desk.db")
	return &harness{TB: t, sim: sim, db: db, now: options.Now, env: []string{
		"REBATEDESK_DB=" + db, "REBATEDESK_HISTORY=20d", "REBATEDESK_RATE_BUDGET=1000000", "REBATEDESK_LOG_LEVEL=error",
		"REBATEDESK_BASE_URL=" + sim.BaseURL, "REBATEDESK_API_KEY=" + sim.APIKey,
		"REBATEDESK_API_SECRET=" + sim.APISecret, "REBATEDESK_API_PASSPHRASE=" + sim.APIPassphrase,
	}}
}

// readOnly returns a harness that has collected, for tests that only export. They start
// from copies of one database.
func readOnly(t testing.TB) *harness {
	t.Helper()
	shared.once.Do(func() {
		d := newHarness(t, nil)
		d.done(nil, "collect")
		shared.now = d.now
		shared.database = contents(t, d.db) // closed, so no other files belong to it
		shared.ledger = map[string]string{}
		for _, kind := range []string{"commissions", "invitees", "sub-affiliates"} {
			shared.ledger[kind] = fetch(t, d.sim.BaseURL+"/ledger/"+kind+".csv")
		}
	})
	d := &harness{TB: t, db: filepath.Join(t.TempDir(), "desk.db"), now: shared.now}
	d.env = []string{"REBATEDESK_DB=" + d.db, "REBATEDESK_LOG_LEVEL=error"}
	if err := os.WriteFile(d.db, []byte(shared.database), 0o600); err != nil {
		t.Fatal(err)
	}
	return d
}

var shared struct {
	once     sync.Once
	now      func() time.Time
	database string
	ledger   map[string]string // truth by kind, as CSV
}

// run runs a command line with the settings of the harness; the given ones override them.
func (d *harness) run(ctx context.Context, env []string, args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	p := &program{environ: slices.Concat(d.env, env), stdin: strings.NewReader(""), stdout: &out, stderr: &errs, now: d.now}
	status = p.runs(ctx, args)
	return status, out.String(), errs.String()
}

// done runs a command line that must succeed without output on stderr.
func (d *harness) done(env []string, args ...string) string {
	d.Helper()
	status, stdout, stderr := d.run(d.Context(), env, args...)
	if status != statusDone || stderr != "" {
		d.Fatalf("%v: status %d, stderr %s", args, status, stderr)
	}
	return stdout
}

// cells returns the rows of an export as cells by column name.
func (d *harness) cells(text string) []map[string]string {
	d.Helper()
	header, rows := table(d, text)
	var list []map[string]string
	for _, row := range rows {
		cells := map[string]string{}
		for i, name := range header {
			cells[name] = row[i]
		}
		list = append(list, cells)
	}
	return list
}

func counted(rows [][]string, columns int) map[string]int {
	count := map[string]int{}
	for _, row := range rows {
		count[strings.Join(row[:columns], ",")]++
	}
	return count
}

// Every kind of export equals the exchange's own ledger.
func TestExportKinds(t *testing.T) {
	t.Parallel()
	d := readOnly(t)
	_, truth := table(t, shared.ledger["commissions"])
	for _, c := range []struct {
		kind, header string
		known        int // number of columns that the ledger has too
		order        string
	}{
		{"commissions", "deal_time_utc,deal_time_ms,account,uid,invite_code,product_type,symbol,source_type,coin,taker_amount,maker_amount,fee,rate,commission,first_seen_utc" + laterColumns() + ",exchange,grain,until_utc", 14, "deal_time_utc"},
		{"invitees", "account,uid,invite_code,register_time_utc,kyc,first_deposit_utc,first_trade_utc,last_deposit_utc,last_trade_utc,first_seen_utc,last_seen_utc,state,days_silent,usual_gap_days,lifetime_commission,coin,at_risk,name,tags", 9, "register_time_utc"},
		{"sub-affiliates", "account,sub_affiliate_uid,product_type,date,trading_volume,net_trading_fee,paid_commission", 7, "date"},
		{"daily", "date,account,product_type,coin,source_type,records,fee,commission,taker_amount,maker_amount", 10, "date"},
	} {
		text := d.done(nil, "export", c.kind)
		if line, _, _ := strings.Cut(text, "\r\n"); line != c.header {
			t.Errorf("%s: the columns are %s", c.kind, line)
		}
		if strings.Count(text, "\n") != strings.Count(text, "\r\n") {
			t.Errorf("%s: not every line ends in CRLF", c.kind)
		}
		_, rows := table(t, text)
		var want map[string]int
		if c.kind == "daily" {
			want = sumsByDay(t, truth)
		} else {
			_, ledger := table(t, shared.ledger[c.kind])
			if c.kind == "invitees" { // users who registered before the history are not collected
				ledger = slices.DeleteFunc(ledger, func(r []string) bool { return r[3] < (d.today() - 20).String() })
			}
			if c.kind == "commissions" { // nor are their codes
				rows, ledger = blank(rows, 4), blank(ledger, 4)
			}
			want = counted(ledger, c.known)
		}
		compare(t, c.kind, counted(rows, c.known), want)
		cells := d.cells(text)
		if len(cells) == 0 || !slices.IsSortedFunc(cells, func(a, b map[string]string) int { return strings.Compare(a[c.order], b[c.order]) }) {
			t.Errorf("%s: %d rows, not oldest first", c.kind, len(cells))
		}
		for _, row := range cells {
			if row["account"] != "main" {
				t.Fatalf("%s: a row of the account %q", c.kind, row["account"])
			}
		}
		checkFormats(t, d, c.kind, len(cells))
	}
}

// The command offers each kind that deliveries offer, and the people file.
func TestExportOffersAllKinds(t *testing.T) {
	t.Parallel()
	field, _ := reflect.TypeFor[exportCommand]().FieldByName("Kind")
	offered := strings.Split(field.Tag.Get("enum"), ",")
	for _, kind := range reports.ExportKinds() {
		if !slices.Contains(offered, kind.Name) {
			t.Errorf("the command does not offer %s", kind)
		}
	}
	if len(offered) != len(reports.ExportKinds())+1 {
		t.Errorf("the command offers %q", offered)
	}
}

// An invitee's lifetime commission equals the exchange's own ledger, in the coin of most of
// its records and never across coins.
func TestExportInviteesLifetime(t *testing.T) {
	t.Parallel()
	d := readOnly(t)
	records, sums := map[string]map[string]int{}, map[string]map[string]*big.Rat{}
	for _, row := range d.cells(shared.ledger["commissions"]) {
		uid, coin := row["uid"], row["coin"]
		if records[uid] == nil {
			records[uid], sums[uid] = map[string]int{}, map[string]*big.Rat{}
		}
		if sums[uid][coin] == nil {
			sums[uid][coin] = new(big.Rat)
		}
		amount, ok := new(big.Rat).SetString(row["commission"])
		if !ok {
			t.Fatalf("the ledger has %v", row)
		}
		records[uid][coin]++
		sums[uid][coin].Add(sums[uid][coin], amount)
	}
	traded := 0
	for _, row := range d.cells(d.done(nil, "export", "invitees")) {
		coin, want := "", new(big.Rat)
		for of, n := range records[row["uid"]] {
			if m := records[row["uid"]][coin]; n > m || n == m && of < coin {
				coin, want = of, sums[row["uid"]][of]
			}
		}
		if coin == "" { // without a record it has no amount and no coin
			if row["lifetime_commission"] != "" || row["coin"] != "" {
				t.Errorf("%v, without any record", row)
			}
			continue
		}
		if got, ok := new(big.Rat).SetString(row["lifetime_commission"]); !ok || row["coin"] != coin || got.Cmp(want) != 0 {
			t.Errorf("%v, want %s %s", row, want.FloatString(12), coin)
		}
		traded++
	}
	if traded < 5 {
		t.Errorf("only %d invitees traded", traded)
	}
}

// blank returns the rows with one column empty.
func blank(rows [][]string, column int) [][]string {
	for _, row := range rows {
		row[column] = ""
	}
	return rows
}

func checkFormats(t *testing.T, d *harness, kind string, rows int) {
	t.Helper()
	var document struct {
		Rows  []map[string]any
		Count int `json:"row_count"`
	}
	if err := json.Unmarshal([]byte(d.done(nil, "export", kind, "--format", "json")), &document); err != nil || len(document.Rows) != rows || document.Count != rows {
		t.Errorf("%s as JSON: %d objects, the summary says %d, %v; want %d", kind, len(document.Rows), document.Count, err, rows)
	}
	lines := d.done(nil, "export", kind, "--format=jsonl")
	if n := strings.Count(lines, "\n"); n != rows {
		t.Errorf("%s as JSON lines: %d, want %d", kind, n, rows)
	}
	for line := range strings.Lines(lines) {
		if !json.Valid([]byte(line)) {
			t.Fatalf("%s: %s", kind, line)
		}
	}
}

// A filter keeps exactly the rows that have the value.
func TestExportFilters(t *testing.T) {
	t.Parallel()
	d := readOnly(t)
	for kind, filters := range map[string]map[string]string{
		"commissions":    {"--product": "product_type", "--coin": "coin", "--uid": "uid", "--symbol": "symbol", "--source": "source_type", "--code": "invite_code", "--account": "account"},
		"daily":          {"--product": "product_type", "--coin": "coin", "--source": "source_type", "--account": "account"},
		"invitees":       {"--uid": "uid", "--code": "invite_code", "--account": "account"},
		"sub-affiliates": {"--product": "product_type", "--uid": "sub_affiliate_uid", "--account": "account"},
	} {
		all := d.cells(d.done(nil, "export", kind))
		for flag, column := range filters {
			value := ""
			for _, row := range all {
				value = max(value, row[column])
			}
			want := slices.DeleteFunc(slices.Clone(all), func(row map[string]string) bool { return row[column] != value })
			status, stdout, stderr := d.run(t.Context(), nil, "export", kind, flag, value)
			got := d.cells(stdout)
			// The codes of records are known only as far back as the invitees.
			if unsure := kind == "commissions" && flag == "--code"; status != statusDone || unsure != strings.Contains(stderr, "missing invitees") || unsure != (stderr != "") {
				t.Errorf("%s %s %s: status %d, stderr %s", kind, flag, value, status, stderr)
			}
			if len(got) != len(want) || len(want) == 0 {
				t.Errorf("%s %s %s: %d rows, want %d", kind, flag, value, len(got), len(want))
				continue
			}
			for i := range got {
				for name := range got[i] {
					if got[i][name] != want[i][name] {
						t.Errorf("%s %s %s: row %d has %s %q, want %q", kind, flag, value, i+1, name, got[i][name], want[i][name])
					}
				}
			}
		}
	}
}

// Days are days of TIMEZONE.
func TestExportDays(t *testing.T) {
	t.Parallel()
	d := readOnly(t)
	all := d.cells(d.done(nil, "export", "commissions"))
	for _, name := range []string{"Asia/Tokyo", "America/Los_Angeles"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		last := affiliate.DayOf(d.now(), zone) - 5
		first := last - 6
		span := affiliate.Days{First: first, Last: last}.Range(zone)
		env := []string{"REBATEDESK_TIMEZONE=" + name}
		var want []map[string]string
		records := map[string]int64{}
		for _, row := range all {
			ms, err := strconv.ParseInt(row["deal_time_ms"], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			if span.Contains(affiliate.Millis(ms)) {
				want = append(want, row)
				records[time.UnixMilli(ms).In(zone).Format(time.DateOnly)]++
			}
		}
		got := d.cells(d.done(env, "export", "commissions", "--from", first.String(), "--to", last.String()))
		if len(got) != len(want) || len(want) == 0 || got[0]["deal_time_utc"] != want[0]["deal_time_utc"] || got[len(got)-1]["deal_time_utc"] != want[len(want)-1]["deal_time_utc"] {
			t.Errorf("%s: %d rows, want %d", name, len(got), len(want))
		}
		for _, row := range d.cells(d.done(env, "export", "daily", "--from", first.String(), "--to", last.String())) {
			n, err := strconv.ParseInt(row["records"], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			records[row["date"]] -= n
		}
		for day, left := range records {
			if left != 0 {
				t.Errorf("%s: daily lacks %d records of %s", name, left, day)
			}
		}
		_, rest, _ := d.run(t.Context(), env, "export", "commissions", "--to", (first - 1).String())
		if rest := d.cells(rest); len(rest) == 0 || rest[len(rest)-1]["deal_time_utc"] >= want[0]["deal_time_utc"] {
			t.Errorf("%s: up to the day before there are %d rows", name, len(rest))
		}
	}
}

func TestExportAsOf(t *testing.T) {
	t.Parallel()
	d := newHarness(t, nil)
	d.done(nil, "collect")
	before := map[string]string{}
	for _, kind := range []string{"commissions", "daily", "invitees", "sub-affiliates"} {
		before[kind] = d.done(nil, "export", kind)
	}
	asOf := d.now().UTC().Format(time.RFC3339Nano)
	time.Sleep(2 * time.Millisecond) // records written from here on have a later stamp
	first := d.sim.Ledger().Commissions[0]
	if n := d.sim.Revise(func(c affiliate.Commission) bool { return c == first }, func(c *affiliate.Commission) { c.Commission = "123456.789" }); n == 0 {
		t.Fatal("nothing was revised")
	}
	from := (d.today() - 20).String() // the whole history, even just after midnight
	d.done(nil, "collect", "--since", from)
	if now := d.done(nil, "export", "commissions"); now == before["commissions"] || !strings.Contains(now, "123456.789") {
		t.Error("the revision was not collected")
	}
	for kind, text := range before {
		if got := d.done(nil, "export", kind, "--from", from, "--as-of", asOf); got != text {
			t.Errorf("%s as of %s is not what was exported then", kind, asOf)
		}
	}
	status, stdout, stderr := d.run(t.Context(), nil, "export", "commissions", "--from", from, "--as-of", "2026-01-01T00:00:00Z")
	if _, rows := table(t, stdout); status != statusDone || len(rows) != 0 || !strings.HasPrefix(stderr, "webapp: warning: ") {
		t.Errorf("before anything was collected: status %d, %d rows, stderr %s", status, len(rows), stderr)
	}
}

// An export leaves either a complete file or none.
func TestExportFiles(t *testing.T) {
	t.Parallel()
	d := readOnly(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "out.csv")
	if err := os.WriteFile(file, []byte("older"), 0o600); err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if status, _, _ := d.run(cancelled, nil, "export", "commissions", "-o", file); status != statusFailed || contents(t, file) != "older" {
		t.Errorf("a cancelled export: status %d, the file has %d bytes", status, len(contents(t, file)))
	}
	want := d.done(nil, "export", "commissions")
	if out := d.done(nil, "export", "commissions", "-o", file); out != "" || contents(t, file) != want {
		t.Errorf("%d bytes on stdout, %d in the file, want %d", len(out), len(contents(t, file)), len(want))
	}
	day := d.today()
	d.done([]string{"REBATEDESK_TIMEZONE=Asia/Tokyo"}, "export", "daily", "--from", (day - 5).String(), "--to", (day - 3).String(), "--format", "jsonl", "-o", dir)
	var names []string
	for _, entry := range entries(t, dir) {
		names = append(names, entry.Name())
	}
	if got := strings.Join(names, " "); got != "daily_"+(day-5).String()+"_"+(day-3).String()+"_Asia-Tokyo.jsonl out.csv" {
		t.Errorf("the folder has %s", got)
	}
	if status, _, stderr := d.run(t.Context(), nil, "export", "daily", "-o", filepath.Join(dir, "none", "x.csv")); status != statusFailed || !strings.Contains(stderr, "none") {
		t.Errorf("into a folder that is not there: status %d, stderr %s", status, stderr)
	}
}

// An export writes into a target that is not a regular file, and does not replace it.
func TestExportIntoAPipe(t *testing.T) {
	t.Parallel()
	d := readOnly(t)
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	read := make(chan string, 1)
	go func() {
		text, err := os.ReadFile(pipe)
		if err != nil {
			t.Error(err)
		}
		read <- string(text)
	}()
	d.done(nil, "export", "daily", "-o", pipe)
	select {
	case text := <-read:
		if text != d.done(nil, "export", "daily") {
			t.Errorf("%d bytes came through", len(text))
		}
	case <-time.After(time.Minute):
		t.Error("nothing came through: the pipe was replaced")
	}
}

func contents(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func entries(t testing.TB, dir string) []os.DirEntry {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// The manifest matches the file next to it.
func TestExportManifest(t *testing.T) {
	t.Parallel()
	d := readOnly(t)
	dir := t.TempDir()
	file, note := filepath.Join(dir, "c.csv"), filepath.Join(dir, "c.json")
	for _, kind := range []string{"commissions", "daily", "invitees"} {
		args := []string{"export", kind, "-o", file, "--manifest", note}
		if kind == "commissions" {
			args = append(args, "--product", "FUTURES", "--q") // --q is no flag of the command
			if status, _, stderr := d.run(t.Context(), nil, args...); status != statusUsage || !strings.Contains(stderr, "--q") {
				t.Errorf("--q: status %d, stderr %s", status, stderr)
			}
			args = args[:len(args)-1]
		}
		d.done(nil, args...)
		var m writtenManifest
		decoder := json.NewDecoder(strings.NewReader(contents(t, note)))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&m); err != nil {
			t.Fatal(err)
		}
		text := contents(t, file)
		sum := sha256.Sum256([]byte(text))
		cells := d.cells(text)
		if m.SHA256 != hex.EncodeToString(sum[:]) || m.Bytes != int64(len(text)) || m.Rows != int64(len(cells)) || string(m.Kind) != kind || m.Format != "csv" {
			t.Errorf("%s: %+v", kind, m)
		}
		if !m.Complete || m.Timezone != "UTC" || m.To != d.today().String() || m.Collected != m.Days || m.Days == 0 {
			t.Errorf("%s: %+v", kind, m)
		}
		if filters, err := url.ParseQuery(m.Filters); err != nil || kind == "commissions" && filters.Encode() != "product=FUTURES" || kind != "commissions" && m.Filters != "" {
			t.Errorf("%s: the filters are %q", kind, m.Filters)
		}
		checkManifestSums(t, kind, m, cells)
	}
}

// writtenManifest returns a manifest as another program reads it.
type writtenManifest struct {
	export.Metadata
	Format string           `json:"format"`
	Rows   int64            `json:"rows"`
	Sums   []map[string]any `json:"sums"`
	Bytes  int64            `json:"bytes"`
	SHA256 string           `json:"sha256"`
}

func checkManifestSums(t *testing.T, kind string, m writtenManifest, cells []map[string]string) {
	t.Helper()
	columns := []string{"fee", "commission", "taker_amount", "maker_amount"}
	if kind == "invitees" {
		columns = []string{"lifetime_commission", "at_risk"}
	}
	coins := map[string]bool{}
	for _, row := range cells {
		coins[row["coin"]] = true
	}
	if len(coins) != len(m.Sums) {
		t.Errorf("%s: sums of %d coins, want %d", kind, len(m.Sums), len(coins))
	}
	for _, s := range m.Sums {
		for _, column := range columns {
			total := new(big.Rat)
			for _, row := range cells {
				if n, ok := new(big.Rat).SetString(row[column]); ok && row["coin"] == s["coin"] {
					total.Add(total, n)
				}
			}
			said, _ := s[column].(string)
			if got, ok := new(big.Rat).SetString(said); !ok || got.Cmp(total) != 0 {
				t.Errorf("%s: the %s of %s is %s, want %s", kind, column, s["coin"], said, total.FloatString(18))
			}
		}
	}
}

// Every kind can be exported as a workbook, to stdout or to a file, with the rows of the CSV
// in the same order.
func TestExportWorkbooks(t *testing.T) {
	t.Parallel()
	d := readOnly(t)
	for _, kind := range []string{"commissions", "invitees", "sub-affiliates", "daily"} {
		header, rows := table(t, d.done(nil, "export", kind))
		file := filepath.Join(t.TempDir(), "out.xlsx")
		d.done(nil, "export", kind, "--format", "xlsx", "-o", file)
		info, err := os.Stat(file)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: the file is %v, %v", kind, info, err)
		}
		for where, content := range map[string]string{"file": contents(t, file), "stdout": d.done(nil, "export", kind, "--format", "xlsx")} {
			book, err := excelize.OpenReader(strings.NewReader(content))
			if err != nil {
				t.Fatalf("%s from %s: %v", kind, where, err)
			}
			cells, err := book.GetRows(kind)
			if err != nil || len(cells) != len(rows)+1 || !slices.Equal(cells[0], header) {
				t.Fatalf("%s from %s: %d rows, want %d, %v", kind, where, len(cells), len(rows), err)
			}
			for i, row := range rows {
				uid := slices.IndexFunc(header, func(name string) bool { return strings.HasSuffix(name, "uid") })
				if uid >= 0 && cells[i+1][uid] != row[uid] {
					t.Errorf("%s from %s: row %d is of %s, want %s", kind, where, i+1, cells[i+1][uid], row[uid])
				}
			}
		}
	}
}

// A range that is not fully collected is exported as far as it is known, and reported as
// incomplete.
func TestExportIncomplete(t *testing.T) {
	t.Parallel()
	d := newHarness(t, nil)
	d.done([]string{"REBATEDESK_HISTORY=5d"}, "collect")
	dir := t.TempDir()
	day := d.today()
	status, stdout, stderr := d.run(t.Context(), nil, "export", "commissions", "--from", (day - 20).String(), "-o", dir, "--manifest", filepath.Join(dir, "m.json"))
	if status != statusDone || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "webapp: warning: ") ||
		!strings.Contains(stderr, "6 of 21 days") || !strings.Contains(stderr, "missing commissions SPOT "+(day-20).String()+" to "+(day-6).String()) {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
	name := filepath.Join(dir, "incomplete-commissions_"+(day-20).String()+"_"+day.String()+"_UTC.csv")
	if _, rows := table(t, contents(t, name)); len(rows) == 0 {
		t.Error("what is there was not exported")
	}
	if m := contents(t, filepath.Join(dir, "m.json")); !strings.Contains(m, `"complete": false`) {
		t.Errorf("the manifest: %s", m)
	}
}

func TestExportWithoutDatabase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, kind := range []string{"commissions", "daily"} {
		status, stdout, stderr := webapp(t.Context(), "export", kind, "--db", filepath.Join(dir, "none.db"), "-o", filepath.Join(dir, "out.csv"))
		if status != statusFailed || stdout != "" || !strings.Contains(stderr, "none.db") || !strings.Contains(stderr, "webapp collect") {
			t.Errorf("%s: status %d, stdout %q, stderr %q", kind, status, stdout, stderr)
		}
	}
	if list := entries(t, dir); len(list) != 0 {
		t.Errorf("files were made: %v", list)
	}
}

// The error names the wrong value, and nothing is written.
func TestExportUsage(t *testing.T) {
	t.Parallel()
	d := newHarness(t, func(o *simulator.Options) { o.Days, o.Records, o.Invitees = 2, 5, 2 })
	d.done([]string{"REBATEDESK_HISTORY=2d"}, "collect")
	out := filepath.Join(t.TempDir(), "out.csv")
	for _, c := range []struct{ args, says string }{
		{"export", "<kind>"},
		{"export money", "money"},
		{"export commissions --from 1.9.2026", `from="1.9.2026"`},
		{"export commissions --to 2026-02-30", `to="2026-02-30"`},
		{"export commissions --from 2026-09-02 --to 2026-09-01", `from="2026-09-02"`},
		{"export commissions --account nobody", `account="nobody": there is no such account; the accounts are main`},
		{"export commissions --product OPTIONS", `product="OPTIONS": is none of SPOT, FUTURES`},
		{"export commissions --coin a\x1bb", `coin="a`},
		{"export commissions --uid 1'2", `uid="1'2"`},
		{"export commissions --source indirect", `source="indirect"`},
		{"export commissions --as-of yesterday", `as-of="yesterday"`},
		{"export commissions --format pdf", "--format"},
		{"export commissions --format XLSX", "--format"},
		{"export invitees --coin USDT", `coin="USDT": does not apply to an export of invitees`},
		{"export sub-affiliates --code x", `code="x": does not apply to an export of sub-affiliates`},
		{"export daily --timezone Mars/Olympus", "TIMEZONE"},
	} {
		status, stdout, stderr := d.run(t.Context(), nil, append(strings.Fields(c.args), "-o", out)...)
		if status != statusUsage || stdout != "" || !strings.Contains(stderr, c.says) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d, stdout %q, stderr %q", c.args, status, stdout, stderr)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a file was made")
	}
}

// laterColumns are the columns of fields of commissions that came after the export had become fixed.
func laterColumns() (columns string) {
	for _, f := range affiliate.CommissionFields.After("commission") {
		columns += "," + f.Column
	}
	return columns
}
