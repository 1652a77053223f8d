package money_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/xuri/excelize/v2"

	"rebatedesk/acceptance/site"
	"rebatedesk/access"
	"rebatedesk/reports"
	"rebatedesk/web"
)

// stored serves the real reports over the given number of records of one day, in two
// coins.
func stored(t *testing.T, rows int) (address string) {
	t.Helper()
	address, _ = site.Serve(t, web.Options{Reports: site.OpenStored(t, site.Copied(t, fmt.Sprint(rows, " records"), site.FillRecords(rows)))})
	return address
}

func longReports(t testing.TB) *reports.Service {
	t.Helper()
	return site.OpenStored(t, site.Copied(t, fmt.Sprint(site.Long, " records"), site.FillRecords(site.Long)))
}

// download fetches a complete file with its trailers.
func download(t *testing.T, url string) (string, *http.Response) {
	t.Helper()
	a := site.Get(t, url)
	if a.Err != nil || a.StatusCode != 200 {
		t.Fatalf("%s: status %d, %v", url, a.StatusCode, a.Err)
	}
	return a.Body, a.Response
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
		if _, err := conn.Write([]byte("GET /commissions.xlsx HTTP/1.1\r\nHost: localhost\r\nCookie: " + site.SignedIn(t, access.Manager) + "\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
	}
	// The server may notice some disconnections late, so a place can become free after
	// the first workbook was sent.
	deadline := time.Now().Add(site.Patience)
	for {
		response := site.Send(t, "GET", address+"/commissions.xlsx?range=7d")
		left, err := filepath.Glob(filepath.Join(temporary, "rebatedesk-xlsx-*"))
		if err != nil {
			t.Fatal(err)
		}
		if response.StatusCode == 200 && len(left) == 0 {
			if !strings.HasPrefix(response.Body, "PK") {
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
		a := site.Get(t, address+"/commissions"+ending+"?range=forever")
		if a.StatusCode != 400 || !json.Valid([]byte(a.Body)) || a.Header.Get("Content-Disposition") != "" || a.Header.Get("Trailer") != "" {
			t.Errorf("%s: status %d, %v, %s", ending, a.StatusCode, a.Header, a.Body)
		}
		said = append(said, regexp.MustCompile(`"instance":"[^"]*"`).ReplaceAllString(a.Body, ""))
	}
	if slices.Contains(said, "") || said[0] != said[1] {
		t.Errorf("the answers differ: %v", said)
	}
}
