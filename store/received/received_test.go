package received_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rebatedesk/affiliate"
	"rebatedesk/store"
	"rebatedesk/store/received"
	"rebatedesk/store/records"
	"rebatedesk/store/storetest"
	"rebatedesk/store/upkeep"
)

// slice writes a day of commissions with answers, and returns when.
func slice(t *testing.T, s *store.Store, keepDays int, day affiliate.Day, run int64, rows []affiliate.Commission, answers ...string) affiliate.Millis {
	t.Helper()
	recorder, err := received.NewRecorder(keepDays)
	storetest.Done(t, err)
	recorder.Take("GET /forgotten", []byte("of a reading that was repeated"), time.UnixMilli(1), 1)
	recorder.Restart()
	for i, body := range answers {
		recorder.Take(fmt.Sprintf("GET /list?page=%d&size=2", i+1), []byte(body), time.UnixMilli(int64(5000+i)), affiliate.Millis(i*7000))
	}
	of := storetest.DaySlice(affiliate.Days{First: day, Last: day})
	of.Run = run
	of.Answers, err = recorder.Answers()
	storetest.Done(t, err)
	storetest.Replace(t, s, of, rows...)
	at, err := s.LastWrite(t.Context())
	storetest.Done(t, err)
	return at
}

// lines returns the slices in a few words.
func lines(t *testing.T, s *store.Store, of received.SliceFilter, telling bool) (list []string) {
	t.Helper()
	r := storetest.Reader(t, s)
	defer r.Close()
	all, err := received.Telling(t.Context(), r, of)
	storetest.Done(t, err)
	if !telling {
		all = nil
		for l, err := range received.SliceLines(t.Context(), r, of) {
			storetest.Done(t, err)
			all = append(all, l)
		}
	}
	for _, l := range all {
		list = append(list, fmt.Sprintf("%d:%d answers", l.Slice, l.Answers))
	}
	return list
}

func TestAnswersOfSlices(t *testing.T) { storetest.Engines(t, "bytes of answers", testAnswersOfSlices) }

func testAnswersOfSlices(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	run, err := records.StartRun(t.Context(), s, "main", "test")
	storetest.Done(t, err)
	one, two := storetest.Record(1, "1"), storetest.Record(1, "2")
	day := storetest.Day
	slice(t, s, 0, day, run, []affiliate.Commission{one}, "a", "")
	slice(t, s, 0, day, run, []affiliate.Commission{one}, "a") // found the same, and is not the newest
	asOf := slice(t, s, 0, day+1, run, nil, "b", "c", "d")
	slice(t, s, 30, day, run, []affiliate.Commission{two}, strings.Repeat("long", 1000), "short", "\x00\xff")
	slice(t, s, 30, day, run, []affiliate.Commission{two}, "x")
	slice(t, s, 30, day, run, []affiliate.Commission{two})
	storetest.Done(t, records.FailSlice(t.Context(), s, func() records.Slice {
		f := storetest.DaySlice(affiliate.Days{First: day, Last: day})
		f.Run = run
		return f
	}(), "broken"))
	for _, test := range []struct {
		of      received.SliceFilter
		telling bool
		want    string
	}{
		{received.SliceFilter{}, false, "1:2 answers, 2:1 answers, 3:3 answers, 4:3 answers, 5:1 answers, 6:0 answers"},
		{received.SliceFilter{}, true, "1:2 answers, 3:3 answers, 4:3 answers, 6:0 answers"},
		{received.SliceFilter{AsOf: asOf}, true, "1:2 answers, 2:1 answers, 3:3 answers"},
		{received.SliceFilter{Days: affiliate.Days{First: day + 1, Last: day + 9}}, false, "3:3 answers"},
		{received.SliceFilter{Slice: 4}, false, "4:3 answers"},
		{received.SliceFilter{Run: run + 1}, false, ""},
		{received.SliceFilter{Account: "other"}, false, ""},
		{received.SliceFilter{Account: "main", Kind: affiliate.Commissions, Product: affiliate.Spot, Slice: 1}, false, "1:2 answers"},
		{received.SliceFilter{Kind: affiliate.Invitees}, false, ""},
	} {
		if got := strings.Join(lines(t, s, test.of, test.telling), ", "); got != test.want {
			t.Errorf("%+v, telling %t: %s, want %s", test.of, test.telling, got, test.want)
		}
	}
	r := storetest.Reader(t, s)
	for l, err := range received.SliceLines(t.Context(), r, received.SliceFilter{Slice: 1}) {
		storetest.Done(t, err)
		// printf "\0\0\0\0\0\0\0\1a\0\0\0\0\0\0\0\0" | sha256sum
		if l.SHA256 != "6aa98e17c109dd8e2ae23a478ceb48e193c730289ba48d741388a3cc8b38ef4f" {
			t.Errorf("fingerprint %s", l.SHA256)
		}
		if l.First != 5000 || l.Last != 5001 || l.ExchangeFirst != 7000 || l.ExchangeLast != 7000 || l.Bytes != 1 || l.Request != "GET /list?page=1&size=2" || l.Opened != 1 || l.Kept {
			t.Errorf("%+v", l)
		}
	}
	var bodies []string
	storetest.Done(t, received.Visit(t.Context(), r, 4, func(e received.KeptAnswer, body []byte) error {
		bodies = append(bodies, fmt.Sprintf("%s %d %d %x", e.Request, e.Received, e.Exchange, body[:min(2, len(body))]))
		return nil
	}))
	if want := []string{"GET /list?page=1&size=2 5000 0 6c6f", "GET /list?page=2&size=2 5001 7000 7368", "GET /list?page=3&size=2 5002 14000 00ff"}; !slices.Equal(bodies, want) {
		t.Errorf("%q", bodies)
	}
	if err := received.Visit(t.Context(), r, 1, func(received.KeptAnswer, []byte) error { return nil }); !errors.Is(err, received.ErrNotKept) {
		t.Errorf("the answers of a slice that are not kept: %v", err)
	}
}

