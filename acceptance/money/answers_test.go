package money_test

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/acceptance/site"
	"rebatedesk/affiliate"
	"rebatedesk/reports"
	"rebatedesk/store"
	fingerprints "rebatedesk/store/received"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/web"
)

// The page of a run has the fingerprints of the exchange's answers, and managers download those
// that are kept, whose files have that fingerprint.
func TestAnswersOfARun(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, store.Options{})
	run, err := records.StartRun(t.Context(), s, "main", "test")
	storetest.Done(t, err)
	bodies := []string{`{"code":"200","data":"first & last"}`, "", "\x00odd"}
	for _, days := range []int{0, 30} {
		recorder, err := fingerprints.NewRecorder(days)
		storetest.Done(t, err)
		for _, body := range bodies {
			recorder.Take("GET /list?from=1&to=2", []byte(body), time.UnixMilli(1_780_000_000_000), 1_780_000_001_000)
		}
		slice := storetest.DaySlice(affiliate.Days{First: storetest.Day, Last: storetest.Day})
		slice.Run = run
		slice.Answers, err = recorder.Answers()
		storetest.Done(t, err)
		storetest.Replace(t, s, slice, storetest.Record(1, "1"))
	}
	address, _ := site.Serve(t, web.Options{Reports: reports.New(s, time.Now)})
	if list := site.Get(t, address+"/collection").Body; !strings.Contains(list, `href="/collection/runs/1"`) {
		t.Error("the list of runs does not lead to the run")
	}
	page := site.Get(t, address+"/collection/runs/1")
	file := site.Get(t, address+"/collection/slices/2/answers.zip")
	archive, err := zip.NewReader(strings.NewReader(file.Body), int64(len(file.Body)))
	if err != nil {
		t.Fatalf("status %d: %v", file.StatusCode, err)
	}
	content, h := map[string]string{}, sha256.New()
	for _, member := range archive.File {
		r, err := member.Open()
		storetest.Done(t, err)
		text, err := io.ReadAll(r)
		storetest.Done(t, err)
		content[member.Name] = string(text)
		if strings.HasSuffix(member.Name, ".json") {
			h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(text))))
			h.Write(text)
		}
	}
	print := hex.EncodeToString(h.Sum(nil))
	if got := []string{content["00001.json"], content["00002.json"], content["00003.json"]}; !slices.Equal(got, bodies) || content["fingerprint.sha256"] != print+"\n" {
		t.Errorf("the file has %q, its bodies the fingerprint %s", content, print)
	}
	if lines := strings.Split(content["index.jsonl"], "\n"); len(lines) != 4 ||
		lines[0] != `{"file":"00001.json","request":"GET /list?from=1&to=2","received_ms":1780000000000,"exchange_ms":1780000001000,"bytes":36}` {
		t.Errorf("index %q", lines)
	}
	for what, want := range map[string]int{print: 2, "/collection/slices/2/answers.zip": 1, "/collection/slices/1/answers.zip": 0, "6 answers with 80 bytes": 1} {
		if got := strings.Count(page.Body, what); got != want {
			t.Errorf("status %d: the page has %q %d times, want %d", page.StatusCode, what, got, want)
		}
	}
	for path, want := range map[string]int{"/collection/runs/2": 404, "/collection/runs/x": 404, "/collection/runs/1?colour=red": 400, "/collection/slices/1/answers.zip": 404, "/collection/slices/9/answers.zip": 404} {
		if a := site.Get(t, address+path); a.StatusCode != want {
			t.Errorf("%s: status %d, want %d", path, a.StatusCode, want)
		}
	}
}
