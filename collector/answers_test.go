package collector_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"rebatedesk/affiliate"
	"rebatedesk/collector"
	"rebatedesk/exchange/weex"
	"rebatedesk/exchange/weex/simulator"
	"rebatedesk/store/received"
	"rebatedesk/store/storetest"
)

// wiretap stores every answer that the exchange sends, by what was asked for.
type wiretap struct {
	mu   sync.Mutex
	sent map[string][][]byte
	all  []string // the requests in order
}

// tap records what the simulator of a fixture sends.
func tap(d *fixture) *wiretap {
	w := &wiretap{sent: map[string][][]byte{}}
	d.answers(func(out http.ResponseWriter, r *http.Request) bool {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			d.Error(err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		request := r.Method + " " + r.URL.RequestURI()
		if len(body) > 0 {
			request += " " + string(body)
		}
		answer := httptest.NewRecorder()
		cut := !completes(func() { d.sim.ServeHTTP(answer, r) })
		w.mu.Lock()
		w.sent[request] = append(w.sent[request], bytes.Clone(answer.Body.Bytes()))
		w.all = append(w.all, request)
		w.mu.Unlock()
		maps.Copy(out.Header(), answer.Header())
		out.WriteHeader(answer.Code)
		_, _ = out.Write(answer.Body.Bytes()) // the client may be gone
		if cut {
			panic(http.ErrAbortHandler)
		}
		return true
	})
	return w
}

// completes reports whether a handler came to its end.
func completes(handle func()) (whole bool) {
	defer func() { whole = recover() == nil }()
	handle()
	return true
}

// kept returns the slices that were written, each with its answers as they are kept.
func (d *fixture) kept() (lines []received.SliceLine, requests [][]received.KeptAnswer, bodies [][][]byte) {
	d.Helper()
	r := d.reader()
	defer r.Close()
	for line, err := range received.SliceLines(d.Context(), r, received.SliceFilter{}) {
		if err != nil {
			d.Fatal(err)
		}
		lines = append(lines, line)
	}
	for _, line := range lines {
		var of []received.KeptAnswer
		var with [][]byte
		if line.Kept {
			err := received.Visit(d.Context(), r, line.Slice, func(e received.KeptAnswer, body []byte) error {
				of, with = append(of, e), append(with, bytes.Clone(body))
				return nil
			})
			if err != nil {
				d.Fatal(err)
			}
		}
		requests, bodies = append(requests, of), append(bodies, with)
	}
	return lines, requests, bodies
}

// fingerprint computes it as docs/operations.md says.
func fingerprint(bodies [][]byte) string {
	h := sha256.New()
	for _, body := range bodies {
		n := len(body)
		h.Write([]byte{byte(n >> 56), byte(n >> 48), byte(n >> 40), byte(n >> 32), byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
		h.Write(body)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// keeping makes a collector of the fixture's database that keeps answers.
func (d *fixture) keeping(days int) *collector.Collector {
	c := collector.New(collector.Options{
		Store: d.store, Accounts: []collector.Target{{Name: "main", Source: d.client}}, History: d.history, Now: d.clock.now, KeepAnswers: days,
	})
	c.SetAfter(d.clock.after)
	return c
}

// The fingerprints of a run without faults are those of everything that the exchange sent,
// slice after slice; and they are the same whether the answers are kept or not.
func TestFingerprintsAreOfWhatWasSent(t *testing.T) {
	t.Parallel()
	storetest.Engines(t, "bytes of answers", testFingerprintsAreOfWhatWasSent)
}

func testFingerprintsAreOfWhatWasSent(t *testing.T) {
	o := simulator.Options{Seed: 5, Days: 60, Invitees: 150, Records: sized(2400)}
	plain, d := newFixture(t, o), newFixture(t, o)
	plain.run(collector.RunRequest{})
	d.Collector = d.keeping(30)
	sent := tap(d)
	d.run(collector.RunRequest{})
	without, _, _ := plain.kept()
	lines, requests, bodies := d.kept()
	kinds, next := map[affiliate.StreamKind]bool{}, 0
	asked := slices.DeleteFunc(slices.Clone(sent.all), func(request string) bool {
		return strings.Contains(request, "/public/") || strings.Contains(request, "/market/")
	})
	for i, line := range lines {
		kinds[line.Stream.Kind] = true
		var size int64
		for j, e := range requests[i] {
			if next >= len(asked) || e.Request != asked[next] || !bytes.Equal(bodies[i][j], sent.sent[e.Request][0]) {
				t.Fatalf("answer %d of slice %d is of %q and not what was sent", j, line.Slice, e.Request)
			}
			if e.Received != affiliate.MillisOf(start) || e.Exchange != affiliate.MillisOf(start) || strings.Contains(strings.ToUpper(e.Request), "ACCESS") {
				t.Errorf("slice %d: %+v", line.Slice, e)
			}
			size += e.Bytes
			next++
		}
		if line.SHA256 != fingerprint(bodies[i]) || line.Answers != int64(len(bodies[i])) || line.Bytes != size || line.Answers == 0 ||
			line.Request != requests[i][0].Request || line.First != affiliate.MillisOf(start) || line.ExchangeLast != affiliate.MillisOf(start) {
			t.Errorf("%+v, its answers have the fingerprint %s", line, fingerprint(bodies[i]))
		}
		was := without[i]
		if was.Kept || !line.Kept {
			t.Errorf("kept without days %t, kept with days %t", was.Kept, line.Kept)
		}
		if was.Kept = true; was != line {
			t.Errorf("without days: %+v, with days: %+v", was, line)
		}
	}
	given := slices.DeleteFunc(affiliate.StreamKinds(), func(kind affiliate.StreamKind) bool { return !weex.Sheet.Has(kind) })
	if next != len(asked) || len(kinds) != len(given) {
		t.Errorf("%d of %d answers have a slice, of the streams %v", next, len(asked), kinds)
	}
	d.clock.advance(day + 1)
	d.run(collector.RunRequest{})
	again, _, _ := d.kept()
	if len(again) <= len(lines) || again[len(again)-1].SHA256 == "" || again[len(again)-1].First != affiliate.MillisOf(start.Add(day+1)) {
		t.Errorf("a second reading has no line of its own: %d lines after %d", len(again), len(lines))
	}
}

// Under faults each kept answer is one that the exchange sent for the request, and none is a
// refusal or damaged.
func TestFingerprintsUnderFaults(t *testing.T) {
	t.Parallel()
	d := newFixture(t, simulator.Options{Seed: 8, Days: 40, Invitees: 120, Records: sized(2000), Faults: simulator.FaultsHarsh})
	d.Collector = d.keeping(30)
	sent := tap(d)
	for range 5 {
		if report, err := d.Collect(context.Background(), collector.RunRequest{}); err == nil && report.Complete {
			break
		}
		d.clock.advance(day / 24)
	}
	lines, requests, bodies := d.kept()
	for i, line := range lines {
		if line.SHA256 != fingerprint(bodies[i]) {
			t.Errorf("%+v, its answers have the fingerprint %s", line, fingerprint(bodies[i]))
		}
		for j, e := range requests[i] {
			if !slices.ContainsFunc(sent.sent[e.Request], func(body []byte) bool { return bytes.Equal(body, bodies[i][j]) }) {
				t.Errorf("slice %d: what is kept for %q was never sent", line.Slice, e.Request)
			}
		}
	}
	if len(lines) < 10 {
		t.Fatalf("%d slices were written", len(lines))
	}
	d.verifies()
}

// proofs checks that exactly the slices that were written have a fingerprint, and that the
// bodies of each are kept.
func (d *fixture) proofs() {
	d.Helper()
	lines, _, bodies := d.kept()
	for i, line := range lines {
		// A slice for which nothing was requested has nothing to prove.
		if (line.SHA256 == "") != (line.Requests == 0) || line.SHA256 != "" && line.SHA256 != fingerprint(bodies[i]) {
			d.Errorf("slice %s %s has the fingerprint %q after %d requests; its %d answers have %s",
				line.Stream, fmt.Sprint(line.Days), line.SHA256, line.Requests, len(bodies[i]), fingerprint(bodies[i]))
		}
	}
}