// Bodies leave at their time, fingerprints stay.
func TestPrune(t *testing.T) { storetest.Engines(t, "statements about old answers", testPrune) }

func testPrune(t *testing.T) {
	s := storetest.Open(t, store.Options{})
	run, err := records.StartRun(t.Context(), s, "main", "test")
	storetest.Done(t, err)
	const day = 24 * 60 * 60 * 1000
	var at affiliate.Millis
	for _, days := range []int{10, 20, 30} {
		at = slice(t, s, days, storetest.Day, run, nil, fmt.Sprint(days))
	}
	stock := func() string {
		r := storetest.Reader(t, s)
		defer r.Close()
		k, err := received.ReadStock(t.Context(), r)
		storetest.Done(t, err)
		if k.Slices > 0 != (k.Bytes > 0) || k.Slices > 0 != k.Oldest.Known() {
			t.Errorf("%+v", k)
		}
		return fmt.Sprintf("%d of %d", k.Slices, k.Fingerprints)
	}
	for _, test := range []struct {
		now    affiliate.Millis
		days   int
		pruned int
		stock  string
	}{
		{at, 0, 0, "3 of 3"},
		{at, 5, 0, "3 of 3"},
		{at + 10*day, 0, 1, "2 of 3"},
		{at + 15*day, 16, 0, "2 of 3"},
		{at + 25*day, 0, 1, "1 of 3"},
		{at + 25*day, 25, 1, "0 of 3"}, // less than they were kept for
	} {
		before, err := s.LastWrite(t.Context())
		storetest.Done(t, err)
		n, err := received.Prune(t.Context(), s, test.now, test.days)
		storetest.Done(t, err)
		if got := stock(); n != test.pruned || got != test.stock {
			t.Errorf("after %d days, kept for %d: %d pruned, %s are left, want %d and %s", (test.now-at)/day, test.days, n, got, test.pruned, test.stock)
		}
		after, err := s.LastWrite(t.Context())
		storetest.Done(t, err)
		if (after != before) != (test.pruned > 0) {
			t.Errorf("the last write was at %s, and is at %s after %d were pruned", before, after, test.pruned)
		}
	}
}

// Any change of what is kept, or of a fingerprint, is found and named.
func TestVerifyAnswers(t *testing.T) { storetest.Engines(t, "bytes of answers", testVerifyAnswers) }

func testVerifyAnswers(t *testing.T) {
	for name, damage := range map[string]string{
		"": ``,
		"slice 1: its answers have the fingerprint": `UPDATE kept_answers SET bodies = (SELECT bodies FROM kept_answers k WHERE k.slice_id = 2) WHERE slice_id = 1`,
		"slice 2: its answers have the fingerprint": `UPDATE slice_answers SET fingerprint = (SELECT fingerprint FROM slice_answers f WHERE f.slice_id = 1) WHERE slice_id = 2`,
		"slice 1: reading the answers":              `UPDATE kept_answers SET requests = bodies WHERE slice_id = 1`,
		"slice 2: reading the answers":              `UPDATE kept_answers SET bodies = requests WHERE slice_id = 2`,
	} {
		s := storetest.Open(t, store.Options{})
		run, err := records.StartRun(t.Context(), s, "main", "test")
		storetest.Done(t, err)
		for _, body := range []string{"first", "other"} {
			slice(t, s, 30, storetest.Day, run, nil, body, string(bytes.Repeat([]byte(body), 100)))
		}
		if damage != "" {
			storetest.Done(t, storetest.Corrupt(s, damage))
		}
		for finding, err := range upkeep.Verify(t.Context(), s) {
			storetest.Done(t, err)
			if finding.Check != "answers" {
				continue
			}
			if name == "" != finding.Sound() || name != "" && (len(finding.Faults) != 1 || !strings.HasPrefix(finding.Faults[0], name)) {
				t.Errorf("%s: %+v", name, finding)
			}
			if finding.Seen != "2 fingerprints, and the answers of 2 slices" {
				t.Error(finding.Seen)
			}
		}
	}
}
