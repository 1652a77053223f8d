package acceptance_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/xuri/excelize/v2"

	"rebatedesk/access"
	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/store"
	"rebatedesk/store/records"
	"rebatedesk/web"
)

// stored serves the real reports over the given number of records of one day, in two
// coins.
func stored(t *testing.T, rows int) (address string) {
	t.Helper()
	address, _ = serve(t, web.Options{Reports: openStored(t, copied(t, fmt.Sprint(rows, " records"), fillRecords(rows)))})
	return address
}

// openStored returns reports over a database.
func openStored(t testing.TB, path string) *reports.Service {
	t.Helper()
	st, err := store.Open(t.Context(), path, store.Options{Now: clockAtNow})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return reports.New(st, clockAtNow)
}

// fillRecords returns a function that writes the given number of records of one day, in
// two coins.
func fillRecords(rows int) func(t testing.TB, path string) {
	return func(t testing.TB, path string) {
		t.Helper()
		st, err := store.Open(t.Context(), path, store.Options{Now: clockAtNow})
		if err != nil {
			t.Fatal(err)
		}
		list := make([]affiliate.Commission, rows)
		for i := range list {
			coin := affiliate.Coin([]string{"USDT", "日本"}[i%2])
			list[i] = affiliate.Commission{DealTime: affiliate.MillisOf(now.Add(-time.Duration(i+1) * time.Second)), UID: "9223372036854775807",
				Product: affiliate.Spot, Symbol: "=1+1", Source: affiliate.Direct, Coin: coin, Fee: "1", Rate: "0.1",
				Commission: affiliate.Number(fmt.Sprintf("%d.000000000000000001", i))}
		}
		days := affiliate.Days{First: affiliate.DayOf(now, time.UTC) - 1, Last: affiliate.DayOf(now, time.UTC)}
		_, err = records.ReplaceCommissions(t.Context(), st, records.Slice{Account: "main", Days: days, Started: now, Through: affiliate.MillisOf(now),
			Stream: affiliate.Stream{Kind: affiliate.Commissions, Product: affiliate.Spot}}, list)
		if err := errors.Join(err, st.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// long is a number of records whose file exceeds the buffers of a connection to a client
// that does not read.
const long = 30_000

func longReports(t testing.TB) *reports.Service {
	t.Helper()
	return openStored(t, copied(t, fmt.Sprint(long, " records"), fillRecords(long)))
}

// torn returns long reports whose database has a destroyed page halfway through the
// records.
func torn(t testing.TB) *reports.Service {
	t.Helper()
	const page = 4096
	path := copied(t, fmt.Sprint(long, " records"), fillRecords(long))
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(content, fmt.Appendf(nil, "%d.000000000000000001", long/2))
	if at < 0 {
		t.Fatal("the database does not contain the record as text")
	}
	copy(content[at/page*page:], make([]byte, page))
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return openStored(t, path)
}

// download fetches a complete file with its trailers.
func download(t *testing.T, url string) (string, *http.Response) {
	t.Helper()
	a := get(t, url)
	if a.err != nil || a.StatusCode != 200 {
		t.Fatalf("%s: status %d, %v", url, a.StatusCode, a.err)
	}
	return a.body, a.Response
}

// All files of a page have the same rows in the same order. They state their sums in the
// trailers, and also in the file if its format allows it.
func TestFilesOfAPage(t *testing.T) {
	t.Parallel()
	const records = 2500
	address := stored(t, records)
	const query = "?range=7d&sort=-commission&product=SPOT"
	text, response := download(t, address+"/commissions.csv"+query)
	lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(lines) != records+1 {
		t.Fatalf("%d lines, %v", len(lines), err)
	}
	sums := map[string]decimal.Decimal{}
	for _, line := range lines[1:] {
		sums[line[8]] = sums[line[8]].Add(decimal.RequireFromString(line[13]))
	}
	checkTrailers(t, response, records, sums)

	book, response := download(t, address+"/commissions.xlsx"+query)
	checkTrailers(t, response, records, sums)
	file, err := excelize.OpenReader(strings.NewReader(book))
	if err != nil {
		t.Fatal(err)
	}
	cells, err := file.GetRows("commissions")
	if err != nil {
		t.Fatal(err)
	}
	document, response := download(t, address+"/commissions.json"+query)
	checkTrailers(t, response, records, sums)
	var object struct {
		Rows  []map[string]any
		Count int              `json:"row_count"`
		Sums  []map[string]any `json:"sums"`
	}
	if err := json.Unmarshal([]byte(document), &object); err != nil || object.Count != records {
		t.Fatalf("the file states %d rows, %v", object.Count, err)
	}
	for i, line := range lines[1:] {
		if line[3] != cells[i+1][3] || line[13] != cells[i+1][13] || line[13] != object.Rows[i]["commission"] || cells[i+1][6] != "=1+1" || line[6] != "'=1+1" {
			t.Fatalf("row %d is %v, %v and %v", i+1, line, cells[i+1], object.Rows[i])
		}
	}
	for _, said := range object.Sums {
		coin := fmt.Sprint(said["coin"])
		if !sums[coin].Equal(decimal.RequireFromString(fmt.Sprint(said["commission"]))) {
			t.Errorf("the file states the sum of %s as %v, want %s", coin, said["commission"], sums[coin])
		}
	}
	if name := response.Header.Get("Content-Disposition"); !strings.Contains(name, `"incomplete-commissions_`) || !strings.Contains(name, "UTC.json") {
		t.Errorf("only half of the products are collected, and the file is named %s", name)
	}
}

func checkTrailers(t *testing.T, response *http.Response, records int, sums map[string]decimal.Decimal) {
	t.Helper()
	if got := response.Trailer.Get("X-Export-Rows"); got != fmt.Sprint(records) {
		t.Errorf("%s: the trailers state %q rows", response.Request.URL.Path, got)
	}
	var said []map[string]any
	if err := json.Unmarshal([]byte(response.Trailer.Get("X-Export-Sums")), &said); err != nil || len(said) != len(sums) {
		t.Fatalf("%s: the trailers state %v, %v", response.Request.URL.Path, response.Trailer, err)
	}
	for _, s := range said {
		coin := fmt.Sprint(s["coin"])
		if want, known := sums[coin]; !known || !want.Equal(decimal.RequireFromString(fmt.Sprint(s["commission"]))) {
			t.Errorf("%s: the trailers state %v, want %s", response.Request.URL.Path, s, want)
		}
	}
}

// A client that disconnects while it receives a workbook leaves no file behind and frees
// its place.
func TestAbortedWorkbooks(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	address := stored(t, 4000)
	for range 12 { // twice as many as the server writes at once
		conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write([]byte("GET /commissions.xlsx HTTP/1.1\r\nHost: localhost\r\nCookie: " + signedIn(t, access.Manager) + "\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
	}
	// The server may notice some disconnections late, so a place can become free after
	// the first workbook was sent.
	deadline := time.Now().Add(patience)
	for {
		response := send(t, "GET", address+"/commissions.xlsx?range=7d")
		left, err := filepath.Glob(filepath.Join(temporary, "rebatedesk-xlsx-*"))
		if err != nil {
			t.Fatal(err)
		}
		if response.StatusCode == 200 && len(left) == 0 {
			if !strings.HasPrefix(response.body, "PK") {
				t.Error("no workbook was sent after those that were given up")
			}
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("status %d; files left behind: %v", response.StatusCode, left)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// API clients receive the error about an invalid query as JSON.
func TestFilesOfInvalidQueries(t *testing.T) {
	t.Parallel()
	address := stored(t, 1)
	var said []string
	for _, ending := range []string{".csv", ".xlsx", ".json"} {
		a := get(t, address+"/commissions"+ending+"?range=forever")
		if a.StatusCode != 400 || !json.Valid([]byte(a.body)) || a.Header.Get("Content-Disposition") != "" || a.Header.Get("Trailer") != "" {
			t.Errorf("%s: status %d, %v, %s", ending, a.StatusCode, a.Header, a.body)
		}
		said = append(said, regexp.MustCompile(`"instance":"[^"]*"`).ReplaceAllString(a.body, ""))
	}
	if slices.Contains(said, "") || said[0] != said[1] {
		t.Errorf("the answers differ: %v", said)
	}
}
